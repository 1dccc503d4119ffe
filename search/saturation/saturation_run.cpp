// SPDX-License-Identifier: GPL-3.0-or-later
// See saturation_run.h.
#include "search/saturation/saturation_run.h"

#include "core/egraph/explain.h"
#include "core/ir/dialect.h"
#include "core/ir/transplant.h"
#include "core/rewrite/detours.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::search {

namespace {

StopReason reasonOf(egraph::StopReason reason) {
    switch (reason) {
        case egraph::StopReason::Saturated: return StopReason::Exhausted;
        case egraph::StopReason::Iterations: return StopReason::Iterations;
        case egraph::StopReason::Nodes: return StopReason::States;
        case egraph::StopReason::Memory: return StopReason::Memory;
        case egraph::StopReason::Seconds: return StopReason::Seconds;
        case egraph::StopReason::Contradiction: return StopReason::Pruned;
        case egraph::StopReason::Found: return StopReason::Found;
        case egraph::StopReason::Stopped: break;
    }
    return StopReason::Stopped;
}

template <typename Value>
void lower(std::optional<Value>& limit, Value other) {
    limit = limit ? std::min(*limit, other) : other;
}

/// TENSAT to the letter, where the reading says so (see saturation.cpp).
void readAsPublished(const std::string& reading, const ir::Dialect& dialect, SaturationPlan& plan) {
    constexpr std::uint64_t NodesOfPaper = 2000;
    if (reading == "ours") return;
    plan.pricesIterations = false;
    plan.extractsOnce = true;
    if (dialect.sharesNodes()) {
        plan.growth.roots = egraph::RootChoice::Different;
        plan.growth.unionCheck = egraph::UnionCheck::Inputs;
        if (plan.method == "best") plan.method = "ilp";
    }
    if (reading != "paper") return;
    plan.raisesMulti = true;
    lower(plan.growth.limits.nodes, NodesOfPaper);
}

}  // namespace

SaturationPlan usualPlan(const ir::Dialect& dialect) {
    SaturationPlan plan;
    if (!dialect.sharesNodes()) return plan;
    plan.growth.cycles = egraph::CycleFilter::Efficient;
    plan.growth.roots = egraph::RootChoice::Apart;
    plan.method = "best";
    return plan;
}

SaturationPlan planOf(const ParameterValues& parameters, const ir::Dialect& dialect) {
    const auto number = [&](const char* name) {
        return static_cast<std::uint64_t>(std::get<std::int64_t>(parameters.at(name)));
    };
    SaturationPlan plan = usualPlan(dialect);
    if (dialect.sharesNodes()) {
        plan.growth.cycles = *egraph::cycleFilter(std::get<std::string>(parameters.at("cycles")));
        plan.method = std::get<std::string>(parameters.at("extraction"));
    }
    plan.growth.limits.iterations = static_cast<std::uint32_t>(number("iterations"));
    plan.growth.limits.nodes = number("nodes");
    if (parameters.contains("search_budget")) {
        plan.guide = GuideSettings{.budget = static_cast<std::uint32_t>(number("search_budget")),
                                   .depth = static_cast<std::uint32_t>(number("depth")),
                                   .exploration = std::get<double>(parameters.at("exploration")),
                                   .stop = std::get<double>(parameters.at("stop")),
                                   .expandsRootFirst = std::get<bool>(parameters.at("root_first")),
                                   .discount = std::get<double>(parameters.at("discount")),
                                   .reusesTree = std::get<bool>(parameters.at("reuse")),
                                   .extraction = std::get<std::string>(parameters.at("simulation_extraction")),
                                   .priced = std::get<std::string>(parameters.at("reward")) == "prediction"
                                                 ? extract::Priced::Prediction
                                                 : extract::Priced::Program,
                                   .keepsBest = std::get<bool>(parameters.at("keep_best")),
                                   .threads = static_cast<std::uint32_t>(number("threads"))};
        if (std::get<bool>(parameters.at("tensat_first")))
            plan.tensatFirst = TensatFirst{.nodes = std::max(number("tensat_nodes"), number("nodes"))};
    } else if (parameters.contains("k_multi")) {
        plan.growth.scheduler = "sequential";
        plan.raisesMulti = number("k_multi") == 0;
        plan.growth.schedulerOptions.multiIterations = static_cast<std::uint32_t>(number("k_multi"));
        readAsPublished(std::get<std::string>(parameters.at("reading")), dialect, plan);
    } else {
        plan.growth.scheduler = std::get<std::string>(parameters.at("scheduler"));
        plan.growth.schedulerOptions.matchLimit = number("match_limit");
        plan.growth.schedulerOptions.banLength = static_cast<std::uint32_t>(number("ban_length"));
    }
    if (parameters.contains("ranking")) plan.ranking = std::get<std::string>(parameters.at("ranking"));
    plan.extractionShare = std::get<double>(parameters.at("extraction_share"));
    plan.extractionSeconds = std::get<double>(parameters.at("extraction_seconds"));
    return plan;
}

