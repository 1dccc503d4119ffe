// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which rules are applied to an e-graph, chosen by Monte Carlo tree search: e-graph MCTS paper, section 4.1, Algorithm 1.
#pragma once

#include "core/egraph/runner.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace mitos::search {

struct GuideSettings {
    std::uint32_t budget = 128;  ///< N: iterations of the tree search before each application
    std::uint32_t depth = 10;    ///< the most applications of a simulation
    /// c of equation 2. The paper does not state it. Rewards are parts of the cost at the root, so they lie between 0 and 1.
    double exploration = 1.414;
    double stop = 0.5;                 ///< probability that the descent stops at a node to expand it
    bool reusesTree = false;           ///< whether the subtree of the chosen rule is kept for the next application
    std::string extraction = "paper";  ///< the method that prices e-graphs in simulations (extract::methods())
    /// Whether the cheapest program of all simulations counts, too, if the e-graph that grows does not contain one as cheap. The paper
    /// discards what simulations meet.
    bool keepsBest = true;
    std::uint64_t seed = 1;
};

/// The parts of the run that a guide uses.
struct GuideHooks {
    /// The cost of the cheapest programs of a clean graph, which is a copy of the run's; may be infinite.
    std::function<double(egraph::EGraph&)> cost;
    std::function<std::optional<double>()> secondsLeft;  ///< until the growth must end, if it has a time limit
    std::function<bool()> mayGoOn;  ///< false: the run ends, and the rule that looks best so far is chosen
    std::stop_token stop;
};

/// A scheduler whose iterations apply one rule each. An e-graph is a node of the tree, a rule an edge, and an iteration of the search
/// selects a node by UCB1, applies a rule that the node has not tried, and simulates from there by random rules. The rule of the root's
/// child with the highest average reward is applied.
///
/// Where the paper leaves a choice: rules are drawn without repetition, and one that does not match, or changes nothing, costs neither an
/// iteration nor a step of a simulation. The reward sums the reductions of cost from the root on, those of the path in the tree included
/// (equation 3), because every node of the path receives the same reward. E-graphs of nodes are not stored but made again from the
/// root's, by the rules of the path.
[[nodiscard]] std::unique_ptr<egraph::Scheduler> makeGuide(const egraph::RunInProgress& run,
                                                           const GuideSettings& settings, GuideHooks hooks);

}  // namespace mitos::search
