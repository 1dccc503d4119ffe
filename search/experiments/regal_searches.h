// SPDX-License-Identifier: GPL-3.0-or-later
// The searches of the REGAL experiment, and their records.
#pragma once

#include "core/random_keys/beta.h"
#include "search/experiments/regal.h"
#include "search/placement/strategies.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search::experiments {

/// One search by a method. The genetic algorithm has the paper's keys and no heuristics to start from, but for RegalMethod::WarmStart (which has these) and Usual
/// (the strategy's own defaults). `mutants` are those that a policy chose. Parameters of the request do not count. Fails as the strategies do.
[[nodiscard]] Result<placement::Placement> searchedBy(RegalMethod method, const schedule::Problem& problem,
                                                      placement::Request request,
                                                      random_keys::MutantDistributions mutants = {});

/// The mean information of a choice, in nats: the entropy of the shares that values have.
[[nodiscard]] double entropyOf(const std::vector<std::uint32_t>& values);
/// The choices of a policy for a graph: the entropies of the actions for devices (all affinities of an operation are one) and for priorities over its operations.
struct ChosenActions {
    double devices = 0.0;
    double priorities = 0.0;
};
/// For keys of the paper.
[[nodiscard]] ChosenActions actionsOf(const random_keys::MutantDistributions& mutants, std::uint32_t operations);

/// One search with one seed.
struct RegalSearch {
    double runtime = 0.0;
    std::uint64_t peak = 0;
    std::uint64_t overflow = 0;  ///< 0: it fits into memory
    std::uint64_t evaluations = 0;
    double seconds = 0.0;  ///< of the processor

    [[nodiscard]] bool isFeasible() const { return overflow == 0; }
    friend bool operator==(const RegalSearch&, const RegalSearch&) = default;
};
/// All searches of a method for one graph.
struct RegalOutcome {
    std::string graph = {};
    std::uint32_t operations = 0;
    double inferenceSeconds = 0.0;              ///< of the network
    std::optional<ChosenActions> actions = {};  ///< of methods with a model
    bool isProven = false;                      ///< that no schedule is better
    std::vector<RegalSearch> searches = {};     ///< by seed; none for a graph that the method is not meant for
};
/// The record of a run.
struct RegalRecord {
    std::string run;
    std::string model = {};                   ///< digest; empty without one
    std::vector<RegalOutcome> outcomes = {};  ///< by graph
};
[[nodiscard]] std::string writeRegalRecord(const RegalRecord& record);
/// Fails if the text is no record.
[[nodiscard]] Result<RegalRecord> readRegalRecord(const std::string& text);

class RegalGraphs;
struct RegalModel;

/// Makes a run. `model` is that of the method's role; null if it has none. Fails if LibTorch fails, as the searches do, and with Cancelled after a stop.
[[nodiscard]] Result<RegalRecord> makeRegalRun(const RegalPlan& plan, const RegalGraphs& graphs, const RegalRun& run,
                                               const RegalModel* model, const std::stop_token& stop);

}  // namespace mitos::search::experiments
