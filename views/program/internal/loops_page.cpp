// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/internal/loops_page.h"

#include "views/common/format.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QStackedWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr std::size_t ManyNodes = 1500;  // making the form of fewer takes no time that is seen

}  // namespace

LoopsPage::LoopsPage(Document& document, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_pages(new QStackedWidget(this)),
      m_code(new CodeView),
      m_empty(new EmptyState),
      m_exported(new QCheckBox(tr("As exported: short vectors as numbers"), this)),
      m_query(jobs) {
    setObjectName(QStringLiteral("loopsPage"));
    setUpWidget(m_code, "programLoops", {}, tr("Program as loops"));
    m_code->setFrameShape(QFrame::NoFrame);
    m_code->setInlineNotes(true);
    m_pages->addWidget(m_code);
    m_pages->addWidget(m_empty);
    setUpWidget(m_exported, "loopsExported",
                tr("The loops of exported C++: vectors of at most 16 elements are numbers, and calls that hand them "
                   "around are opened"));
    auto* choices = rowOf({m_exported, stretch()}, {.margins = NarrowMargins});
    fillColumn(this, {choices, {m_pages, 1}}, {.margins = NoMargins, .spacing = 0});
    m_code->setFocus();  // where the focus goes when the page is shown
    connect(m_exported, &QCheckBox::toggled, this, &LoopsPage::makeAgain);
    connect(m_code, &CodeView::clicked, this, &LoopsPage::lineChosen);
    connect(m_code, &CodeView::clickedBeside, this, &LoopsPage::nothingChosen);
    connect(m_code, &CodeView::hovered, this, &LoopsPage::hoverAt);
}

void LoopsPage::setContent(std::shared_ptr<const ProgramContent> content, const ir::Program& program) {
    m_content = std::move(content);
    m_wanted = m_content ? std::optional(program) : std::nullopt;
    if (m_asked != m_wanted) {
        m_query.cancel();
        m_asked.reset();
    }
    showSelected();
    request();
}

void LoopsPage::clear() {
    m_query.cancel();
    m_content = nullptr;
    m_wanted.reset();
    m_asked.reset();
    m_shownFor.reset();
    m_selected.reset();
    m_loops = {};
    m_isFirst = true;
    m_code->setText({}, true);
    m_code->setToolTip({});
    m_pages->setCurrentWidget(m_code);
    Q_EMIT textShown();
}

void LoopsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    request();
}

void LoopsPage::request() {
    if (!isVisible() || !m_wanted || m_asked == m_wanted || isComplete()) return;
    m_asked = m_wanted;
    if (m_isFirst && m_content->text.nodes().size() > ManyNodes) explain(tr("The loop form is being made…"));
    m_query.ask(
        tr("Making the loop form"),
        [copy = m_document.snapshot(*m_wanted), content = m_content,
         which = m_exported->isChecked() ? LoopForm::Exported : LoopForm::Own](const std::stop_token& stop,
                                                                               const JobRunner::Report&) {
            return shownLoops(*copy.bank, copy.program, content->text, which, stop);
        },
        [this, program = *m_wanted](Result<ShownLoops> loops) { take(program, std::move(loops)); });
}

void LoopsPage::makeAgain() {
    m_query.cancel();
    m_asked.reset();
    m_shownFor.reset();
    showSelected();
    request();
}

void LoopsPage::take(const ir::Program& program, Result<ShownLoops> loops) {
    m_asked.reset();
    m_shownFor = program;
    m_loops = loops ? std::move(*loops) : ShownLoops{};
    m_code->setText(m_loops.text, std::exchange(m_isFirst, false), CodeLanguage::Loops);
    m_code->setNotes(m_loops.notes);
    m_code->setToolTip({});
    if (loops) {
        m_pages->setCurrentWidget(m_code);
    } else {
        const Error& error = loops.error();
        explain(fromUtf8(error.hint.empty() ? error.message : error.message + "; " + error.hint));
    }
    showSelected();
    Q_EMIT textShown();
}

void LoopsPage::explain(const QString& text) {
    m_empty->explain(text);
    m_pages->setCurrentWidget(m_empty);
}

void LoopsPage::setSelected(std::optional<NodeIndex> node) {
    m_selected = node;
    showSelected();
}

void LoopsPage::showSelected() {
    LinesOfNode found;
    if (isComplete() && m_selected) found = m_loops.linesOf(m_content->text, *m_selected);
    m_code->setMarks(CodeView::Mark::Hovered, {});
    m_code->setMarks(CodeView::Mark::Shared, found.isPart ? found.ranges : std::vector<TextRange>());
    m_code->setSelectedRanges(found.isPart ? std::vector<TextRange>() : found.ranges);
    // A click on one of several lines scrolls nowhere.
    const bool isVisible = std::ranges::any_of(found.ranges, [this](TextRange range) { return m_code->shows(range); });
    if (!found.ranges.empty() && !isVisible) m_code->ensureVisible(found.ranges.front());
}

std::vector<NodeIndex> LoopsPage::nodesAt(qsizetype position) const {
    if (!isComplete() || m_loops.lines.empty()) return {};
    return m_loops.at(position).nodes;
}

void LoopsPage::hoverAt(qsizetype position) {
    m_code->setToolTip({});
    if (position < 0 || !isComplete() || m_loops.lines.empty()) return;
    const ShownLoops::Line& line = m_loops.at(position);
    if (line.isCalled) {
        m_code->setToolTip(tr("In a function that the program calls, so it comes from no part of the program."));
        return;
    }
    if (line.nodes.empty()) return;
    const ir::TermBank& bank = m_document.bank();
    const NodeIndex node = line.nodes.front();
    QString tip = tr("Comes from %1 : %2")
                      .arg(m_content->text.label(node),
                           fromUtf8(bank.types().toString(bank.type(m_content->text.nodes()[node].term))));
    if (line.nodes.size() > 1)
        tip += QLatin1Char('\n') + tr("It stands in %n places.", nullptr, static_cast<int>(line.nodes.size()));
    m_code->setToolTip(tip);
}

QString LoopsPage::selectedText() const {
    const std::vector<TextRange>& selected = m_code->marks(CodeView::Mark::Selected);
    const std::vector<TextRange>& around = m_code->marks(CodeView::Mark::Shared);
    QStringList texts;
    for (const TextRange& range : selected.empty() ? around : selected) {
        // From the beginning of the line, so that the indentation is kept.
        const qsizetype begin = m_loops.text.lastIndexOf(QLatin1Char('\n'), range.begin) + 1;
        texts << m_loops.text.mid(begin, range.end - begin);
    }
    return texts.isEmpty() ? m_loops.text : texts.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString LoopsPage::textWithWork() const { return m_loops.textWithWork(); }

}  // namespace mitos::views
