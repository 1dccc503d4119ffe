// SPDX-License-Identifier: GPL-3.0-or-later
// Runs programs x strategies x budgets x seeds and keeps the results as plain data, from which tables, JSON and reports are made.
#pragma once

#include "core/rewrite/verdict.h"
#include "core/tensor/weights.h"
#include "search/strategy.h"

#include <cstdint>
#include <functional>
#include <memory>
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
    std::vector<std::shared_ptr<const rules::DirectedRule>> rules;
    std::shared_ptr<const cost::CostModel> cost;
    unsigned jobs = 1;
    std::shared_ptr<const eval::TrustedRules> trust = nullptr;      ///< the trust in rules that verdicts report
    double comparisonSeconds = eval::EquivalenceOptions{}.seconds;  ///< time limit for comparing values, per result
};

/// The description with the defaults for the dialect of the plan's first program; the runs share the strategies' parameters.
[[nodiscard]] StrategyInfo fitted(StrategyInfo info, const ComparisonPlan& plan);

/// A point of a run's curve: from here on, `best` is the least cost found.
struct Improvement {
    std::uint64_t evaluations = 0;
    double seconds = 0.0;
    double best = 0.0;
};

/// One search of several, with everything that is shown of it.
struct RunRecord {
    enum class State {
        NotRun,  ///< the comparison was stopped before it began
        Failed,  ///< see error
        Done,
    };
    struct StepLine {
        std::string rule;
        std::string position;  ///< "/0/2"
    };

    std::size_t program = 0;  ///< indices into the comparison's lists
    std::size_t strategy = 0;
    std::size_t budget = 0;
    std::size_t seed = 0;
    State state = State::NotRun;
    std::string error;

    double initialCost = 0.0;
    double bestCost = 0.0;
    StopReason reason = StopReason::Exhausted;
    SearchStatistics statistics;
    std::vector<Improvement> curve;  ///< start first
    std::vector<double> costs;       ///< of the states of the best thread, start first
    std::vector<StepLine> steps;     ///< of the best thread
    rewrite::Verdict verdict;
    std::string best;  ///< the best program as text

    [[nodiscard]] bool done() const { return state == State::Done; }
    /// Enters the result of the search; the verdict is entered separately.
    void enter(const SearchResult& result);
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
    std::vector<RunRecord> runs;  ///< one for every combination, programs outermost, seeds innermost

    [[nodiscard]] const RunRecord& run(std::size_t program, std::size_t strategy, std::size_t budget,
                                       std::size_t seed) const {
        return runs[((program * strategies.size() + strategy) * budgets.size() + budget) * seeds.size() + seed];
    }
};

/// Called once for each run that has ended, one call at a time, on the threads that search.
using RunFinished = std::function<void(const RunRecord& run)>;

/// Runs all combinations. Apart from times, the result does not depend on the number of jobs. A stop ends the running searches and
/// skips the rest; the partial comparison is returned. Fails if parameters do not fit their strategy.
[[nodiscard]] Result<Comparison> compare(const ComparisonPlan& plan, const std::stop_token& stop,
                                         const RunFinished& finished = {});

/// The budget as text for users: "300 evaluations", "2000 evaluations, 10 s".
[[nodiscard]] std::string toString(const Budget& budget);

}  // namespace mitos::search
