// SPDX-License-Identifier: GPL-3.0-or-later
// See single_run.h.
#include "search/experiments/single_run.h"

#include "core/base/hash.h"
#include "core/dialects/dialects.h"
#include "core/egraph/take_snapshot.h"
#include "core/extract/recorded.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace mitos::search::experiments {

namespace {

constexpr double MostExtractionSeconds = 60.0;
constexpr double ExtractionShare = 0.2;  // of the time of a run

class Stopwatch {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begun).count();
    }

private:
    std::chrono::steady_clock::time_point m_begun = std::chrono::steady_clock::now();
};

/// Prices the clean e-graph, and takes the program that the method chooses.
class Extractor {
public:
    Extractor(SaturationRun& run, const extract::Options& options, std::stop_token stop)
        : m_run(run),
          m_options(options),
          m_stop(std::move(stop)) {
        const ir::Program& start = run.starts().front();
        m_pricing = extract::makePricing(run.graph(), run.costs(), run.bank()->function(start.function).sharing);
        m_pricing->update([] { return true; });
    }

    [[nodiscard]] Result<ir::TermId> term(std::string_view method) {
        return extract::extractTerm(m_run.graph(), *m_pricing, m_run.root(), method, m_options, m_stop);
    }
    /// Infinite if the method finds no program.
    [[nodiscard]] double cost(std::string_view method) {
        const Result<ir::TermId> found = term(method);
        return found && found->isValid() ? m_run.costs().costOrInfinity(*found) : HUGE_VAL;
    }
    [[nodiscard]] egraph::Snapshot snapshot() {
        const egraph::ENodeId root = m_run.root();
        return egraph::takeSnapshot(m_run.graph(), {&root, 1},
                                    [this](egraph::ENodeId node) { return m_pricing->price(node); });
    }

private:
    SaturationRun& m_run;
    extract::Options m_options;
    std::stop_token m_stop;
    std::unique_ptr<extract::Pricing> m_pricing;
};

/// Records every e-graph with its cost, and how long that took.
class Recorder final : public SaturationRun::Follower {
public:
    Recorder(std::string_view method, std::uint64_t seed, std::stop_token stop)
        : m_method(method),
          m_seed(seed),
          m_stop(std::move(stop)) {}

    void onStart(SaturationRun& run) override {
        const Stopwatch watch;
        Extractor extractor(run, {.seed = m_seed}, m_stop);
        first = extractor.snapshot();
        startCost = known(extractor.cost(m_method));
        seconds += watch.seconds();
    }
    void onRestart(SaturationRun& /*run*/) override { iterations.clear(); }
    void onIteration(SaturationRun& run) override {
        const Stopwatch watch;
        const egraph::SaturationReport& report = run.report();
        const egraph::IterationReport& last = report.iterations.back();
        RecordedIteration iteration{.rules = {}, .nodes = last.nodes, .classes = last.classes, .cost = {}};
        for (std::size_t i = 0; i < last.rules.size(); ++i) {
            const egraph::RuleReport& rule = last.rules[i];
            if (rule.matches == 0) continue;
            iteration.rules.push_back({report.rules[i], rule.matches, rule.applied, rule.nodes, rule.refused});
        }
        iteration.cost = known(Extractor(run, {.seed = m_seed}, m_stop).cost(m_method));
        iterations.push_back(std::move(iteration));
        seconds += watch.seconds();
    }

    egraph::Snapshot first;
    std::optional<double> startCost;
    std::vector<RecordedIteration> iterations;
    double seconds = 0.0;  ///< spent on recording

private:
    [[nodiscard]] static std::optional<double> known(double cost) {
        return std::isfinite(cost) ? std::optional(cost) : std::nullopt;
    }

    std::string m_method;
    std::uint64_t m_seed;
    std::stop_token m_stop;
};

/// An e-graph that was grown.
struct Growth {
    std::unique_ptr<SaturationRun> run;
    Recorder recorder;
    StopReason reason = StopReason::Stopped;
    double seconds = 0.0;  ///< without recording
};

/// The given values for those parameters that the strategy has; it may be one without tree search.
Result<ParameterValues> parametersFor(const Approach& approach, const ir::Dialect& dialect, ParameterValues given) {
    MITOS_TRY(const auto strategy, findStrategy(approach.strategy));
    const StrategyInfo info = fitted(strategy->info(), dialect);
    std::erase_if(given, [&info](const auto& value) {
        return std::ranges::find(info.parameters, value.first, &ParameterInfo::name) == info.parameters.end();
    });
    return resolveParameters(info, given);
}

