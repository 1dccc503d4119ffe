// SPDX-License-Identifier: GPL-3.0-or-later
// See saturation.h.
#include "search/saturation/saturation.h"

#include "core/egraph/explain.h"
#include "core/egraph/runner.h"
#include "core/extract/least_terms.h"
#include "core/ir/transplant.h"
#include "search/cost_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace mitos::search {

namespace {

ParameterInfo wholeNumber(std::string name, std::string title, std::string help, std::int64_t value, double maximum) {
    return {.name = std::move(name),
            .title = std::move(title),
            .help = std::move(help),
            .defaultValue = value,
            .minimum = 1,
            .maximum = maximum,
            .choices = {}};
}

/// What both strategies have.
void addLimits(StrategyInfo& info) {
    info.parameters.push_back(wholeNumber("iterations", "Iterations",
                                          "Rounds of saturation: in each, all rules are matched and applied.", 30,
                                          1'000'000));
    info.parameters.push_back(wholeNumber("nodes", "E-nodes",
                                          "The e-graph grows no larger than this; a budget of states may be lower.",
                                          100'000, 100'000'000));
    info.parameters.push_back(
        {.name = "extraction_share",
         .title = "Extraction's share of the time",
         .help = "With a limit of seconds: what is left for extraction, which waits for more iterations "
                 "where it would take more.",
         .defaultValue = 0.25,
         .minimum = 0.01,
         .maximum = 0.9,
         .choices = {}});
}

StrategyInfo describeSaturation() {
    StrategyInfo info{
        .name = "saturation",
        .title = "Equality saturation, then extraction",
        .description =
            "Applies all rules to all programs met so far at once, in an e-graph that keeps both sides, "
            "until nothing new comes; the cheapest program in it is extracted and explained step by step. "
            "E-graph MCTS paper, section 2.2.",
        .parameters = {}};
    info.parameters.push_back(
        {.name = "scheduler",
         .title = "Scheduler",
         .help = "backoff: a rule with very many matches pauses for some iterations; simple: every rule, every time.",
         .defaultValue = std::string("backoff"),
         .choices = {"backoff", "simple"}});
    info.parameters.push_back(wholeNumber("match_limit", "Match limit",
                                          "backoff: matches a rule may have before it pauses; doubles each time.", 1000,
                                          1'000'000'000));
    info.parameters.push_back(wholeNumber(
        "ban_length", "Ban length", "backoff: iterations of a rule's first pause; doubles each time.", 5, 1'000'000));
    addLimits(info);
    return info;
}

StrategyInfo describeTensat() {
    StrategyInfo info{.name = "tensat",
                      .title = "Equality saturation as in TENSAT",
                      .description =
                          "In each iteration the rules with several roots first, in the first k_multi iterations only, "
                          "then the others; extraction at the end of each. E-graph MCTS paper, section 3.2.",
                      .parameters = {}};
    info.parameters.push_back(wholeNumber("k_multi", "Iterations of rules with several roots",
                                          "Rules with several roots take part in so many iterations.", 1, 1'000'000));
    addLimits(info);
    return info;
}

std::int64_t wholeOf(const ParameterValues& parameters, const char* name) {
    return std::get<std::int64_t>(parameters.at(name));
}

egraph::SaturationOptions optionsOf(const ParameterValues& parameters) {
    egraph::SaturationOptions options;
    options.limits.iterations = static_cast<std::uint32_t>(wholeOf(parameters, "iterations"));
    options.limits.nodes = static_cast<std::uint64_t>(wholeOf(parameters, "nodes"));
    if (parameters.contains("k_multi")) {
        options.scheduler = "sequential";
        options.schedulerOptions.multiIterations = static_cast<std::uint32_t>(wholeOf(parameters, "k_multi"));
    } else {
        options.scheduler = std::get<std::string>(parameters.at("scheduler"));
        options.schedulerOptions.matchLimit = static_cast<std::uint64_t>(wholeOf(parameters, "match_limit"));
        options.schedulerOptions.banLength = static_cast<std::uint32_t>(wholeOf(parameters, "ban_length"));
    }
    return options;
}

/// One search: an e-graph in a bank of its own, and the cheapest program found in it.
class Run {
public:
    Run(const SearchProblem& problem, const ParameterValues& parameters, std::stop_token stop, Observer& observer)
        : m_bank(std::make_shared<ir::TermBank>(problem.bank.sharedRegistry())),
          m_program(ir::Transplanter(problem.bank, *m_bank).program(problem.program)),
          m_costs(problem.cost->evaluator(*m_bank, m_program.function)),
          m_graph(*m_bank),
          m_terms(m_graph, *m_costs),
          m_budget(completed(problem.budget)),
          m_options(optionsOf(parameters)),
          m_share(std::get<double>(parameters.at("extraction_share"))),
          m_stop(std::move(stop)),
          m_observer(observer),
          m_best(m_program.root) {}

    Result<SearchResult> run(const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules,
                             const std::string& model) {
        m_initialCost = m_bestCost = m_costs->cost(m_program.root);
        if (!std::isfinite(m_initialCost)) {
            return Error{ErrorCode::InvalidInput,
                         fmt::format("the program has no cost under {}: it comes out as {}", model, m_initialCost),
                         std::nullopt,
                         "Choose another cost model, or a smaller program.",
                         {}};
        }
        m_root = m_graph.add(m_program.root);
        m_statistics.evaluations = 1;
        report(EventKind::Started);
        Result<egraph::SaturationReport> saturated = egraph::saturate(
            m_graph, rules, limited(), m_stop,
            [this](const auto& soFar, egraph::EGraph&) { return afterIteration(soFar.iterations.back()); });
        if (!saturated) return std::move(saturated).error();
        const StopReason reason = reasonOf(saturated->stop);
        if (reason != StopReason::Stopped) extract();
        return finish(m_ended.value_or(reason));
    }

private:
    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
    }
    [[nodiscard]] std::uint64_t memoryBytes() const {
        return m_bank->bytes() + m_graph.bytes() + m_terms.bytes() + m_costs->bytes();
    }

    /// The strategy's own limits and the budget. Some of the time is left for extraction.
    [[nodiscard]] egraph::SaturationOptions limited() const {
        egraph::SaturationOptions options = m_options;
        if (m_budget.states) options.limits.nodes = std::min(*options.limits.nodes, *m_budget.states);
        if (m_budget.seconds) options.limits.seconds = *m_budget.seconds * (1.0 - m_share) - elapsed();
        options.limits.memoryBytes = m_budget.memoryBytes;
        return options;
    }

    bool afterIteration(const egraph::IterationReport& iteration) {
        ++m_statistics.expansions;
        for (const egraph::RuleReport& rule : iteration.rules) m_statistics.rewrites += rule.matches;
        // Without a budget of time the clock must not show in the result.
        if (!m_budget.seconds || m_extractionSeconds <= m_share * elapsed()) extract();
        report(EventKind::Progress);
        return !m_ended;
    }

    void extract() {
        const double begun = elapsed();
        m_terms.update([this] { return mayEvaluate(); });
        const extract::LeastTerms::Least& least = m_terms.of(m_root);
        const double cost = least.term.isValid() ? m_costs->cost(least.term) : m_bestCost;
        if (isLower(cost, m_bestCost)) {
            m_best = least.term;
            m_bestCost = cost;
            report(EventKind::Improved);
        }
        m_extractionSeconds += elapsed() - begun;
    }

    bool mayEvaluate() {
        if (m_ended) return false;
        if (m_stop.stop_requested()) {
            m_ended = StopReason::Stopped;
        } else if (m_budget.evaluations && m_statistics.evaluations >= *m_budget.evaluations) {
            m_ended = StopReason::Evaluations;
        } else if (m_statistics.evaluations % Patience == 0) {
            if (m_budget.seconds && elapsed() >= *m_budget.seconds) m_ended = StopReason::Seconds;
            if (memoryBytes() > *m_budget.memoryBytes) m_ended = StopReason::Memory;
        }
        if (m_ended) return false;
        ++m_statistics.evaluations;
        return true;
    }

    [[nodiscard]] StopReason reasonOf(egraph::StopReason reason) const {
        switch (reason) {
            case egraph::StopReason::Saturated: return StopReason::Exhausted;
            case egraph::StopReason::Iterations: return StopReason::Depth;
            case egraph::StopReason::Nodes:
                return m_budget.states && *m_budget.states <= *m_options.limits.nodes ? StopReason::States
                                                                                      : StopReason::Depth;
            case egraph::StopReason::Memory: return StopReason::Memory;
            case egraph::StopReason::Seconds: return StopReason::Seconds;
            case egraph::StopReason::Contradiction: return StopReason::Pruned;
            case egraph::StopReason::Stopped: break;
        }
        return StopReason::Stopped;
    }

    void report(EventKind kind, std::optional<StopReason> reason = std::nullopt, std::size_t steps = 0) {
        m_observer.onEvent({.kind = kind,
                            .seconds = elapsed(),
                            .evaluations = m_statistics.evaluations,
                            .states = m_graph.nodeCount(),
                            .frontier = 0,
                            .memoryBytes = memoryBytes(),
                            .cost = m_bestCost,
                            .best = m_bestCost,
                            .pathLength = static_cast<std::uint32_t>(steps),
                            .rule = {},
                            .reason = reason});
    }

    Result<SearchResult> finish(StopReason reason) {
        m_statistics.states = m_graph.nodeCount();
        SearchResult result;
        Result<rewrite::Thread> thread = egraph::explain(m_graph, m_program, m_best);
        if (!thread) return std::move(thread).error();
        result.thread = *std::move(thread);
        result.check = rewrite::check(*m_bank, result.thread);
        result.costs.push_back(m_initialCost);
        for (const ir::TermId state : result.thread.states) result.costs.push_back(m_costs->cost(state));
        result.bank = m_bank;
        result.initialCost = m_initialCost;
        result.bestCost = m_bestCost;
        result.reason = reason;
        m_statistics.memoryBytes = memoryBytes();
        m_statistics.seconds = elapsed();
        result.statistics = m_statistics;
        report(EventKind::Finished, reason, result.thread.steps.size());
        return result;
    }

    static constexpr std::uint64_t Patience = 64;  // evaluations between looks at the clock

    std::shared_ptr<ir::TermBank> m_bank;
    ir::Program m_program;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    egraph::EGraph m_graph;
    extract::LeastTerms m_terms;
    Budget m_budget;
    egraph::SaturationOptions m_options;
    double m_share;
    std::stop_token m_stop;
    Observer& m_observer;
    std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();

    egraph::ENodeId m_root;
    ir::TermId m_best;
    double m_initialCost = 0.0;
    double m_bestCost = 0.0;
    double m_extractionSeconds = 0.0;
    SearchStatistics m_statistics;
    std::optional<StopReason> m_ended;
};

class Saturation final : public Strategy {
public:
    explicit Saturation(StrategyInfo info) : m_info(std::move(info)) {}

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                           Observer& observer) const override {
        const Result<ParameterValues> parameters = resolveParameters(m_info, problem.parameters);
        if (!parameters) return parameters.error();
        if (problem.bank.function(problem.program.function).sharing == ir::Sharing::Graph) {
            return Error{ErrorCode::Unsupported,
                         fmt::format("{} searches programs that are trees; this one is a graph", m_info.name),
                         std::nullopt,
                         "choose a strategy that rewrites programs, such as greedy or astar",
                         {}};
        }
        const auto rules = egraph::prepareRules(problem.rules, problem.multis);
        if (!rules) return rules.error();
        return Run(problem, *parameters, std::move(stop), observer).run(*rules, problem.cost->info().name);
    }

private:
    StrategyInfo m_info;
};

}  // namespace

std::unique_ptr<Strategy> makeSaturation() { return std::make_unique<Saturation>(describeSaturation()); }
std::unique_ptr<Strategy> makeTensat() { return std::make_unique<Saturation>(describeTensat()); }

}  // namespace mitos::search
