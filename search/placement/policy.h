// SPDX-License-Identifier: GPL-3.0-or-later
// A policy for the mutants of the genetic algorithm (REGAL paper, section 3): what it sees of a scheduling problem, and what its choices mean.
#pragma once

#include "search/learned/choices.h"
#include "search/learned/graph_network.h"
#include "search/placement/brkga.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

/// What a policy sees. With nothing of a node, it chooses the same for all nodes of all graphs.
enum class PolicyView {
    All,       ///< the features of the operation, and its levels
    Methods,   ///< these, and what simple methods do with the operation (simple_methods.h)
    NoLevels,  ///< without the levels: paths are visible only in messages
    Nothing,   ///< a constant
};
/// "all", "methods", "no-levels", "nothing", as files and parameters have them.
[[nodiscard]] const char* toString(PolicyView view);
[[nodiscard]] std::optional<PolicyView> policyViewFrom(std::string_view name);

/// The names of the features of nodes and edges, in the order of their columns.
[[nodiscard]] std::vector<std::string> nodeFeatureNames(PolicyView view, std::uint32_t devices);
[[nodiscard]] std::vector<std::string> edgeFeatureNames();

/// A graph with features: a node for each operation, an edge for each tensor from its producer to each consumer, and one for each control edge. Durations are
/// divided by their mean, sizes by the mean of the tensors with bytes, levels by the longest path, so that the unit does not matter. Numbers of neighbours and
/// other sums are logarithms, log(1 + x). The random feature, uniform in [0, 1), is a function of the operation's number: it tells equal operations apart.
/// PolicyView::Methods adds for each method the keys that mean its schedule (affinities and priority), and for the whole graph how good it is
/// (the best of them divided by its own objective; 0 where it has no schedule), and numbers on the graph's size and shape.
/// The paper's appendix on features is not at hand; these are our choice.
struct PolicyGraph {
    std::uint32_t nodes = 0;
    std::vector<float> nodeFeatures = {};
    std::vector<float> edgeFeatures = {};
    std::vector<std::uint32_t> from = {};
    std::vector<std::uint32_t> to = {};

    [[nodiscard]] learned::GraphView view() const { return {nodes, nodeFeatures, edgeFeatures, from, to}; }
    friend bool operator==(const PolicyGraph&, const PolicyGraph&) = default;
};
[[nodiscard]] PolicyGraph policyGraph(const schedule::Problem& problem, Objective objective,
                                      PolicyView view = PolicyView::All);

/// The distributions that are chosen from: uniform, and those with means of 0.05, 0.15, ... 0.95 and concentrations of 3 and 8. The paper quantizes mean
/// and variance, and does not say how.
[[nodiscard]] std::vector<random_keys::Beta> policyBetas();

/// Decisions at a node: for Decode::Paper an affinity to each device and a priority, for Decode::EarliestFinish a priority.
[[nodiscard]] std::uint32_t policyHeads(Decode decode, std::uint32_t devices);

/// The decisions of a policy whose network has outputs near 0 to begin with: then uniform distributions are the most probable.
[[nodiscard]] learned::ChoiceSpace policyChoices(Decode decode, std::uint32_t devices, std::size_t betas);

/// The distributions of all genes for choices at all nodes, policyHeads() each. Priorities of transfers stay uniform, as in the paper.
[[nodiscard]] random_keys::MutantDistributions distributionsOf(const schedule::Problem& problem, Decode decode,
                                                               std::span<const random_keys::Beta> betas,
                                                               std::span<const std::uint8_t> choices);

/// How well each choice agrees with schedules that are known to be good, by decision and choice: the mean over the schedules of the logarithm of the
/// choice's density at the key that means the schedule, where a twentieth of each density is uniform, so that no key is impossible. Keys
/// of affinities count as 0.85 and 0.15. Equal devices have no names: those of each schedule are renamed so that they agree best with those of
/// the partition (simple_methods.h), which is what a policy can see.
[[nodiscard]] std::vector<float> valuesOfChoices(const schedule::Problem& problem, Objective objective, Decode decode,
                                                 std::span<const random_keys::Beta> betas,
                                                 std::span<const schedule::Schedule> schedules);

/// A policy made by hand, to compare learned ones with: priorities around the bottom level divided by the longest path, with a concentration
/// of 8; affinities are uniform.
[[nodiscard]] random_keys::MutantDistributions criticalPathDistributions(const schedule::Problem& problem,
                                                                         Decode decode);

}  // namespace mitos::search::placement
