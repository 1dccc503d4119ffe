// SPDX-License-Identifier: GPL-3.0-or-later
// Regions in every form of the program: frames in the graph, underlines in the texts.
#include "views/document/regions.h"
#include "views/program/code_view.h"
#include "views/program/internal/program_graph.h"
#include "views/program/program_view.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

namespace mitos::views {

void ProgramView::follow(Regions& regions) {
    m_regions = &regions;
    connect(&regions, &Regions::changed, this, &ProgramView::showRegions);
    connect(&regions, &Regions::chosenChanged, this, &ProgramView::showChosenRegion);
    connect(m_graph, &ProgramGraph::regionChosen, &regions,
            [&regions](int region) { regions.choose(static_cast<std::size_t>(region)); });
    showRegions();
}

void ProgramView::showRegions() {
    m_regionNodes.clear();
    m_regionNames.clear();
    const std::shared_ptr<const FoundRegions> found = m_regions != nullptr ? m_regions->found() : nullptr;
    const bool fits = found && m_complete && m_content && m_content->text.isGraph() &&
                      m_content->text.nodes().front().term == found->program.root;
    std::vector<PictureRegion> framed;
    if (fits) {
        absl::flat_hash_map<ir::TermId, NodeIndex> places;
        for (const ProgramText::Node& node : m_content->text.nodes())
            places.emplace(node.term, static_cast<NodeIndex>(places.size()));
        for (const ShownRegion& region : found->regions) {
            std::vector<NodeIndex>& nodes = m_regionNodes.emplace_back();
            m_regionNames << region.name;
            for (const ir::TermId term : region.region.nodes) {
                // An element of a tuple is no box of its own where it is not shown.
                if (const auto place = places.find(term); place != places.end()) nodes.push_back(place->second);
            }
            framed.push_back({region.name, nodes});
        }
    }
    showRegionRanges();
    m_graph->setRegions(std::move(framed));
    showChosenRegion();
}

void ProgramView::showRegionRanges() {
    std::vector<NodeIndex> all;
    for (const std::vector<NodeIndex>& nodes : m_regionNodes) all.insert(all.end(), nodes.begin(), nodes.end());
    m_code->setMarks(CodeView::Mark::Region, rangesOf(all));
}

void ProgramView::showChosenRegion() {
    const std::optional<std::size_t> chosen = m_regions != nullptr ? m_regions->chosen() : std::nullopt;
    m_graph->setChosenRegion(chosen && *chosen < m_regionNodes.size() ? chosen : std::nullopt);
    showSelection();
}

std::vector<NodeIndex> ProgramView::chosenNodes() const {
    const std::optional<std::size_t> chosen = m_regions != nullptr ? m_regions->chosen() : std::nullopt;
    return chosen && *chosen < m_regionNodes.size() ? m_regionNodes[*chosen] : std::vector<NodeIndex>();
}

QString ProgramView::regionText(NodeIndex node) const {
    for (std::size_t region = 0; region < m_regionNodes.size(); ++region) {
        if (std::ranges::find(m_regionNodes[region], node) != m_regionNodes[region].end())
            return tr("in %1").arg(m_regionNames[static_cast<qsizetype>(region)]);
    }
    return {};
}

/// Sorted; of nested ranges the outer one, as an element of an output is inside the line that uses it.
std::vector<TextRange> ProgramView::rangesOf(const std::vector<NodeIndex>& nodes) const {
    std::vector<TextRange> ranges;
    for (const NodeIndex node : nodes) ranges.push_back(rangeOf(node));
    std::ranges::sort(ranges, {}, &TextRange::begin);
    qsizetype end = -1;
    std::erase_if(
        ranges, [&end](const TextRange& range) { return range.begin < std::exchange(end, std::max(end, range.end)); });
    return ranges;
}

}  // namespace mitos::views
