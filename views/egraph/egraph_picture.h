// SPDX-License-Identifier: GPL-3.0-or-later
// The part of an e-graph that its picture shows, as boxes with rows.
#pragma once

#include "views/egraph/egraph_index.h"
#include "views/graph/graph.h"

#include <array>
#include <optional>
#include <set>
#include <vector>

namespace mitos::views {

/// The part of the e-graph to draw, and its limits. More boxes at once would be unreadable.
struct EGraphScope {
    static constexpr std::size_t UsualLimit = 250;
    static constexpr std::size_t ExpansionLimit = 60;  ///< most classes that expanding one class adds
    static constexpr std::size_t LargestLimit = 1'000;
    static constexpr std::size_t UsualRows = 8;      ///< shown per box; the others become one line
    static constexpr std::size_t ExpandedRows = 40;  ///< shown per expanded box
    static constexpr int MostHops = 9;

    std::optional<ClassIndex> centre;  ///< draws this class and its surroundings instead of the roots
    int hops = 1;                      ///< edges to follow beyond the extraction
    bool extractionOnly = false;       ///< draws nothing beyond it
    bool hideSubsumed = false;
    bool inlineLeaves = false;  ///< draws literals and variables inside the rows that use them
    std::set<ClassIndex> expanded;
    std::set<ClassIndex> collapsed;  ///< drawn without rows
    std::set<ClassIndex> hidden;
};

/// The chosen node of each class, or EGraphIndex::None.
using NodeChoice = std::vector<ENodeIndex>;

/// The highlighting. Without an extraction, the cheapest tree of each class is in bold.
struct EGraphMarks {
    std::array<std::shared_ptr<const NodeChoice>, 2> extractions;  ///< A and B
    std::uint32_t iteration = 0;  ///< nodes made and classes merged in it count as new; 0: none
};

/// Whether a node is chosen: by A or B, or, if neither is set, by its class's cheapest tree.
struct Chosen {
    bool first = false;
    bool second = false;
    bool any = false;
    QString letters;  ///< "A", "B", "AB"; empty if nothing is compared
};
[[nodiscard]] Chosen chosenBy(const EGraphIndex& index, const EGraphMarks& marks, ENodeIndex node);

struct EGraphPicture {
    GraphDescription graph;
    std::vector<ClassIndex> classes;            ///< class of each box
    std::vector<std::vector<ENodeIndex>> rows;  ///< nodes of each box's rows; the last line "… 5 more" has none
    std::size_t inlined = 0;                    ///< classes drawn only inside rows
    bool cut = false;                           ///< the limits left no room for everything requested

    [[nodiscard]] std::optional<GraphIndex> boxOf(ClassIndex which) const;
};

/// Classes of the cheapest terms of these classes (or of the terms given by a choice), in order of first visit.
[[nodiscard]] std::vector<ClassIndex> extractionCone(const EGraphIndex& index, const std::vector<ClassIndex>& from,
                                                     const NodeChoice* choice);

/// Draws the starts, the extraction, the hops around it nearest first, then the expanded classes. Thread-safe.
[[nodiscard]] EGraphPicture makeEGraphPicture(const EGraphIndex& index, const EGraphScope& scope,
                                              const EGraphMarks& marks);

}  // namespace mitos::views
