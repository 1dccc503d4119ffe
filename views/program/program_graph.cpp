// SPDX-License-Identifier: GPL-3.0-or-later
// Between the program's nodes and the boxes of the graph.
#include "views/program/program_graph.h"

#include <QLocale>
#include <algorithm>
#include <utility>

namespace mitos::views {

ProgramGraph::ProgramGraph(JobRunner& jobs, QWidget* parent) : GraphPane(jobs, parent) {
    setObjectName(QStringLiteral("programGraph"));
    view().setAccessibleName(tr("Program graph"));
    connect(&view(), &GraphView::nodeClicked, this,
            [this](int node) { Q_EMIT chosen(m_nodes[static_cast<std::size_t>(node)]); });
    connect(&view(), &GraphView::nodeToggled, this,
            [this](int node) { toggle(m_nodes[static_cast<std::size_t>(node)]); });
    connect(&view(), &GraphView::backgroundClicked, this, &ProgramGraph::nothingChosen);
}

void ProgramGraph::setContent(std::shared_ptr<const ProgramContent> content, const ir::TermBank* bank,
                              bool sameProgram) {
    m_content = std::move(content);
    m_bank = bank;
    m_sameProgram = sameProgram;
    m_extract = {};
    m_selected.reset();
    m_occurrences.clear();
    m_changed.clear();
    m_nodes.clear();
    m_outdated = true;
    if (m_content == nullptr) view().setGraph({}, false);
}

void ProgramGraph::showEvent(QShowEvent* event) {
    GraphPane::showEvent(event);
    if (m_outdated) draw();
}

void ProgramGraph::draw() {
    m_outdated = false;
    if (!m_content || m_bank == nullptr) return;
    if (m_selected) m_extract.focus = *m_selected;
    m_nodes = extractNodes(m_content->text, m_extract);
    view().setGraph(describe(*m_bank, *m_content, m_nodes), std::exchange(m_sameProgram, true));
    const QLocale locale;
    const auto all = static_cast<qulonglong>(m_content->text.nodes().size());
    const auto shown = static_cast<qulonglong>(m_nodes.size());
    setFooter(shown == all ? tr("All %1 nodes").arg(locale.toString(all))
                           : tr("%1 of %2 nodes, those around the selection; + on a box shows more, the tree shows all")
                                 .arg(locale.toString(shown), locale.toString(all)));
    showStates();
}

std::optional<GraphIndex> ProgramGraph::placeOf(NodeIndex node) const {
    const auto found = std::lower_bound(m_nodes.begin(), m_nodes.end(), node);
    if (found == m_nodes.end() || *found != node) return std::nullopt;
    return static_cast<GraphIndex>(found - m_nodes.begin());
}

void ProgramGraph::setSelected(std::optional<NodeIndex> node, const std::vector<NodeIndex>& occurrences) {
    m_selected = node;
    m_occurrences = occurrences;
    if (m_outdated && !isVisible()) return;
    // What is shown stays as it is while the selection is among it.
    if (m_outdated || (node && !placeOf(*node))) {
        if (isVisible())
            draw();
        else
            m_outdated = true;
        return;
    }
    showStates();
}

void ProgramGraph::setChanged(std::vector<NodeIndex> nodes) {
    m_changed = std::move(nodes);
    if (!m_outdated) showStates();
}

void ProgramGraph::showStates() {
    const auto places = [this](const std::vector<NodeIndex>& nodes) {
        std::vector<GraphIndex> found;
        for (const NodeIndex node : nodes) {
            if (const auto place = placeOf(node)) found.push_back(*place);
        }
        return found;
    };
    view().setMarked(NodeState::Changed, places(m_changed));
    view().setMarked(NodeState::Shared, m_occurrences.size() > 1 ? places(m_occurrences) : std::vector<GraphIndex>());
    view().setSelected(m_selected ? placeOf(*m_selected) : std::nullopt);
    view().setReferences(m_selected ? bindingEdges(*m_bank, m_content->text, m_nodes, *m_selected)
                                    : std::vector<GraphEdge>());
}

void ProgramGraph::toggle(NodeIndex node) {
    const auto place = placeOf(node);
    if (!place) return;
    const GraphNode& box = view().graph().nodes[*place];
    if (!box.expandable) return;
    if (box.hidden > 0) {
        m_extract.collapsed.erase(node);
        m_extract.expanded.insert(node);
    } else {
        m_extract.expanded.erase(node);
        m_extract.collapsed.insert(node);
        // Collapsing something around the selection selects what is left of it.
        if (m_selected && *m_selected != node && *m_selected > node &&
            *m_selected < node + m_bank->treeSize(m_content->text.nodes()[node].term)) {
            m_selected = node;
            Q_EMIT chosen(node);
        }
    }
    draw();
}

}  // namespace mitos::views