bool hasVariablesOf(const ir::TermBank& bank, const ir::Program& start, const ir::Program& goal) {
    const std::vector<ir::Parameter>& own = bank.function(start.function).parameters;
    return std::ranges::all_of(bank.function(goal.function).parameters, [&](const ir::Parameter& needed) {
        return std::ranges::any_of(
            own, [&](const ir::Parameter& p) { return p.name == needed.name && p.type == needed.type; });
    });
}

SaturationRun::SaturationRun(const ir::TermBank& bank, const std::vector<ir::Program>& starts,
                             std::shared_ptr<const cost::CostModel> cost, SaturationPlan plan,
                             const std::vector<ir::Program>& goals)
    : m_bank(std::make_shared<ir::TermBank>(bank.sharedRegistry())),
      m_model(std::move(cost)),
      m_plan(std::move(plan)),
      m_graph(*m_bank, m_plan.keepsReasons) {
    ir::Transplanter copy(bank, *m_bank);
    for (const ir::Program& start : starts) m_starts.push_back(copy.program(start));
    m_costs = m_model->evaluator(*m_bank, m_starts.front().function);
    for (const ir::Program& start : m_starts) m_roots.push_back(m_graph.addExactly(start.root));
    for (const ir::Program& goal : goals) {
        const ir::Program own = copy.program(goal);
        m_goals.push_back({own, m_graph.addExactly(own.root), {}, 0});
    }
    m_graph.rebuild();
    m_extraction.emplace(m_graph, *m_costs, m_starts);
    m_statistics.evaluations = 1;
}

void SaturationRun::begin(const EGraphRules& rules) {
    for (const auto& rule : rules) m_ownReport.rules.push_back(rule->name());
    m_ownReport.startNodes = m_graph.nodeCount();
    m_ownReport.startClasses = m_graph.classCount();
    if (!m_plan.recordsGains) return;
    beginGains(rules);
    m_gains->record([this](egraph::ENodeId node) { return m_extraction->cheapest(node); }, m_ownReport,
                    [] { return true; });
}

void SaturationRun::beginGains(const EGraphRules& rules) {
    m_gains.emplace(m_graph, *m_costs, rules, m_starts,
                    [this](egraph::ENodeId node) { return m_extraction->cheapest(node); });
}

void SaturationRun::follow(const egraph::SaturationReport& report, const EGraphRules& rules) {
    m_report = &report;
    if (!m_extraction->follow(report)) return;
    m_bestSimulated.reset();
    m_simulatedCost = std::numeric_limits<double>::infinity();
    if (m_gains) beginGains(rules);
    m_follower->onRestart(*this);
}

