// SPDX-License-Identifier: GPL-3.0-or-later
// Runs programs x strategies x budgets x seeds and keeps the results as plain data, from which tables, JSON and reports are made.
#pragma once

#include "core/tensor/weights.h"
#include "search/judged_run.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search {

/// The input of a comparison.
struct ComparisonPlan {
    struct Subject {
        std::string name;  ///< shown in tables; unique among the subjects
        std::shared_ptr<const ir::TermBank> bank;
        ir::Program program;
        std::shared_ptr<const tensor::Weights> weights = nullptr;  ///< of a model; see eval::EquivalenceOptions
    };
    struct Contestant {
        std::shared_ptr<const Strategy> strategy;
        ParameterValues parameters;
    };
    std::vector<Subject> programs;
    std::vector<Contestant> strategies;
    std::vector<Budget> budgets;  ///< each is a run of its own, as a strategy may spend a larger one differently
    std::vector<std::uint64_t> seeds;
    eval::TrustedRules rules;   ///< those that searches apply, and the others, which verdicts report
    std::string ruleSets = {};  ///< names of the rule sets
    std::shared_ptr<const cost::CostModel> cost;
    unsigned jobs = 1;
    double comparisonSeconds = eval::EquivalenceOptions{}.seconds;  ///< time limit for comparing values, per result
    std::stop_token abandoned = {};                                 ///< see Judging::abandoned
    /// The record of the runs of a program, an index into `programs`; null, or a function that is null: none.
    std::function<BeginLog(std::size_t program)> record = {};
};

/// The description with the defaults for the dialect of the plan's first program; the runs share the strategies' parameters.
[[nodiscard]] StrategyInfo fitted(StrategyInfo info, const ComparisonPlan& plan);

/// A run of a comparison, with the path that it found.
struct ComparedRun {
    std::size_t program = 0;  ///< indices into the comparison's lists
    std::size_t strategy = 0;
    std::size_t budget = 0;
    std::size_t seed = 0;
    Run run = {};                         ///< without events of the kind Progress
    std::vector<double> costs = {};       ///< of the states of its thread, start first
    std::vector<std::string> steps = {};  ///< of its thread: "distribute~@/0/2"
    std::string best = {};                ///< the best program, or the run's outcome, as text
    std::optional<RefusedResult> refused = {};
    std::optional<Error> recordError = {};

    /// Whether the run has a result, with its verdict.
    [[nodiscard]] bool done() const { return run.state == RunState::Finished; }
};

struct Comparison {
    struct Subject {
        std::string name;
        std::string text;  ///< in the program's dialect
    };
    struct Contestant {
        std::string name;
        std::string title;
        ParameterValues parameters;  ///< all parameters, including defaults
    };
    std::vector<Subject> programs;
    std::vector<Contestant> strategies;
    std::vector<Budget> budgets;
    std::vector<std::uint64_t> seeds;
    std::vector<ComparedRun> runs;  ///< one for every combination, programs outermost, seeds innermost

    [[nodiscard]] const ComparedRun& run(std::size_t program, std::size_t strategy, std::size_t budget,
                                         std::size_t seed) const {
        return runs[((program * strategies.size() + strategy) * budgets.size() + budget) * seeds.size() + seed];
    }
};

/// Called once for each run that has ended, one call at a time, on the threads that search.
using RunFinished = std::function<void(const ComparedRun& run)>;

/// Runs all combinations. Apart from times, the result does not depend on the number of jobs. A stop ends the running searches and
/// skips the rest; the partial comparison is returned. Fails if parameters do not fit their strategy.
[[nodiscard]] Result<Comparison> compare(const ComparisonPlan& plan, const std::stop_token& stop,
                                         const RunFinished& finished = {});

/// The budget as text for users: "300 evaluations", "2000 evaluations, 10 s".
[[nodiscard]] std::string toString(const Budget& budget);

}  // namespace mitos::search
