// SPDX-License-Identifier: GPL-3.0-or-later
// An e-graph as plain data: the contents of a file, and the input of drawing and extraction.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mitos::egraph {

/// Read from a file or taken from an EGraph after an iteration. Nodes keep their order; classes are numbered by the
/// first appearance of one of their nodes, so none is empty. Congruence is not guaranteed: a file may contain two equal
/// nodes in different classes, and equal nodes may differ in cost.
struct Snapshot {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    struct Node {
        std::string id;  ///< id in the file; unique
        std::string op;  ///< operator, or the text of a literal or variable
        std::uint32_t eclass = 0;
        std::uint32_t firstChild = 0;  ///< into `children`
        std::uint32_t childCount = 0;
        double cost = 1.0;            ///< of the node itself
        bool subsumed = false;        ///< extraction must not choose it
        std::uint32_t iteration = 0;  ///< the iteration that made it; 0: before the first
        std::uint32_t rule = None;    ///< the rule that made it, in `rules`; None: a start term, or unknown
    };
    struct Class {
        std::string id;                                         ///< id in the file; unique among classes
        std::string type;                                       ///< its sort; empty if not given
        std::vector<std::pair<std::string, std::string>> data;  ///< further data about it, by key
        std::uint32_t iteration = 0;                            ///< the iteration of its last merge; 0 if none
    };

    std::vector<Node> nodes;
    /// Arguments of nodes, as indices of nodes: a node represents its class, and any node of the class may be used.
    std::vector<std::uint32_t> children;
    std::vector<Class> classes;
    std::vector<std::uint32_t> roots;  ///< classes to be extracted, in order
    std::vector<std::string> rules;    ///< names of rules that nodes refer to
    /// Further keys of the file, each with its value as JSON text.
    std::vector<std::pair<std::string, std::string>> otherKeys;

    [[nodiscard]] std::uint32_t childClass(const Node& node, std::uint32_t i) const {
        return nodes[children[node.firstChild + i]].eclass;
    }
};

/// The classes to begin with when only a part is shown: the roots; if there are none, the classes that no node uses; if each is used,
/// the class with the most nodes, the first of them. Empty only if there are no classes.
[[nodiscard]] std::vector<std::uint32_t> startClasses(const Snapshot& snapshot);

/// By class: the node that an extraction chooses, as its number in the snapshot; Snapshot::None where none is needed.
using NodeChoice = std::vector<std::uint32_t>;

}  // namespace mitos::egraph