Result<StopReason> SaturationRun::run(const EGraphRules& rules, const std::stop_token& stop, Follower& follower) {
    m_stop = stop;
    m_follower = &follower;
    m_rules = rules;
    if (m_plan.ranking != NoRanking) {
        MITOS_TRY(m_ranks, rankRules(m_plan.ranking, rules));
        MITOS_TRY(m_rankedSchedulers, inRankedOrder(m_plan.growth.scheduler, m_ranks.probabilities));
    }
    begin(rules);
    follower.onStart(*this);
    if (m_plan.raisesMulti) {
        egraph::SaturationOptions growth = limitedGrowth(m_plan.growth.limits.nodes);
        MITOS_REQUIRE(raiseMulti(growth, rules, stop));
        m_plan.growth.schedulerOptions.multiIterations = growth.schedulerOptions.multiIterations;
    }
    if (m_plan.tensatFirst) MITOS_REQUIRE(tryTensat(rules, stop));
    Result<egraph::SaturationReport> grown =
        egraph::saturate(m_graph, rules, limitedGrowth(m_plan.growth.limits.nodes), stop,
                         [&](egraph::SaturationReport& soFar, egraph::EGraph&) {
                             follow(soFar, rules);
                             afterIteration(soFar);
                             follower.onIteration(*this);
                             return !m_ended;
                         });
    m_report = &m_ownReport;
    if (!grown) return std::move(grown).error();
    m_ownReport = *std::move(grown);
    // The growth was ended because the budget was used up between two iterations.
    if (m_ownReport.stop == egraph::StopReason::Stopped && m_ended == StopReason::Seconds)
        m_ownReport.stop = egraph::StopReason::Seconds;
    if (m_ownReport.stop == egraph::StopReason::Stopped && m_ended == StopReason::Memory)
        m_ownReport.stop = egraph::StopReason::Memory;
    follow(m_ownReport, rules);
    const StopReason reason = reasonOf(m_ownReport.stop);
    if (reason != StopReason::Stopped || !m_plan.pricesIterations) {
        const bool isWhole = m_plan.extractsOnce || m_plan.method != "tree";
        if (!m_plan.extractsOnce) extract("tree", !isWhole);
        if (isWhole) extract(m_plan.method, true);
    }
    takeSimulated();
    m_extraction->shortenThreads(stop);
    return m_ended.value_or(reason);
}

Result<std::shared_ptr<SaturationRun>> SaturationRun::after(const std::vector<std::uint32_t>& rules,
                                                            const std::stop_token& stop) const {
    auto made = std::make_shared<SaturationRun>(*m_bank, m_starts, m_model, m_plan);
    egraph::RuleSteps steps(made->m_graph, m_rules, m_plan.growth, stop);
    for (const std::uint32_t rule : rules) {
        assert(rule < m_rules.size());
        if (steps.apply(rule) == egraph::RuleSteps::Outcome::Interrupted)
            return Error{ErrorCode::Cancelled, "making the e-graph was stopped"};
    }
    return made;
}

double SaturationRun::elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
}

/// The limits of the growth combined with the budget. Part of the time is reserved for extraction.
egraph::SaturationOptions SaturationRun::limitedGrowth(std::optional<std::uint64_t> nodes) {
    egraph::SaturationOptions growth = m_plan.growth;
    growth.limits.nodes = nodes;
    const Budget& budget = m_plan.budget;
    if (budget.states) lower(growth.limits.nodes, *budget.states);
    if (budget.seconds) lower(growth.limits.seconds, *budget.seconds * (1.0 - m_plan.extractionShare) - elapsed());
    if (budget.memoryBytes) lower(growth.limits.memoryBytes, budget.searchBytes());
    if (m_plan.guide) {
        growth.makeScheduler = [this, seconds = growth.limits.seconds](const egraph::RunInProgress& run) {
            return guideOf(run, seconds);
        };
    } else {
        growth.makeScheduler = m_rankedSchedulers;
    }
    if (m_goals.empty()) return growth;
    growth.stopWhen = [this, other = std::move(growth.stopWhen)](const egraph::SaturationReport& report,
                                                                 const egraph::EGraph& graph) {
        return findGoals(report) || (other && other(report, graph));
    };
    return growth;
}

