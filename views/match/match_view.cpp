// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/match_view.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/match/internal/match_steps_model.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QTextCursor>
#include <QTreeWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QWidget* titled(QLabel* title, QWidget* below, QWidget* parent) {
    auto* box = new QWidget(parent);
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    fillColumn(box, {title, {below, 1}}, {.margins = NoMargins, .spacing = 2});
    return box;
}

}  // namespace

MatchView::MatchView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_verdicts(new RuleVerdictsModel(this)),
      m_steps(new MatchStepsModel(this)),
      m_stack(new QStackedWidget(this)),
      m_content(new QWidget(this)),
      m_empty(new EmptyState(this)),
      m_summary(new QLabel(this)),
      m_rules(new QTableView(this)),
      m_outcome(new QLabel(this)),
      m_table(new QTableView(this)),
      m_state(new QTreeWidget(this)),
      m_pattern(new MatchText(QStringLiteral("matchPattern"), tr("The rule"), this)),
      m_subject(new MatchText(QStringLiteral("matchSubject"), tr("The subterm"), this)) {
    setObjectName(QStringLiteral("matchView"));
    build();
    connect(&m_document, &Document::closed, this, &MatchView::forget);
    connect(&m_document, &Document::opened, this, &MatchView::invalidate);
    connect(&m_document, &Document::currentChanged, this, &MatchView::invalidate);
    connect(&m_document, &Document::rulesChanged, this, &MatchView::invalidate);
    connect(&m_selection, &Selection::subtermChanged, this, &MatchView::invalidate);
    connect(&m_selection, &Selection::rewriteChanged, this, [this] {
        if (m_selection.rewrite()) m_wanted = fromUtf8(m_selection.rewrite()->rule->name());
        invalidate();
    });
    followPalette(this, [this] { updateTheme(); });
    // Deferred, because each dock is briefly visible while docks are arranged.
    whenShown(this, Qt::QueuedConnection, [this] {
        if (m_stale && isVisible()) ask();
    });
    invalidate();
}

MatchView::~MatchView() { cancel(); }

void MatchView::build() {
    setUpRowTable(*m_rules, *m_verdicts, QStringLiteral("matchRules"), tr("Rules, the nearest to matching first"));
    setUpRowTable(*m_table, *m_steps, QStringLiteral("matchSteps"), tr("Transitions of the matching machine"));
    m_rules->horizontalHeader()->setSectionResizeMode(RuleVerdictsModel::VerdictColumn, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(MatchStepsModel::NumberColumn, QHeaderView::ResizeToContents);
    for (const auto column : {MatchStepsModel::ActionColumn, MatchStepsModel::DetailColumn}) {
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
    }
    m_summary->setObjectName(QStringLiteral("matchSummary"));
    m_outcome->setObjectName(QStringLiteral("matchOutcome"));
    m_outcome->setWordWrap(true);
    setUpWidget(m_state, "matchState", {}, tr("State of the machine"));
    m_state->setHeaderLabels({tr("State"), tr("Value")});
    m_state->setRootIsDecorated(true);
    m_state->setUniformRowHeights(true);
    m_state->header()->setStretchLastSection(false);
    m_state->header()->setSectionResizeMode(1, QHeaderView::Stretch);

    auto* texts = new QSplitter(Qt::Vertical, m_content);
    texts->addWidget(m_pattern);
    texts->addWidget(m_subject);
    auto* panes = new QSplitter(Qt::Horizontal, m_content);
    panes->setObjectName(QStringLiteral("matchSplitter"));
    panes->addWidget(titled(m_summary, m_rules, m_content));
    panes->addWidget(titled(m_outcome, m_table, m_content));
    panes->addWidget(m_state);
    panes->addWidget(texts);
    panes->setChildrenCollapsible(false);
    panes->setSizes({2900, 5000, 2200, 2700});  // proportions, independent of the size hints
    fillColumn(m_content, {panes}, {.margins = NarrowMargins});

    m_stack->addWidget(m_content);
    m_stack->addWidget(m_empty);
    m_empty->explain(tr("Open a program to see which rules match where, and why others do not."));
    fillColumn(this, {m_stack}, {.margins = NoMargins});

    connect(m_rules->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (!row.isValid()) return;
        m_wanted = fromUtf8(m_verdicts->verdict(row.row()).rule->name());
        traceChosen();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) { showStep(row.isValid() ? row.row() : -1); });
}

void MatchView::updateTheme() {
    const Theme theme(palette());
    m_verdicts->setColors(theme.better(), theme.faintText());
    m_steps->setColors(theme.better(), theme.worse());
    m_pattern->setMarkColor(theme.selected());
    m_subject->setMarkColor(theme.selected());
}

void MatchView::cancel() {
    if (m_rankJob != 0) m_jobs.discard(std::exchange(m_rankJob, 0));
    if (m_traceJob != 0) m_jobs.discard(std::exchange(m_traceJob, 0));
}

