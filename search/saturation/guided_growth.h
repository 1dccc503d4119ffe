// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which rules are applied to an e-graph, chosen by Monte Carlo tree search: e-graph MCTS paper, section 4.1, Algorithm 1.
#pragma once

#include "core/egraph/runner.h"
#include "search/guide_tree.h"
#include "search/saturation/simulator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::search {

struct GuideSettings {
    std::uint32_t budget = 128;  ///< N: iterations of the tree search before each application
    std::uint32_t depth = 10;    ///< the most applications of a simulation
    /// c of equation 2, or of PUCT. The paper does not state it. Rewards are parts of the cost at the root, so they lie between 0 and 1.
    double exploration = 1.414;
    double stop = 0.5;  ///< probability that the descent stops at a node to expand it
    /// Whether the root is expanded first until all its children exist. The paper's artifact does so; the paper itself stops at each node
    /// with the same probability.
    bool expandsRootFirst = false;
    /// What a reduction of cost counts for each application before it. 0.99 in the paper's artifact, 1 in equation 3.
    double discount = 1.0;
    bool reusesTree = false;           ///< whether the subtree of the chosen rule is kept for the next application
    std::string extraction = "paper";  ///< the method that prices e-graphs in simulations (extract::methods())
    extract::Priced priced = extract::Priced::Program;
    /// Whether the cheapest program of all simulations counts, too, if the e-graph that grows does not contain one as cheap. The paper
    /// discards what simulations meet.
    bool keepsBest = true;
    std::uint64_t seed = 1;
    std::uint32_t threads = 0;  ///< that make simulations; 0: one for each processor. The choices do not depend on it
};

/// The parts of the run that a guide uses, on the run's thread.
struct GuideHooks {
    /// Counts so many e-graphs as priced, or as many as the budget allows, and returns their number. If it is less, the run ends, and the
    /// rule that looks best so far is chosen.
    std::function<std::uint64_t(std::uint64_t graphs)> count;
    std::function<bool()> mayGoOn;
    /// A simulation met a program of that cost in the e-graph that the rules lead to from the run's.
    std::function<void(double cost, const std::vector<std::uint32_t>& rules)> found;
    std::function<void(GuideTree tree)> chosen;  ///< a rule was chosen; not called if no rule changes the graph
};

/// A scheduler whose iterations apply one rule each. An e-graph is a node of the tree, a rule an edge, and an iteration of the search
/// selects a node by UCB1, applies a rule that the node has not tried, and simulates from there by random rules. The rule of the root's
/// child with the highest average reward is applied.
///
/// Where the paper leaves a choice: rules are drawn without repetition, and one that does not match, or changes nothing, costs neither an
/// iteration nor a step of a simulation. The reward sums the reductions of cost from the root on, those of the path in the tree included
/// (equation 3), because every node of the path receives the same reward; with a discount a node receives those from itself on. E-graphs
/// of nodes are not stored but made again from the root's, by the rules of the path.
///
/// With ranks (SimulatorSource::ranks) the rules of a node are tried in their order, and nodes are selected by PUCT, where a rule's rank is its
/// prior probability.
///
/// The iterations follow one another as in Algorithm 1, whatever the number of threads: random choices at a node depend on the seed and on
/// its rules only, so a trial can be made before the iteration that needs it. Threads make those that the next iterations will probably
/// need; one that turns out not to be needed is kept for later.
[[nodiscard]] std::unique_ptr<egraph::Scheduler> makeGuide(const SimulatorSource& source, const GuideSettings& settings,
                                                           GuideHooks hooks);

}  // namespace mitos::search