Status SaturationRun::raiseMulti(egraph::SaturationOptions& growth, const EGraphRules& rules,
                                 const std::stop_token& stop) {
    growth.stopWhen = {};
    std::uint32_t& multi = growth.schedulerOptions.multiIterations;
    std::pair<std::uint64_t, std::uint64_t> reached;
    for (multi = 1;; ++multi) {
        egraph::EGraph graph = m_graph;
        MITOS_TRY(const egraph::SaturationReport tried,
                  egraph::saturate(graph, rules, growth, stop,
                                   [](const egraph::SaturationReport&, const egraph::EGraph&) { return true; }));
        const std::pair grown(graph.nodeCount(), graph.classCount());
        if (tried.stop != egraph::StopReason::Saturated) return Success{};
        if (multi > 1 && grown == reached) {
            --multi;
            return Success{};
        }
        reached = grown;
    }
}

Status SaturationRun::tryTensat(const EGraphRules& rules, const std::stop_token& stop) {
    constexpr double ShareOfTime = 0.25;
    egraph::SaturationOptions growth = limitedGrowth(m_plan.tensatFirst->nodes);
    growth.makeScheduler = {};
    growth.stopWhen = {};
    growth.scheduler = "sequential";
    growth.schedulerOptions.multiIterations = m_plan.tensatFirst->multiIterations;
    growth.limits.iterations = TensatIterations;
    if (growth.limits.seconds) *growth.limits.seconds *= ShareOfTime;
    if (m_plan.tensatFirst->multiIterations == 0) MITOS_REQUIRE(raiseMulti(growth, rules, stop));
    egraph::EGraph graph = m_graph;
    extract::CheckedExtraction extraction(graph, *m_costs, m_starts);
    const auto price = [&](const std::string& method) {
        if (!extraction.update([this] { return mayEvaluate(); })) return;
        extract::Options options = extractionOptions(elapsed(), false);
        if (m_plan.budget.seconds) options.seconds *= ShareOfTime;
        extraction.extract(method, options, stop);
    };
    MITOS_TRY(
        const egraph::SaturationReport grown,
        egraph::saturate(graph, rules, growth, stop, [&](const egraph::SaturationReport& soFar, const egraph::EGraph&) {
            extraction.follow(soFar);
            price("tree");
            return !m_ended;
        }));
    extraction.follow(grown);
    if (m_plan.method != "tree" && !m_ended && !stop.stop_requested()) price(m_plan.method);
    if (m_extraction->adopt(extraction)) m_follower->onImproved(*this);
    return Success{};
}

bool SaturationRun::findGoals(const egraph::SaturationReport& report) {
    bool areAllFound = true;
    for (Goal& goal : m_goals) {
        if (report.iterations.empty()) goal.start.reset();  // the run begins, possibly anew
        for (std::size_t i = 0; i < m_starts.size() && !goal.start; ++i) {
            if (m_graph.find(m_roots[i]) != m_graph.find(goal.node)) continue;
            if (!hasVariablesOf(*m_bank, m_starts[i], goal.program)) continue;
            goal.start = i;
            goal.iteration = static_cast<std::uint32_t>(report.iterations.size());
        }
        areAllFound = areAllFound && goal.start;
    }
    return areAllFound;
}

Result<rewrite::Thread> SaturationRun::threadTo(const Goal& goal) {
    if (!goal.start) return inputError("the goal is not equal to a start", "let the e-graph grow further");
    MITOS_TRY(const rewrite::Thread found, egraph::explain(m_graph, m_starts[*goal.start], goal.program.root,
                                                           [this] { return !m_stop.stop_requested(); }));
    return rewrite::shortened(*m_bank, found, {}, m_stop);
}