/// Grows the e-graph of a run.
class Grower {
public:
    Grower(const ExperimentPlan& plan, const RunKey& key, const EGraphRules& rules, std::stop_token stop)
        : m_plan(plan),
          m_key(key),
          m_subject(plan.programs[key.program]),
          m_approach(approaches()[key.approach]),
          m_rules(rules),
          m_stop(std::move(stop)) {}

    [[nodiscard]] Result<Growth> grow(std::uint32_t multiIterations) {
        const ir::Dialect& dialect = m_subject.bank->dialect(m_subject.program.function);
        ParameterValues given{{"nodes", static_cast<std::int64_t>(m_plan.nodes)},
                              {"search_budget", static_cast<std::int64_t>(m_key.budget)},
                              {"simulation_extraction", std::string(m_approach.rewards)},
                              {"keep_best", m_approach.keepsBest},
                              {"tensat_first", false},
                              {"k_multi", static_cast<std::int64_t>(multiIterations)}};
        MITOS_TRY(const ParameterValues values, parametersFor(m_approach, dialect, std::move(given)));
        SaturationPlan plan = planOf(values, dialect);
        plan.budget = {.seconds = m_plan.secondsPerRun, .memoryBytes = DefaultMemoryBytes};
        plan.extractionShare = ExtractionShare;
        plan.method = "tree";  // cheap; the approach's method extracts here, as its program counts if it is worse, too
        if (m_approach.keepsBest) {
            plan.tensatFirst = TensatFirst{.nodes = m_plan.nodes, .multiIterations = 0};
            plan.method = m_approach.result;
            plan.extractionSeconds = MostExtractionSeconds;
        }
        plan.seed = m_key.seed;
        plan.pricesIterations = false;
        Growth growth{.run = std::make_unique<SaturationRun>(*m_subject.bank, std::vector{m_subject.program},
                                                             m_plan.cost, std::move(plan)),
                      .recorder = Recorder(m_approach.rewards, m_key.seed, m_stop)};
        const Stopwatch watch;
        MITOS_TRY(growth.reason, growth.run->run(m_rules, m_stop, growth.recorder));
        growth.seconds = watch.seconds() - growth.recorder.seconds;
        if (m_stop.stop_requested()) return cancelled();
        return growth;
    }

    /// The growth under the k_multi with which the e-graph met a limit, or beyond which it did not change, and that k_multi.
    [[nodiscard]] Result<std::pair<Growth, std::uint32_t>> growByMore() {
        constexpr std::uint32_t Most = 15;  // TENSAT's number of iterations
        MITOS_TRY(Growth last, grow(1));
        for (std::uint32_t k = 1; k < Most; ++k) {
            if (last.reason == StopReason::States || last.reason == StopReason::Seconds)
                return std::pair(std::move(last), k);
            MITOS_TRY(Growth next, grow(k + 1));
            const bool isSame = next.run->graph().nodeCount() == last.run->graph().nodeCount() &&
                                next.run->graph().classCount() == last.run->graph().classCount();
            if (isSame) return std::pair(std::move(last), k);
            last = std::move(next);
        }
        return std::pair(std::move(last), Most);
    }

    [[nodiscard]] static Error cancelled() { return {ErrorCode::Cancelled, "the run was stopped", std::nullopt, ""}; }

private:
    const ExperimentPlan& m_plan;
    const RunKey& m_key;
    const ComparisonPlan::Subject& m_subject;
    const Approach& m_approach;
    const EGraphRules& m_rules;
    std::stop_token m_stop;
};

