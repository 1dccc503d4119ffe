// SPDX-License-Identifier: GPL-3.0-or-later
// Programs x strategies x budgets x seeds, searched and kept as plain data: what tables, JSON and reports are made from.
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

/// What is to be compared.
struct ComparisonPlan {
    struct Subject {
        std::string name;  ///< unique among the subjects; how tables call it
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
    std::vector<Budget> budgets;  ///< each is a run of its own: not every strategy spends a larger one alike at first
    std::vector<std::uint64_t> seeds;
    std::vector<std::shared_ptr<const rules::DirectedRule>> rules;
    std::shared_ptr<const cost::CostModel> cost;
    unsigned jobs = 1;
    std::vector<std::shared_ptr<const rules::MultiRule>> multis = {};  ///< rules with several roots
    std::shared_ptr<const eval::TrustedRules> trust = nullptr;         ///< what verdicts say about the rules
    double comparisonSeconds = eval::EquivalenceOptions{}.seconds;     ///< for the values of each result
};

/// What the programs are, judged by the first: the strategies' parameters are those of all runs.
[[nodiscard]] ir::Sharing sharingOf(const ComparisonPlan& plan);

/// The best so far from here on.
struct Improvement {
    std::uint64_t evaluations = 0;
    double seconds = 0.0;
    double best = 0.0;
};

/// One search: everything that is shown of it.
struct RunRecord {
    enum class State {
        NotRun,  ///< stopped before it began
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
    std::vector<Improvement> curve;  ///< the start first
    std::vector<double> costs;       ///< of the states of the best thread, start first
    std::vector<StepLine> steps;     ///< of the best thread
    rewrite::Verdict verdict;
    std::string best;  ///< the best program in ks

    [[nodiscard]] bool done() const { return state == State::Done; }
};

struct Comparison {
    struct Subject {
        std::string name;
        std::string text;  ///< in ks
    };
    struct Contestant {
        std::string name;
        std::string title;
        ParameterValues parameters;  ///< all of them, defaults too
    };
    std::vector<Subject> programs;
    std::vector<Contestant> strategies;
    std::vector<Budget> budgets;
    std::vector<std::uint64_t> seeds;
    std::vector<RunRecord> runs;  ///< of every combination, programs outermost, seeds innermost

    [[nodiscard]] const RunRecord& run(std::size_t program, std::size_t strategy, std::size_t budget,
                                       std::size_t seed) const {
        return runs[((program * strategies.size() + strategy) * budgets.size() + budget) * seeds.size() + seed];
    }
};

/// Called once for each run that is over, one call at a time, on the threads that search.
using RunFinished = std::function<void(const RunRecord& run)>;

/// Runs it all. Apart from times the result does not depend on the number of jobs. A stop ends the runs that are going on
/// and leaves out the rest; what there is comes back. Errors: parameters that do not fit their strategy.
[[nodiscard]] Result<Comparison> compare(const ComparisonPlan& plan, const std::stop_token& stop,
                                         const RunFinished& finished = {});

/// "300 evaluations", "2000 evaluations, 10 s"; for people.
[[nodiscard]] std::string toString(const Budget& budget);

}  // namespace mitos::search