void SaturationRun::afterIteration(egraph::SaturationReport& soFar) {
    ++m_statistics.expansions;
    for (const egraph::RuleReport& rule : soFar.iterations.back().rules) m_statistics.rewrites += rule.matches;
    if (!m_plan.pricesIterations) return;
    // Without a time budget the result must not depend on the clock.
    if (!m_plan.budget.seconds || m_extractionSeconds <= m_plan.extractionShare * elapsed()) extract("tree", false);
    takeSimulated();
    if (m_gains) {
        m_gains->record([this](egraph::ENodeId node) { return m_extraction->cheapest(node); }, soFar,
                        [this] { return !m_stop.stop_requested(); });
        return;
    }
    double total = 0.0;
    for (std::size_t i = 0; i < m_starts.size(); ++i) total += best(i).cost;
    if (std::isfinite(total)) soFar.iterations.back().cost = total;
}

extract::Options SaturationRun::extractionOptions(double begun, bool isLast) const {
    // The time that a thread may take beyond the budget, so that a short one is found even if the method has used up the time.
    constexpr double ShareBeyond = 0.05;
    constexpr double LeastSeconds = 0.25;
    extract::Options options;
    options.seed = m_plan.seed;
    options.seconds = m_plan.extractionSeconds;
    if (const auto seconds = m_plan.budget.seconds) {
        const double left = std::max(*seconds - begun, 0.0);
        options.seconds = std::min(left, options.seconds);
        options.threadSeconds =
            std::max(isLast ? left + ShareBeyond * *seconds : m_plan.extractionShare * left, LeastSeconds);
    }
    std::optional<std::uint64_t> bytes = m_plan.growth.limits.memoryBytes;
    if (m_plan.budget.memoryBytes) lower(bytes, m_plan.budget.searchBytes());
    const std::uint64_t others = statistics().memoryBytes - m_bank->bytes();
    if (bytes) options.threadBytes = *bytes - std::min(*bytes, others);
    return options;
}

void SaturationRun::extract(const std::string& method, bool isLast) {
    const double begun = elapsed();
    const bool isUpdated = m_extraction->update([this] { return mayEvaluate(); });
    if (!isUpdated && m_bank->dialect(m_starts.front().function).sharesNodes()) return;
    std::vector<ir::TermId> before;
    for (std::size_t i = 0; i < m_starts.size(); ++i) before.push_back(best(i).term);
    m_extraction->extract(method, extractionOptions(begun, isLast), m_stop);
    bool isImproved = false;
    for (std::size_t i = 0; i < m_starts.size(); ++i) isImproved = isImproved || best(i).term != before[i];
    if (isImproved) m_follower->onImproved(*this);
    m_extractionSeconds += elapsed() - begun;
}

std::unique_ptr<egraph::Scheduler> SaturationRun::guideOf(const egraph::RunInProgress& run,
                                                          std::optional<double> seconds) {
    GuideSettings settings = *m_plan.guide;
    settings.seed = m_plan.seed;
    const double end = seconds ? elapsed() + *seconds : std::numeric_limits<double>::infinity();
    const SimulatorSource source{
        .run = run,
        .function = m_starts.front().function,
        .cost = *m_model,
        .roots = m_roots,
        .method = simulationMethod(),
        .priced = settings.priced,
        .seed = m_plan.seed,
        .ranks = m_ranks.probabilities,
        .known = m_knownCosts,
        .secondsLeft = [this, seconds, end] { return seconds ? std::optional(end - elapsed()) : std::nullopt; },
        .stop = m_stop};
    GuideHooks hooks{.count = [this](std::uint64_t graphs) { return count(graphs, true); },
                     .mayGoOn = [this, end] { return !m_ended && !m_stop.stop_requested() && elapsed() < end; },
                     .found =
                         [this](double cost, const std::vector<std::uint32_t>& rules) {
                             if (cost >= m_simulatedCost) return;
                             m_simulatedCost = cost;
                             m_simulatedRules = rules;
                         },
                     .chosen =
                         [this, run](const GuideTree& tree) {
                             keepSimulated(run);
                             m_follower->onChosen(*this, tree);
                         }};
    return makeGuide(source, settings, std::move(hooks));
}

