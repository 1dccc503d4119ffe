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

/// What is drawn. More boxes than this at once help nobody.
struct EGraphScope {
    static constexpr std::size_t UsualLimit = 250;
    static constexpr std::size_t ExpansionLimit = 60;  ///< what expanding one class adds at most
    static constexpr std::size_t LargestLimit = 1'000;
    static constexpr std::size_t UsualRows = 8;      ///< of a box; the others are one line
    static constexpr std::size_t ExpandedRows = 40;  ///< of a box that was expanded
    static constexpr int MostHops = 9;

    std::optional<ClassIndex> centre;  ///< this class and what is around it, instead of the roots
    int hops = 1;                      ///< beyond the extraction
    bool extractionOnly = false;       ///< nothing beyond it
    bool hideSubsumed = false;
    bool inlineLeaves = false;  ///< literals and variables stand in the rows that use them
    std::set<ClassIndex> expanded;
    std::set<ClassIndex> collapsed;  ///< drawn without rows
    std::set<ClassIndex> hidden;
};

/// By class: the chosen node or EGraphIndex::None.
using NodeChoice = std::vector<ENodeIndex>;

/// What stands out. Without an extraction of its own the picture has each class's cheapest tree in bold.
struct EGraphMarks {
    std::array<std::shared_ptr<const NodeChoice>, 2> extractions;  ///< A and B
    std::uint32_t iteration = 0;  ///< nodes made and classes merged in it are new; 0: none are
};

/// Whether a node is chosen by what is marked: by A or B, or, if nothing is compared, by its class's cheapest tree.
struct Chosen {
    bool first = false;
    bool second = false;
    bool any = false;
    QString letters;  ///< "A", "B", "AB"; empty where nothing is compared
};
[[nodiscard]] Chosen chosenBy(const EGraphIndex& index, const EGraphMarks& marks, ENodeIndex node);

struct EGraphPicture {
    GraphDescription graph;
    std::vector<ClassIndex> classes;            ///< of the boxes
    std::vector<std::vector<ENodeIndex>> rows;  ///< of each box; a last line "… 5 more" has none
    std::size_t inlined = 0;                    ///< classes that stand in rows only
    bool cut = false;                           ///< there was no room for all that was asked for

    [[nodiscard]] std::optional<GraphIndex> boxOf(ClassIndex which) const;
};

/// Classes of the cheapest terms of these classes (under a choice, if there is one), in the order they are met.
[[nodiscard]] std::vector<ClassIndex> extractionCone(const EGraphIndex& index, const std::vector<ClassIndex>& from,
                                                     const NodeChoice* choice);

/// Starts, extraction, hops around it nearest first, then what was expanded. For any thread.
[[nodiscard]] EGraphPicture makeEGraphPicture(const EGraphIndex& index, const EGraphScope& scope,
                                              const EGraphMarks& marks);

}  // namespace mitos::views
