// SPDX-License-Identifier: GPL-3.0-or-later
// See saturation.h.
#include "search/saturation/saturation.h"

#include "core/egraph/runner.h"
#include "core/extract/checked.h"
#include "core/ir/transplant.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
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

/// Adds the parameters that both strategies share.
void addLimits(StrategyInfo& info, std::int64_t iterations, std::int64_t nodes) {
    info.parameters.push_back(wholeNumber("iterations", "Iterations",
                                          "Rounds of saturation: in each, all rules are matched and applied.",
                                          iterations, 1'000'000));
    info.parameters.push_back(wholeNumber("nodes", "E-nodes",
                                          "The e-graph grows no larger than this; a budget of states may be lower.",
                                          nodes, 100'000'000));
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

/// Adds the parameters that apply to programs that are graphs.
void addGraphParameters(StrategyInfo& info, const char* cycles) {
    std::vector<std::string> methods;
    for (const extract::MethodInfo& method : extract::methods()) methods.emplace_back(method.name);
    info.parameters.push_back({.name = "extraction",
                               .title = "Extraction",
                               .help = "Of tensor programs: how the cheapest program is chosen in the end, as in "
                                       "`mitos-cli extract`. Programs that are trees are priced term by term.",
                               .defaultValue = std::string("best"),
                               .choices = std::move(methods)});
    info.parameters.push_back({.name = "extraction_seconds",
                               .title = "Time for extraction",
                               .help = "Of tensor programs: what the last extraction may take at most. Where that ends "
                                       "it, another machine may find another program.",
                               .defaultValue = 10.0,
                               .minimum = 0.01,
                               .maximum = 1e6,
                               .choices = {}});
    info.parameters.push_back(
        {.name = "cycles",
         .title = "Cycle filter",
         .help = "Of tensor programs. efficient: what would close a cycle of the iteration's start is "
                 "left out, other cycles lose their youngest e-node; vanilla: each rewrite is "
                 "checked by itself, which is slow; none: extraction goes round cycles.",
         .defaultValue = std::string(cycles),
         .choices = egraph::cycleFilterNames()});
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
    constexpr std::int64_t Iterations = 30;
    constexpr std::int64_t Nodes = 100'000;
    addLimits(info, Iterations, Nodes);
    addGraphParameters(info, "efficient");
    return info;
}

StrategyInfo describeTensat() {
    StrategyInfo info{
        .name = "tensat",
        .title = "Equality saturation as in TENSAT",
        .description =
            "In each iteration the rules with several roots first, in the first k_multi iterations only, "
            "then the others; rewrites that would close a cycle are left out; extraction at the end. E-graph "
            "MCTS paper, sections 3.2 and 5.",
        .parameters = {}};
    info.parameters.push_back(wholeNumber("k_multi", "Iterations of rules with several roots",
                                          "Rules with several roots take part in so many iterations.", 1, 1'000'000));
    constexpr std::int64_t Iterations = 15;  // both limits are those of the paper
    constexpr std::int64_t Nodes = 50'000;
    addLimits(info, Iterations, Nodes);
    addGraphParameters(info, "efficient");
    return info;
}

std::int64_t wholeOf(const ParameterValues& parameters, const char* name) {
    return std::get<std::int64_t>(parameters.at(name));
}

egraph::SaturationOptions optionsOf(const ParameterValues& parameters, ir::Sharing sharing) {
    egraph::SaturationOptions options;
    if (sharing == ir::Sharing::Graph) {
        options.cycles = *egraph::cycleFilter(std::get<std::string>(parameters.at("cycles")));
        options.roots = egraph::RootChoice::Apart;
    }
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

/// One search: an e-graph in its own bank, and the cheapest program found in it.
class Run {
public:
    Run(const SearchProblem& problem, const ParameterValues& parameters, std::stop_token stop, Observer& observer)
        : m_bank(std::make_shared<ir::TermBank>(problem.bank.sharedRegistry())),
          m_program(ir::Transplanter(problem.bank, *m_bank).program(problem.program)),
          m_sharing(m_bank->function(m_program.function).sharing),
          m_costs(problem.cost->evaluator(*m_bank, m_program.function)),
          m_graph(*m_bank),
          m_budget(completed(problem.budget)),
          m_options(optionsOf(parameters, m_sharing)),
          m_share(std::get<double>(parameters.at("extraction_share"))),
          m_method(m_sharing == ir::Sharing::Graph ? std::get<std::string>(parameters.at("extraction")) : "tree"),
          m_seed(problem.seed),
          m_extractionLimit(std::get<double>(parameters.at("extraction_seconds"))),
          m_stop(std::move(stop)),
          m_observer(observer) {}

    Result<SearchResult> run(const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules,
                             const std::string& model) {
        m_graph.add(m_program.root);
        m_graph.rebuild();
        m_found.emplace(m_graph, *m_costs, std::vector{m_program});
        m_initialCost = best().cost;
        if (!std::isfinite(m_initialCost)) {
            return Error{ErrorCode::InvalidInput,
                         fmt::format("the program has no cost under {}: it comes out as {}", model, m_initialCost),
                         std::nullopt,
                         "Choose another cost model, or a smaller program.",
                         {}};
        }
        m_statistics.evaluations = 1;
        report(EventKind::Started);
        const Result<egraph::SaturationReport> saturated = egraph::saturate(
            m_graph, rules, limited(), m_stop,
            [this](const egraph::SaturationReport& soFar, egraph::EGraph&) { return afterIteration(soFar); });
        if (!saturated) return saturated.error();
        m_found->follow(*saturated);
        const StopReason reason = reasonOf(saturated->stop);
        if (reason != StopReason::Stopped) {
            extract("tree");
            if (m_method != "tree") extract(m_method);
        }
        return finish(m_ended.value_or(reason), *saturated);
    }

private:
    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
    }
    [[nodiscard]] std::uint64_t memoryBytes() const {
        return m_bank->bytes() + m_graph.bytes() + m_found->bytes() + m_costs->bytes();
    }

    /// The strategy's own limits combined with the budget. Part of the time is reserved for extraction.
    [[nodiscard]] egraph::SaturationOptions limited() const {
        egraph::SaturationOptions options = m_options;
        if (m_budget.states) options.limits.nodes = std::min(*options.limits.nodes, *m_budget.states);
        if (m_budget.seconds) options.limits.seconds = *m_budget.seconds * (1.0 - m_share) - elapsed();
        options.limits.memoryBytes = m_budget.searchBytes();
        return options;
    }

    bool afterIteration(const egraph::SaturationReport& soFar) {
        m_found->follow(soFar);
        ++m_statistics.expansions;
        for (const egraph::RuleReport& rule : soFar.iterations.back().rules) m_statistics.rewrites += rule.matches;
        // Without a time budget the result must not depend on the clock.
        if (!m_budget.seconds || m_extractionSeconds <= m_share * elapsed()) extract("tree");
        report(EventKind::Progress);
        return !m_ended;
    }

    void extract(const std::string& method) {
        const double begun = elapsed();
        const bool isUpdated = m_found->update([this] { return mayEvaluate(); });
        if (!isUpdated && m_sharing == ir::Sharing::Graph) return;
        extract::Options options;
        options.seed = m_seed;
        options.seconds = m_extractionLimit;
        if (m_budget.seconds) options.seconds = std::clamp(*m_budget.seconds - begun, 0.0, options.seconds);
        const ir::TermId before = best().term;
        m_found->extract(method, options, m_stop);
        if (best().term != before) report(EventKind::Improved);
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
            if (memoryBytes() > m_budget.searchBytes()) m_ended = StopReason::Memory;
        }
        if (m_ended) return false;
        ++m_statistics.evaluations;
        return true;
    }

    [[nodiscard]] StopReason reasonOf(egraph::StopReason reason) const {
        switch (reason) {
            case egraph::StopReason::Saturated: return StopReason::Exhausted;
            case egraph::StopReason::Iterations: return StopReason::Depth;
            case egraph::StopReason::Nodes: return StopReason::States;
            case egraph::StopReason::Memory: return StopReason::Memory;
            case egraph::StopReason::Seconds: return StopReason::Seconds;
            case egraph::StopReason::Contradiction: return StopReason::Pruned;
            case egraph::StopReason::Stopped: break;
        }
        return StopReason::Stopped;
    }

    void report(EventKind kind, std::optional<StopReason> reason = std::nullopt) {
        m_observer.onEvent({.kind = kind,
                            .seconds = elapsed(),
                            .evaluations = m_statistics.evaluations,
                            .states = m_graph.nodeCount(),
                            .frontier = 0,
                            .memoryBytes = memoryBytes(),
                            .cost = best().cost,
                            .best = best().cost,
                            .pathLength = static_cast<std::uint32_t>(best().thread.steps.size()),
                            .rule = {},
                            .reason = reason});
        if (kind != EventKind::Finished) m_observer.onBest([this] { return bestSoFar(); });
    }

    /// The best thread so far, copied to its own bank.
    std::optional<BestSoFar> bestSoFar() {
        const rewrite::Thread& thread = best().thread;
        BestSoFar found{std::make_shared<ir::TermBank>(m_bank->sharedRegistry()), {}, {m_initialCost}};
        for (const ir::TermId state : thread.states) found.costs.push_back(m_costs->cost(state));
        found.thread = rewrite::transplant(*m_bank, thread, *found.bank);
        return found;
    }

    SearchResult finish(StopReason reason, const egraph::SaturationReport& saturated) {
        m_statistics.states = m_graph.nodeCount();
        SearchResult result;
        result.thread = best().thread;
        result.check = rewrite::check(*m_bank, result.thread);
        result.costs.push_back(m_initialCost);
        for (const ir::TermId state : result.thread.states) result.costs.push_back(m_costs->cost(state));
        result.bank = m_bank;
        result.initialCost = m_initialCost;
        result.bestCost = best().cost;
        result.reason = reason;
        for (const egraph::LeftOutRule& rule : saturated.leftOut) {
            result.notes.push_back(fmt::format("{} was left out: with it {}", rule.rule, rule.reason));
        }
        if (!m_found->note().empty()) result.notes.push_back(m_found->note());
        m_statistics.memoryBytes = memoryBytes();
        m_statistics.seconds = elapsed();
        result.statistics = m_statistics;
        report(EventKind::Finished, reason);
        return result;
    }

    [[nodiscard]] const extract::CheckedExtraction::Found& best() const { return m_found->best(); }

    static constexpr std::uint64_t Patience = 64;  // evaluations between checks of the clock

    std::shared_ptr<ir::TermBank> m_bank;
    ir::Program m_program;
    ir::Sharing m_sharing;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    egraph::EGraph m_graph;
    Budget m_budget;
    egraph::SaturationOptions m_options;
    double m_share;
    std::string m_method;  ///< of the final extraction
    std::uint64_t m_seed;
    double m_extractionLimit;  ///< seconds for the final extraction
    std::stop_token m_stop;
    Observer& m_observer;
    std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();

    std::optional<extract::CheckedExtraction> m_found;
    double m_initialCost = 0.0;
    double m_extractionSeconds = 0.0;
    SearchStatistics m_statistics;
    std::optional<StopReason> m_ended;
};

class Saturation final : public DescribedStrategy {
public:
    explicit Saturation(StrategyInfo info) : m_info(std::move(info)) {}

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const auto rules = egraph::prepareRules(problem.rules, problem.multis);
        if (!rules) return rules.error();
        return Run(problem, parameters, std::move(stop), observer).run(*rules, problem.cost->info().name);
    }

private:
    StrategyInfo m_info;
};

}  // namespace

std::unique_ptr<Strategy> makeSaturation() { return std::make_unique<Saturation>(describeSaturation()); }
std::unique_ptr<Strategy> makeTensat() { return std::make_unique<Saturation>(describeTensat()); }

}  // namespace mitos::search