/// Extracts from what was grown, and enters costs, times and notes.
Result<FinishedRun> finish(const ExperimentPlan& plan, const RunKey& key, Growth growth, const std::stop_token& stop) {
    const Approach& approach = approaches()[key.approach];
    SaturationRun& run = *growth.run;
    FinishedRun finished;
    RunRecord& record = finished.record;
    record.initialCost = run.costs().costOrInfinity(run.starts().front().root);
    const Stopwatch extraction;
    const double limit = std::min(std::max(plan.secondsPerRun - growth.seconds, 1.0), MostExtractionSeconds);
    Extractor extractor(run, {.seconds = limit, .seed = key.seed}, stop);
    MITOS_TRY(const ir::TermId term, extractor.term(approach.result));
    const double extracting = extraction.seconds();
    record.extractedCost = run.costs().costOrInfinity(term);
    if (!std::isfinite(record.extractedCost)) {
        return inputError(fmt::format("the program that {} extracts has no cost under the model", approach.result),
                          "choose another cost model");
    }
    record.seconds = growth.seconds + extracting;
    if (stop.stop_requested()) return Grower::cancelled();

    finished.last = extractor.snapshot();
    extract::record(*finished.last, egraph::nodesOf(run.graph(), *finished.last, {&term, 1}));
    const Stopwatch explaining;
    run.extraction().update([] { return true; });
    run.extraction().consider(0, term);
    const auto& best = run.best();
    record.bestCost = best.cost;
    if (approach.keepsBest) record.extractedCost = std::min(record.extractedCost, best.cost);
    record.steps = best.thread.steps.size();
    record.isChecked = rewrite::check(*run.bank(), best.thread).valid;
    record.threadSeconds = explaining.seconds();
    for (const egraph::LeftOutRule& rule : run.report().leftOut) {
        record.notes.push_back(fmt::format("{} was left out: with it {}", rule.rule, rule.reason));
    }
    if (const auto& refused = run.extraction().refused()) record.notes.push_back(refused->toString());
    finished.result = dialects::printProgram(*run.bank(), best.thread.end());

    record.stop = toString(growth.reason);
    constexpr double UsedUp = 0.95;  // a solver ends somewhat earlier or later than its limit
    const bool isExtractionCut = extracting >= UsedUp * limit;
    record.isOutOfTime = growth.reason == StopReason::Seconds || isExtractionCut;
    if (isExtractionCut) record.notes.emplace_back("the time limit ended the final extraction");
    record.startNodes = run.report().startNodes;
    record.startClasses = run.report().startClasses;
    record.startCost = growth.recorder.startCost;
    record.iterations = std::move(growth.recorder.iterations);
    finished.first = std::move(growth.recorder.first);
    return finished;
}

Result<FinishedRun> growAndExtract(const ExperimentPlan& plan, const RunKey& key, const EGraphRules& rules,
                                   const std::stop_token& stop) {
    Grower grower(plan, key, rules, stop);
    std::optional<Growth> growth;
    std::uint32_t multiIterations = 0;
    if (approaches()[key.approach].strategy == "tensat") {
        MITOS_TRY(auto found, grower.growByMore());
        growth = std::move(found.first);
        multiIterations = found.second;
    } else {
        MITOS_TRY(growth, grower.grow(1));
    }
    MITOS_TRY(FinishedRun finished, finish(plan, key, *std::move(growth), stop));
    finished.record.multiIterations = multiIterations;
    return finished;
}

/// Rewrites the program itself, as TASO does.
Result<FinishedRun> rewriteProgram(const ExperimentPlan& plan, const RunKey& key, const std::stop_token& stop) {
    const ComparisonPlan::Subject& subject = plan.programs[key.program];
    MITOS_TRY(const auto strategy, findStrategy(approaches()[key.approach].strategy));
    const SearchProblem problem{.bank = *subject.bank,
                                .program = subject.program,
                                .rules = plan.rules.directions,
                                .cost = plan.cost,
                                .budget = {.seconds = plan.secondsPerRun, .memoryBytes = DefaultMemoryBytes},
                                .seed = key.seed,
                                .parameters = {}};
    struct : Observer {
        void onEvent(const SearchEvent& /*event*/) override {}
    } nobody;
    MITOS_TRY(const SearchResult found, strategy->run(problem, stop, nobody));
    if (stop.stop_requested()) return Grower::cancelled();
    FinishedRun finished;
    RunRecord& record = finished.record;
    record.initialCost = found.initialCost;
    record.extractedCost = record.bestCost = found.bestCost;
    record.seconds = found.statistics.seconds;
    record.steps = found.thread.steps.size();
    record.isChecked = found.check.valid;
    record.stop = toString(found.reason);
    record.isOutOfTime = found.reason == StopReason::Seconds;
    record.notes = found.notes;
    finished.result = dialects::printProgram(*found.bank, found.thread.end());
    return finished;
}

}  // namespace

Result<FinishedRun> runOnce(const ExperimentPlan& plan, const RunKey& key, const EGraphRules& rules,
                            const std::stop_token& stop) {
    const Approach& approach = approaches()[key.approach];
    const ComparisonPlan::Subject& subject = plan.programs[key.program];
    MITOS_TRY(FinishedRun finished,
              approach.hasEGraphs() ? growAndExtract(plan, key, rules, stop) : rewriteProgram(plan, key, stop));
    RunRecord& record = finished.record;
    record.program = subject.name;
    record.approach = approach.name;
    record.budget = key.budget;
    record.seed = key.seed;
    record.programHash = hashText(dialects::printProgram(*subject.bank, subject.program));
    return finished;
}

}  // namespace mitos::search::experiments
