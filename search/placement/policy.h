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
    NoLevels,  ///< without the levels: paths are visible only in messages
    Nothing,   ///< a constant
};
/// "all", "no-levels", "nothing", as files and parameters have them.
[[nodiscard]] const char* toString(PolicyView view);
[[nodiscard]] std::optional<PolicyView> policyViewFrom(std::string_view name);

/// The names of the features of nodes and edges, in the order of their columns.
[[nodiscard]] std::vector<std::string> nodeFeatureNames(PolicyView view);
[[nodiscard]] std::vector<std::string> edgeFeatureNames();

/// A graph with features: a node for each operation, an edge for each tensor from its producer to each consumer, and one for each control edge. Durations are
/// divided by their mean, sizes by the mean of the tensors with bytes, levels by the longest path, so that the unit does not matter. Numbers of neighbours and
/// other sums are logarithms, log(1 + x). The random feature, uniform in [0, 1), is a function of the operation's number: it tells equal operations apart.
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
[[nodiscard]] PolicyGraph policyGraph(const schedule::Problem& problem, PolicyView view = PolicyView::All);

/// The distributions that are chosen from: uniform, U-shaped (both shapes 1/2), and those with means of 0.1, 0.3, 0.5, 0.7 and 0.9 and a concentration
/// of 8. The paper quantizes mean and variance, and does not say how.
[[nodiscard]] std::vector<random_keys::Beta> policyBetas();

/// Decisions at a node: for Decode::Paper an affinity to each device and a priority, for Decode::EarliestFinish a priority.
[[nodiscard]] std::uint32_t policyHeads(Decode decode, std::uint32_t devices);

/// The decisions of a policy whose network has outputs near 0 to begin with: then uniform distributions are the most probable.
[[nodiscard]] learned::ChoiceSpace policyChoices(Decode decode, std::uint32_t devices, std::size_t betas);

/// The distributions of all genes for choices at all nodes, policyHeads() each. Priorities of transfers stay uniform, as in the paper.
[[nodiscard]] random_keys::MutantDistributions distributionsOf(const schedule::Problem& problem, Decode decode,
                                                               std::span<const random_keys::Beta> betas,
                                                               std::span<const std::uint8_t> choices);

/// A policy made by hand, to compare learned ones with: priorities around the bottom level divided by the longest path, with a concentration
/// of 8; affinities are uniform.
[[nodiscard]] random_keys::MutantDistributions criticalPathDistributions(const schedule::Problem& problem,
                                                                         Decode decode);

}  // namespace mitos::search::placement
