// SPDX-License-Identifier: GPL-3.0-or-later
// Directed graph partitioning (PyPM paper, section 4.2 and Figure 14): parts of a program that a pattern matches, each of which another tool
// can compile or optimize by itself.
#pragma once

#include "core/base/result.h"
#include "core/ir/function.h"
#include "core/ir/term_bank.h"
#include "core/rules/directed_rule.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::partition {

/// The operators of a graph that one match of a pattern covers (rules::coveredNodes), with the elements of their tuples.
/// Weights and numbers are no operators: a region that uses some has them itself.
struct Region {
    ir::TermId root;                 ///< where the pattern matches
    std::vector<ir::TermId> nodes;   ///< its operators, operands first
    std::vector<ir::TermId> inputs;  ///< values that it uses and does not compute, in the order of their first uses
    std::vector<ir::TermId>
        outputs;  ///< nodes that are used outside or are results of the program, in the order of `nodes`
};

/// A law of partitions that a match breaks.
enum class Law : std::uint8_t {
    Disjoint,  ///< an operator belongs to one region only
    Acyclic,  ///< with each region as one node, the program has no cycle: nothing leads out of a region and back into it
    Arrays,   ///< no input and no output is a tuple, which other tools cannot take
};
/// The law in words: "an operator belongs to one region only".
[[nodiscard]] std::string inWords(Law law);

/// A match that is no region, because a law forbids it.
struct RefusedMatch {
    ir::TermId root;
    std::size_t nodes = 0;  ///< operators that it covers
    Law law = Law::Disjoint;
    std::optional<std::size_t>
        region;  ///< the region, by its index, that has an operator already, or that the cycle leads through
    ir::TermId
        node;  ///< the operator in question, the node outside that the cycle leads through, or the tuple; invalid if it leads through a region only
    std::optional<std::size_t> instead;  ///< the region that a smaller match with the same root became
};

struct Partition {
    std::vector<Region> regions;
    std::vector<RefusedMatch> refused;   ///< one for each root, in their order
    std::vector<ir::TermId> unfinished;  ///< roots at which not all matches were looked at (Options)
    bool isStopped = false;              ///< a stop ended the search for regions
};

struct Options {
    std::size_t leastNodes = 1;        ///< operators that a region has at least
    std::size_t mostMatches = 64;      ///< matches that are looked at for each root
    std::uint64_t mostSteps = 50'000;  ///< steps of the matcher for each root
    std::stop_token stop = {};
};

/// Divides a graph by a pattern. Roots come first: a node is looked at after all nodes that use it, in the reverse order of ir::SharedNodes, so that
/// a chain is matched from its end. Of the matches at a root the one that covers most operators becomes a region, the first of them
/// in the order of the matching machine if there are several, and a smaller one if a law forbids it. What a region has is not looked at again:
/// regions are maximal, and the first in the order wins. Deterministic. Fails for programs that are trees, whose binders a region
/// would have to leave or to capture, and for patterns with several roots.
[[nodiscard]] Result<Partition> divide(ir::TermBank& bank, const ir::Program& program,
                                       const rules::DirectedRule& pattern, const Options& options = {});

}  // namespace mitos::partition
