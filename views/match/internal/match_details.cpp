// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/internal/match_details.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/match/internal/match_steps_model.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QTextCursor>
#include <QTreeWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

MatchDetails::MatchDetails(QWidget* parent)
    : QWidget(parent),
      m_steps(new MatchStepsModel(this)),
      m_table(new QTableView(this)),
      m_state(new QTreeWidget(this)),
      m_pattern(new MatchText(QStringLiteral("matchPattern"), tr("The rule"), this)),
      m_subject(new MatchText(QStringLiteral("matchSubject"), tr("The subterm"), this)) {
    setObjectName(QStringLiteral("matchDetails"));
    setUpRowTable(*m_table, *m_steps, QStringLiteral("matchSteps"), tr("Transitions of the matching machine"));
    m_table->horizontalHeader()->setSectionResizeMode(MatchStepsModel::NumberColumn, QHeaderView::ResizeToContents);
    for (const auto column : {MatchStepsModel::ActionColumn, MatchStepsModel::DetailColumn}) {
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
    }
    setUpWidget(m_state, "matchState", {}, tr("State of the machine"));
    m_state->setHeaderLabels({tr("State"), tr("Value")});
    m_state->setRootIsDecorated(true);
    m_state->setUniformRowHeights(true);
    m_state->header()->setStretchLastSection(false);
    m_state->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    auto* texts = new QSplitter(Qt::Vertical, this);
    texts->addWidget(m_pattern);
    texts->addWidget(m_subject);
    auto* panes = new QSplitter(Qt::Horizontal, this);
    panes->setObjectName(QStringLiteral("matchDetailsSplitter"));
    panes->addWidget(m_table);
    panes->addWidget(m_state);
    panes->addWidget(texts);
    panes->setChildrenCollapsible(false);
    panes->setSizes({5000, 2200, 2700});  // proportions, independent of the size hints
    fillColumn(this, {panes}, {.margins = NoMargins});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) { showStep(row.isValid() ? row.row() : -1); });
    followPalette(this, [this] {
        const Theme theme(palette());
        m_steps->setColors(theme.better(), theme.worse());
        m_pattern->setMarkColor(theme.selected());
        m_subject->setMarkColor(theme.selected());
    });
}

void MatchDetails::setSubject(ir::PrintedText subject) {
    m_subjectText = std::move(subject);
    m_subject->setText(m_subjectText.text);
}

void MatchDetails::clear() {
    m_trace.reset();
    m_subjectText = {};
    m_ruleText.clear();
    m_steps->setTrace(nullptr);
    m_state->clear();
    m_pattern->setText({});
    m_subject->setText({});
}

void MatchDetails::setTrace(std::shared_ptr<const rules::MatchTrace> trace, const std::string& ruleText) {
    m_trace = std::move(trace);
    m_ruleText = ruleText;
    m_steps->setTrace(m_trace);
    m_table->resizeColumnToContents(MatchStepsModel::TransitionColumn);
    int row = static_cast<int>(m_trace->steps.size()) - 1;
    if (m_trace->matched())
        row = static_cast<int>(m_trace->matchSteps.front());
    else if (m_trace->furthest)
        row = static_cast<int>(m_trace->furthest->step);
    if (row >= 0) {
        m_table->setCurrentIndex(m_steps->index(row, 0));
        m_table->scrollTo(m_steps->index(row, 0), QAbstractItemView::PositionAtCenter);
    } else {
        showStep(-1);
    }
}

void MatchDetails::showStep(int row) {
    m_state->clear();
    if (!m_trace) return;
    if (row < 0 || static_cast<std::size_t>(row) >= m_trace->steps.size()) {
        showState(m_trace->start);
        showPlaces(std::nullopt);
        return;
    }
    const rules::TraceStep& step = m_trace->steps[static_cast<std::size_t>(row)];
    showState(step.after);
    showPlaces(step.action);
}

void MatchDetails::showState(const rules::TraceState& state) {
    const auto branch = [this](const QString& title, const QString& value) {
        return new QTreeWidgetItem(m_state, {title, value});
    };
    const auto add = [](QTreeWidgetItem* parent, const std::vector<rules::TraceValue>& values) {
        for (const rules::TraceValue& value : values) {
            auto* item = new QTreeWidgetItem(parent, {fromUtf8(value.name), fromUtf8(value.text)});
            item->setToolTip(1, fromUtf8(value.text));
        }
    };
    branch(tr("after this step"), fromUtf8(rules::toString(state.status)));
    add(branch(tr("θ (terms)"), state.theta.empty() ? tr("empty") : QString()), state.theta);
    if (!state.phi.empty()) add(branch(tr("φ (operators)"), {}), state.phi);
    branch(tr("stack"), state.stackDepth == 0 ? tr("empty") : tr("choice points: %1").arg(state.stackDepth));
    QTreeWidgetItem* todo = branch(tr("still to do"), state.continuation.empty() ? tr("nothing") : QString());
    for (std::size_t i = 0; i < state.continuation.size(); ++i) {
        const QString text = fromUtf8(state.continuation[i].text);
        auto* item = new QTreeWidgetItem(todo, {QString::number(i + 1), text});
        item->setToolTip(1, text);
    }
    m_state->expandAll();
    m_state->resizeColumnToContents(0);
}

void MatchDetails::showPlaces(const std::optional<rules::TraceAction>& action) {
    if (action && action->source) {
        m_pattern->setText(action->source->text());
        m_pattern->mark(action->span.begin, action->span.end);
    } else {
        m_pattern->setText(m_ruleText);
    }
    m_subject->mark(0, 0);
    if (!action || !action->path) return;
    if (const ir::PrintedSpan* span = m_subjectText.find(*action->path)) m_subject->mark(span->begin, span->end);
}

MatchText::MatchText(const QString& name, const QString& title, QWidget* parent) : QPlainTextEdit(parent) {
    setObjectName(name);
    setAccessibleName(title);
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::WidgetWidth);
    setOwnFont(this, [] { return programFont(); });
    setPlaceholderText(title);
}

void MatchText::setText(std::string_view utf8) {
    if (utf8 == m_utf8) return;
    m_utf8 = utf8;
    setPlainText(fromUtf8(utf8));
    mark(0, 0);
}

void MatchText::mark(std::size_t begin, std::size_t end) {
    // Offsets are in bytes; the widget counts UTF-16 units.
    const std::string_view text = m_utf8;
    const auto position = [text](std::size_t offset) {
        return static_cast<int>(fromUtf8(text.substr(0, std::min(offset, text.size()))).size());
    };
    m_begin = position(begin);
    m_end = position(end);
    updateMark();
}

void MatchText::setMarkColor(const QColor& color) {
    m_color = color;
    updateMark();
}

void MatchText::updateMark() {
    if (m_begin == m_end) {
        setExtraSelections({});
        return;
    }
    QTextEdit::ExtraSelection marked;
    marked.cursor = QTextCursor(document());
    marked.cursor.setPosition(m_begin);
    marked.cursor.setPosition(m_end, QTextCursor::KeepAnchor);
    marked.format.setBackground(m_color);
    setExtraSelections({marked});
    QTextCursor start(document());
    start.setPosition(m_begin);
    setTextCursor(start);
    ensureCursorVisible();
}

}  // namespace mitos::views