std::string SaturationRun::simulationMethod() const {
    const bool isGraph = m_bank->dialect(m_starts.front().function).sharesNodes();
    return isGraph ? m_plan.guide->extraction : "tree";
}

void SaturationRun::keepSimulated(const egraph::RunInProgress& run) {
    if (m_simulatedRules.empty()) return;
    m_bestSimulated = m_graph;
    egraph::RuleSteps steps(*m_bestSimulated, run.rules, run.options, m_stop);
    for (const std::uint32_t rule : std::exchange(m_simulatedRules, {})) {
        if (steps.apply(rule) != egraph::RuleSteps::Outcome::Interrupted) continue;
        m_bestSimulated.reset();
        return;
    }
}

void SaturationRun::takeSimulated() {
    if (!m_bestSimulated || m_stop.stop_requested()) return;
    std::optional<egraph::EGraph> graph = std::exchange(m_bestSimulated, std::nullopt);
    double found = 0.0;
    for (std::size_t i = 0; i < m_starts.size(); ++i) found += best(i).cost;
    if (m_simulatedCost >= found) return;
    extract::CheckedExtraction extraction(*graph, *m_costs, m_starts);
    extraction.update([] { return true; });
    extract::Options options = extractionOptions(elapsed(), false);
    options.seconds = extract::Options().seconds;
    extraction.extract(simulationMethod(), options, m_stop);
    if (m_extraction->adopt(extraction)) m_follower->onImproved(*this);
}

bool SaturationRun::mayEvaluate() {
    constexpr std::uint64_t Patience = 64;
    return count(1, m_statistics.evaluations % Patience == 0) == 1;
}

std::uint64_t SaturationRun::count(std::uint64_t evaluations, bool looksAtClock) {
    if (m_ended) return 0;
    const Budget& budget = m_plan.budget;
    if (m_stop.stop_requested() && m_plan.pricesIterations) {
        m_ended = StopReason::Stopped;
    } else if (budget.evaluations && m_statistics.evaluations + evaluations > *budget.evaluations) {
        evaluations = *budget.evaluations - std::min(m_statistics.evaluations, *budget.evaluations);
        m_statistics.evaluations += evaluations;
        m_ended = StopReason::Evaluations;
        return evaluations;
    } else if (looksAtClock) {
        if (budget.seconds && elapsed() >= *budget.seconds) m_ended = StopReason::Seconds;
        if (budget.memoryBytes && statistics().memoryBytes > budget.searchBytes()) m_ended = StopReason::Memory;
    }
    if (m_ended) return 0;
    m_statistics.evaluations += evaluations;
    return evaluations;
}

std::vector<double> SaturationRun::costsOf(const ir::Program& start, const rewrite::Thread& thread) {
    std::vector<double> costs{m_costs->costOrInfinity(start.root)};
    for (const ir::TermId state : thread.states) costs.push_back(m_costs->costOrInfinity(state));
    return costs;
}

SearchStatistics SaturationRun::statistics() const {
    SearchStatistics statistics = m_statistics;
    statistics.states = m_graph.nodeCount();
    statistics.memoryBytes =
        m_bank->bytes() + m_graph.bytes() + m_extraction->bytes() + m_costs->bytes() + m_knownCosts.bytes();
    statistics.seconds = elapsed();
    return statistics;
}

rewrite::Thread SaturationRun::cheapestUnder(const cost::CostModel& cost, const std::stop_token& stop) {
    const auto costs = cost.evaluator(*m_bank, m_starts.front().function);
    extract::CheckedExtraction extraction(m_graph, *costs, {m_starts.front()});
    extraction.update([&stop] { return !stop.stop_requested(); });
    extraction.extract("tree");
    if (m_plan.method != "tree") {
        extraction.extract(m_plan.method, {.seconds = m_plan.extractionSeconds, .seed = m_plan.seed}, stop);
    }
    extraction.shortenThreads(stop);
    return extraction.best().thread;
}

}  // namespace mitos::search
