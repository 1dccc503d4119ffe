// SPDX-License-Identifier: GPL-3.0-or-later
// What the program view shows next to the current state: the result of a rewrite, or the compared state.
#include "views/common/format.h"
#include "views/document/cost_text.h"
#include "views/document/places.h"
#include "views/program/code_pane.h"
#include "views/program/code_view.h"
#include "views/program/internal/program_graph.h"
#include "views/program/line_notes.h"
#include "views/program/program_difference.h"
#include "views/program/program_view.h"

#include <algorithm>

namespace mitos::views {

namespace {

QString stateTitle(const rewrite::History& history, rewrite::StateId state) {
    const std::string& name = history.state(state).marks.name;
    if (!name.empty()) return fromUtf8(name);
    if (state == history.start()) return ProgramView::tr("the start");
    return ProgramView::tr("state %1").arg(state.value);
}

QString costsText(double before, double after) {
    return ProgramView::tr("cost %1 → %2  (%3)").arg(costText(before), costText(after), deltaText(after - before));
}

}  // namespace

/// Both texts and their differences; `before` is the older one of the two.
struct ProgramView::Difference {
    ProgramContent other;
    ir::Diff marks;
    DifferenceRanges ranges;
    std::vector<RemovedNode> gone;  ///< of a graph: drawn with the current state
};

void ProgramView::showBeside() {
    m_besideQuery.cancel();
    m_code->setMarks(CodeView::Mark::Removed, {});
    m_code->setMarks(CodeView::Mark::Added, {});
    m_code->setMarks(CodeView::Mark::Moved, {});
    m_graph->setChanged({});
    m_replaced.clear();
    showTouched();
    const bool ready = m_complete && m_document.isOpen();
    const bool preview = ready && m_selection.rewrite().has_value();
    const std::optional<rewrite::StateId>& state = m_selection.compared();
    const bool hasState = state.has_value() && ready && state->value < m_document.history().size();
    const bool comparison = ready && !preview && (hasState || m_selection.comparedProgram().has_value());
    if (!preview) m_after->hide();
    if (!comparison) m_before->hide();
    if (preview) showPreview();
    if (comparison) showComparison();
}

/// Highlights the places under the pointer; otherwise the nodes replaced by the previewed rewrite.
void ProgramView::showTouched() {
    if (!m_complete || !m_content) return;
    std::vector<NodeIndex> nodes;
    std::vector<NodeIndex> roots;
    std::vector<TextRange> ranges;
    const auto add = [this](std::vector<NodeIndex>& to, const ir::Path& path) {
        if (const auto node = m_content->text.find(path)) to.push_back(*node);
    };
    for (const ir::Path& path : m_selection.touched()) add(nodes, path);
    if (!nodes.empty()) {
        roots.assign(nodes.begin(),
                     nodes.begin() + static_cast<std::ptrdiff_t>(std::min(m_selection.touchedRoots(), nodes.size())));
        ranges = rangesOf(nodes);
    } else if (m_selection.rewrite()) {
        nodes = m_replaced;
        for (const ir::Path& path : m_selection.rewrite()->positions) add(roots, path);
    }
    m_code->setMarks(CodeView::Mark::Hovered, m_content->text.isGraph() ? ranges : std::vector<TextRange>());
    m_graph->setTouched(std::move(nodes), std::move(roots));
}

/// The names of the nodes as in the text and in the graph.
QString ProgramView::placesText(const rewrite::Step& step) const {
    QStringList places;
    for (const ir::Path& place : step.positions) {
        const auto node = m_content->text.isGraph() ? m_content->text.find(place) : std::nullopt;
        const ir::TermBank& bank = m_document.bank();
        if (node)
            places << m_content->text.name(*node);
        else if (m_form == ProgramText::Form::Reading && !isLarge(m_document.current().root))
            places << ReadingTexts(bank, m_document.current()).at(place);
        else
            places << PlaceNames(bank, m_document.current()).at(place);
    }
    return places.join(QStringLiteral(", "));
}

void ProgramView::showPreview() {
    const rewrite::Step& step = *m_selection.rewrite();
    const auto result = m_document.resultOf(step);
    if (!result) {
        m_after->hide();
        return;
    }
    const double before = m_document.cost(m_document.current().root);
    const double after = m_document.cost(*result);
    m_after->setTitle(tr("After %1 at %2:").arg(fromUtf8(step.name()), placesText(step)), costsText(before, after));
    showDifference({m_document.current().function, *result}, *m_after, false);
}

void ProgramView::showComparison() {
    const rewrite::History& history = m_document.history();
    const std::optional<OtherProgram>& program = m_selection.comparedProgram();
    const ir::Program other = program ? program->program : history.program(*m_selection.compared());
    if (program) {
        const double before = m_document.cost(other.root);
        const double after = m_document.cost(m_document.current().root);
        m_before->setTitle(program->title, program->remark.isEmpty() ? costsText(before, after) : program->remark);
    } else if (other.root == m_document.current().root) {
        m_before->setTitle(tr("Compared with %1:").arg(stateTitle(history, *m_selection.compared())),
                           tr("the same program"));
    } else {
        const double before = m_document.cost(other.root);
        const double after = m_document.cost(m_document.current().root);
        m_before->setTitle(
            tr("Compared with %1, which is shown here:").arg(stateTitle(history, *m_selection.compared())),
            costsText(before, after));
    }
    showDifference(other, *m_before, true);
}

void ProgramView::showDifference(const ir::Program& program, CodePane& pane, bool otherIsBefore) {
    const ir::TermId current = m_document.current().root;
    const ir::TermId other = program.root;
    if (!isLarge(current) && !isLarge(other)) {
        const ir::TermBank& bank = m_document.bank();  // a tree, because graphs count as large
        Difference difference;
        difference.other.text = ProgramText(bank, program, m_code->columns());
        difference.other.costs = m_document.explainCost(other);
        difference.other.findLineCosts();
        difference.marks = otherIsBefore ? ir::diff(bank, other, current) : ir::diff(bank, current, other);
        difference.ranges =
            DifferenceRanges(otherIsBefore ? difference.other.text : m_content->text,
                             otherIsBefore ? m_content->text : difference.other.text, difference.marks, m_form);
        takeDifference(difference, pane, otherIsBefore);
        return;
    }
    m_besideQuery.ask(
        tr("Comparing two programs"),
        [mine = m_document.snapshot(m_document.current()), program, content = m_content, otherIsBefore, form = m_form,
         model = m_document.sharedCostModel()](const std::stop_token&, const JobRunner::Report&) {
            const ir::TermBank& bank = *mine.bank;
            const ir::TermId root = mine.program.root;
            const ir::TermId other = program.root;
            auto difference = std::make_shared<Difference>();
            ProgramContent& beside = difference->other;
            beside.text = ProgramText(bank, program, LargeColumns);
            beside.costs = explainedParts(*model->evaluator(bank, program.function), bank, program);
            beside.findLineCosts();
            if (beside.text.isGraph()) beside.parts = findParts(bank, beside.text, beside.costs);
            const ir::Sharing sharing = bank.function(mine.program.function).sharing;
            difference->marks =
                otherIsBefore ? ir::diff(bank, other, root, sharing) : ir::diff(bank, root, other, sharing);
            difference->ranges = DifferenceRanges(otherIsBefore ? beside.text : content->text,
                                                  otherIsBefore ? content->text : beside.text, difference->marks, form);
            if (otherIsBefore) difference->gone = removedNodes(bank, beside.text, difference->marks);
            return difference;
        },
        [this, &pane, otherIsBefore](std::shared_ptr<Difference> difference) {
            takeDifference(*difference, pane, otherIsBefore);
            m_jobs.release(std::move(difference));
        });
}

void ProgramView::takeDifference(const Difference& difference, CodePane& pane, bool otherIsBefore) {
    const bool wasHidden = pane.isHidden();
    CodeView& other = pane.code();
    other.setText(difference.other.text.text(m_form), wasHidden, languageOf(m_form));
    other.setNotes(lineNotes(difference.other, m_form), fromUtf8(m_document.costModel().info().unit));
    pane.show();
    if (wasHidden) {
        const bool wide = width() >= SideBySideWidth;
        m_splitter->setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
        const int half = (wide ? m_splitter->width() : m_splitter->height()) / 2;
        m_splitter->setSizes({m_before->isHidden() ? 0 : half, half, m_after->isHidden() ? 0 : half});
    }
    CodeView& before = otherIsBefore ? other : *m_code;
    CodeView& after = otherIsBefore ? *m_code : other;
    difference.ranges.show(before, after);
    const ProgramText& beside = difference.other.text;
    showFirstChange(before, otherIsBefore ? beside : m_content->text, m_form, difference.marks.before);
    showFirstChange(after, otherIsBefore ? m_content->text : beside, m_form, difference.marks.after);
    std::vector<NodeIndex> changed;
    const auto& mine = otherIsBefore ? difference.marks.after : difference.marks.before;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (mine[i] == ir::DiffMark::Changed) changed.push_back(static_cast<NodeIndex>(i));
    }
    // For a rewrite, marks the nodes it removes; for a comparison, the new nodes.
    if (otherIsBefore) {
        m_graph->setChanged(std::move(changed), difference.gone);
    } else if (m_content->text.isGraph()) {
        m_replaced = std::move(changed);
        showTouched();
    } else {
        m_graph->setChanged(std::move(changed));
    }
}

}  // namespace mitos::views
