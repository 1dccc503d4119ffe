// SPDX-License-Identifier: GPL-3.0-or-later
// An e-graph as plain data: what a file holds, what a picture is drawn from, what extraction is given.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mitos::egraph {

/// Read from a file or taken from an EGraph after an iteration. Nodes keep their order; classes are numbered by the first
/// appearance of one of their nodes, so none is empty. Nothing promises congruence: a file may hold two equal nodes in
/// different classes, and equal nodes may differ in cost.
struct Snapshot {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    struct Node {
        std::string id;  ///< of the file; unique
        std::string op;  ///< operator, or the text of a literal or variable
        std::uint32_t eclass = 0;
        std::uint32_t firstChild = 0;  ///< into `children`
        std::uint32_t childCount = 0;
        double cost = 1.0;            ///< of the node itself
        bool subsumed = false;        ///< must not be chosen any more
        std::uint32_t iteration = 0;  ///< in which it was made; 0: before the first
        std::uint32_t rule = None;    ///< that made it, into `rules`; None: a start term, or not known
    };
    struct Class {
        std::string id;                                         ///< of the file; unique among classes
        std::string type;                                       ///< its sort; empty: not said
        std::vector<std::pair<std::string, std::string>> data;  ///< what else is said about it
        std::uint32_t iteration = 0;                            ///< in which its last merge was; 0: none
    };

    std::vector<Node> nodes;
    /// Arguments of nodes, as indices of nodes: any node of the argument's class may stand for it.
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

}  // namespace mitos::egraph