void MatchView::forget() {
    cancel();
    m_trace.reset();
    m_subjectText = {};
    m_verdicts->setVerdicts({});
    m_steps->setTrace(nullptr);
    m_state->clear();
    m_pattern->setText({});
    m_subject->setText({});
    m_summary->clear();
    m_outcome->clear();
    invalidate();
}

void MatchView::invalidate() {
    m_stale = true;
    m_stack->setCurrentWidget(m_document.isOpen() ? m_content : m_empty);
    if (isVisible()) ask();
}

ir::Path MatchView::position() const {
    if (m_selection.rewrite()) return m_selection.rewrite()->positions.front();
    return m_selection.subterm().value_or(ir::Path());
}

void MatchView::ask() {
    cancel();
    m_stale = false;
    if (!m_document.isOpen()) return;
    m_rankJob = m_jobs.start(
        tr("Rules at a subterm"), false, this,
        [snapshot = m_document.snapshot(m_document.current()), position = position(),
         rules = m_document.rules().directions()](const std::stop_token& stop, const JobRunner::Report& /*report*/) {
            return rankRules(snapshot, position, rules, stop);
        },
        [this](MatchRanking ranking) {
            m_rankJob = 0;
            takeRanking(std::move(ranking));
        });
}

void MatchView::takeRanking(MatchRanking ranking) {
    m_subjectText = std::move(ranking.subject);
    m_subject->setText(m_subjectText.text);
    const QString wanted = m_wanted;
    m_verdicts->setVerdicts(std::move(ranking.verdicts));
    m_rules->resizeColumnToContents(RuleVerdictsModel::RuleColumn);
    m_summary->setText(tr("Rules that match here: %1 of %2").arg(m_verdicts->matching()).arg(m_verdicts->rowCount()));
    const int row = std::max(0, m_verdicts->rowOf(wanted));
    if (m_verdicts->rowCount() > 0) m_rules->setCurrentIndex(m_verdicts->index(row, 0));
}

void MatchView::traceChosen() {
    if (m_traceJob != 0) m_jobs.discard(std::exchange(m_traceJob, 0));
    const QModelIndex chosen = m_rules->currentIndex();
    if (!chosen.isValid() || !m_document.isOpen()) return;
    m_traceJob = m_jobs.start(
        tr("Trace of a match"), false, this,
        [snapshot = m_document.snapshot(m_document.current()), position = position(),
         rule = m_verdicts->verdict(chosen.row()).rule](const std::stop_token& /*stop*/,
                                                        const JobRunner::Report& /*report*/) {
            return traceRule(snapshot, position, *rule);
        },
        [this](rules::MatchTrace trace) {
            m_traceJob = 0;
            takeTrace(std::move(trace));
        });
}

void MatchView::takeTrace(rules::MatchTrace trace) {
    m_trace = std::make_shared<const rules::MatchTrace>(std::move(trace));
    m_steps->setTrace(m_trace);
    m_table->resizeColumnToContents(MatchStepsModel::TransitionColumn);

    const auto steps = static_cast<int>(m_trace->steps.size());
    int row = steps - 1;
    if (m_trace->matched()) {
        const auto matches = m_trace->matches.size();
        m_outcome->setText(matches == 1
                               ? tr("★ %1: a match; transitions: %2").arg(m_wanted).arg(steps)
                               : tr("★ %1: %2 matches; transitions: %3").arg(m_wanted).arg(matches).arg(steps));
        row = static_cast<int>(m_trace->matchSteps.front());
    } else if (m_trace->furthest) {
        m_outcome->setText(tr("✗ %1: %2").arg(m_wanted, fromUtf8(m_trace->furthest->text)));
        row = static_cast<int>(m_trace->furthest->step);
    } else {
        m_outcome->setText(tr("✗ %1 does not match here").arg(m_wanted));
    }
    if (!m_trace->isComplete) m_outcome->setText(m_outcome->text() + tr(" (cut off after %1 transitions)").arg(steps));
    if (row >= 0) {
        m_table->setCurrentIndex(m_steps->index(row, 0));
        m_table->scrollTo(m_steps->index(row, 0), QAbstractItemView::PositionAtCenter);
    } else {
        showStep(-1);
    }
}

void MatchView::showStep(int row) {
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

void MatchView::showState(const rules::TraceState& state) {
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

void MatchView::showPlaces(const std::optional<rules::TraceAction>& action) {
    if (action && action->source) {
        m_pattern->setText(action->source->text());
        m_pattern->mark(action->span.begin, action->span.end);
    } else if (m_rules->currentIndex().isValid()) {
        m_pattern->setText(m_verdicts->verdict(m_rules->currentIndex().row()).rule->rule().text);
    }
    m_subject->mark(0, 0);
    if (!action || !action->path) return;
    for (const ir::PrintedSpan& span : m_subjectText.spans) {
        if (span.path == *action->path) m_subject->mark(span.begin, span.end);
    }
}

MatchText::MatchText(const QString& name, const QString& title, QWidget* parent) : QPlainTextEdit(parent) {
    setObjectName(name);
    setAccessibleName(title);
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::WidgetWidth);
    setFont(programFont());
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
