// SPDX-License-Identifier: GPL-3.0-or-later
// Training of a policy that makes one set of decisions for a graph and learns from the cost that they lead to: the contextual bandit of the REGAL
// paper (section 3.1).
#pragma once

#include "core/base/result.h"
#include "search/learned/choices.h"
#include "search/learned/graph_network.h"
#include "search/learned/training_file.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search::learned {

/// A graph with decisions, whose cost is asked for.
struct Trial {
    std::size_t graph = 0;
    std::span<const std::uint8_t> choices = {};  ///< empty: the first choice everywhere, which costs are compared with
    std::uint64_t seed = 1;
};

/// The graphs to learn from, and what decisions lead to.
class Task {
public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;

    /// Graphs to train on have the numbers below this one; those behind it are for validation.
    [[nodiscard]] virtual std::size_t trainingCount() const = 0;
    [[nodiscard]] virtual std::size_t graphCount() const = 0;
    [[nodiscard]] virtual GraphView graph(std::size_t number) const = 0;
    /// A cost above 0 for each trial, a function of the trial alone. Fails with Cancelled after a stop.
    [[nodiscard]] virtual Result<std::vector<double>> costs(std::span<const Trial> trials,
                                                            const std::stop_token& stop) = 0;
    /// For each of the graphs, by decision and choice, a number that is the higher, the better a choice agrees with good solutions that the task
    /// knows. Valid until the next call. Fails with Cancelled after a stop. Only training with steps of imitation asks for them.
    [[nodiscard]] virtual Result<std::vector<std::span<const float>>> values(std::span<const std::size_t> graphs,
                                                                             const std::stop_token& stop);
};

/// Defaults are those of trials with REGAL's two tasks (resources/decisions.md, "The recipe of REGAL's policy").
struct TrainingSettings {
    std::uint64_t seed = 1;
    std::uint32_t graphsPerStep = 8;
    std::uint32_t samplesPerGraph = 4;  ///< at least 2: each is compared with the others
    double learningRate = 1e-3;
    double longestGradient = 10.0;
    double entropy = 0.02;             ///< reward for decisions that are not certain
    std::uint32_t validateEvery = 25;  ///< steps
    std::uint32_t validationSeeds = 1;
    std::uint32_t imitationSteps = 0;  ///< the first steps learn from Task::values() and make no trials
    double imitationRate = 2e-3;       ///< learning rate of these
    double imitationEntropy = 0.2;     ///< reward for decisions that are not certain, in these

    friend bool operator==(const TrainingSettings&, const TrainingSettings&) = default;
};

using search::CurvePoint;

/// All that training goes on from.
struct TrainingState : TrainingProgress {
    TrainingSettings settings = {};
    std::vector<double> references = {};   ///< by graph: the cost of the first choice; 0 where it is not known
    std::vector<double> validations = {};  ///< the same for each validation
    double rewardSum = 0.0;                ///< since the last point, as the two below
    double entropySum = 0.0;
    std::uint32_t sumCount = 0;
    std::uint32_t trialCount = 0;  ///< those of them with trials

    friend bool operator==(const TrainingState&, const TrainingState&) = default;
};

/// The state before the first step, with the network's parameters. Fails for settings that make no sense.
[[nodiscard]] Result<TrainingState> startTraining(const TrainingSettings& settings, const GraphNetwork& network);

struct TrainingLimits {
    std::uint32_t steps = 0;             ///< in all, with those before this call; 0: no limit
    std::optional<double> seconds = {};  ///< of this call
    std::stop_token stop = {};
};

/// Trains until a limit is reached: in each step some graphs get several sets of choices by the policy, with one seed; each set's advantage is
/// how much less it cost than the mean of the others, divided by the deviation over the step. Before them come the steps of imitation, which
/// maximize the expected Task::values() of the choices. The policy is validated at
/// the start, every some steps, and at the end unless it was stopped. `report` gets each new point, and may save the state; an error of it ends the
/// training, and so does one of the task or the network. After a stop the state is that after the last whole step. The result is a function of
/// the state but for `seconds`, and the same with and without a pause.
[[nodiscard]] Status train(TrainingState& state, const ChoiceSpace& space, GraphNetwork& network, Task& task,
                           const TrainingLimits& limits,
                           const std::function<Status(const TrainingState&)>& report = {});

/// A state as a file of the kind "training", for which `description`, a JSON object, says the rest.
[[nodiscard]] ModelFile toFile(const TrainingState& state, const std::string& description);
/// Reads it. Fails if the file is of another kind or its parts do not fit together.
[[nodiscard]] Result<TrainingState> stateIn(const ModelFile& file, std::string_view name);

}  // namespace mitos::search::learned
