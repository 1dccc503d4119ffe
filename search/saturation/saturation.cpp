// SPDX-License-Identifier: GPL-3.0-or-later
// See saturation.h.
#include "search/saturation/saturation.h"

#include "core/rewrite/start_term.h"
#include "search/saturation/saturation_run.h"

#include <fmt/format.h>

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
            .maximum = maximum};
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
         .maximum = 0.9});
}

std::vector<std::string> extractionMethods() {
    std::vector<std::string> names;
    for (const extract::MethodInfo& method : extract::methods()) names.emplace_back(method.name);
    return names;
}

/// Adds the parameters that apply to programs that are graphs.
void addGraphParameters(StrategyInfo& info, const char* cycles) {
    info.parameters.push_back({.name = "extraction",
                               .title = "Extraction",
                               .help =
                                   "How the cheapest tensor program is chosen in the end, as in `mitos-cli extract`. "
                                   "Programs that are trees are priced term by term.",
                               .defaultValue = std::string("best"),
                               .choices = extractionMethods()});
    info.parameters.push_back({.name = "extraction_seconds",
                               .title = "Time for extraction",
                               .help =
                                   "The most time that the last extraction of a tensor program may take. If this limit "
                                   "ends it, another machine may find another program.",
                               .defaultValue = 10.0,
                               .minimum = 0.01,
                               .maximum = 1e6});
    info.parameters.push_back(
        {.name = "cycles",
         .title = "Cycle filter",
         .help = "How cycles are kept out of the e-graphs of tensor programs. efficient: rewrites that would close a "
                 "cycle at the start of the iteration are left out, and other cycles lose their youngest e-node; "
                 "vanilla: each rewrite is checked on its own, which is slow; none: the extraction avoids cycles.",
         .defaultValue = std::string(cycles),
         .choices = egraph::cycleFilterNames()});
}

void addRanking(StrategyInfo& info, const char* meaning) {
    info.parameters.push_back({.name = "ranking",
                               .title = "Ranking of rules",
                               .help = fmt::format("A file that `mitos-cli train rules` made from earlier runs: {}; "
                                                   "none: no rule is preferred.",
                                                   meaning),
                               .defaultValue = std::string(NoRanking),
                               .choices = {NoRanking},
                               .fileEnding = RankingEnding});
}

StrategyInfo describeSaturation() {
    StrategyInfo info{
        .name = "saturation",
        .label = "Saturation",
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
    addRanking(info, "in each iteration the rules that gained most are applied first, before the e-graph is full");
    addGraphParameters(info, "efficient");
    return info;
}

StrategyInfo describeTensat() {
    StrategyInfo info{
        .name = "tensat",
        .label = "TENSAT",
        .title = "Equality saturation as in TENSAT",
        .description =
            "In each iteration the rules with several roots first, in the first k_multi iterations only, "
            "then the others; rewrites that would close a cycle are left out; extraction at the end. E-graph "
            "MCTS paper, sections 3.2 and 5.",
        .parameters = {}};
    info.parameters.push_back(wholeNumber(
        "k_multi", "Iterations of rules with several roots",
        "Rules with several roots take part in so many iterations. 0: in as many as it takes until the e-graph is "
        "saturated or meets a limit; 1, 2, … are tried in turn, each from the start.",
        1, 1'000'000));
    info.parameters.back().minimum = 0;
    info.parameters.push_back(
        {.name = "reading",
         .title = "As published",
         .help = "ours: programs are priced after each iteration, and rules with several roots never merge what is "
                 "merged already. letter: as in TENSAT's program; one extraction at the end, exact unless another "
                 "method than best is chosen; any two different classes are roots; a rewrite is refused where one of "
                 "its inputs contains what it replaces. paper: the same, with k_multi=0 and at most 2,000 e-nodes, as "
                 "in the experiments of the e-graph MCTS paper.",
         .defaultValue = std::string("ours"),
         .choices = {"ours", "letter", "paper"}});
    // The defaults of TENSAT's program.
    constexpr std::int64_t Iterations = TensatIterations;
    addLimits(info, Iterations, TensatNodes);
    addGraphParameters(info, "efficient");
    return info;
}

StrategyInfo describeEGraphMcts() {
    const GuideSettings usual;
    StrategyInfo info{.name = "egraph-mcts",
                      .label = "E-graph MCTS",
                      .title = "Equality saturation guided by tree search",
                      .description =
                          "Applies one rule at a time to the e-graph, to all places where it matches; Monte Carlo tree "
                          "search chooses which, by trying sequences of rules and pricing the e-graphs that they lead "
                          "to. For e-graphs that would reach their limit before the useful rules came. E-graph MCTS "
                          "paper, section 4.1, Algorithm 1.",
                      .parameters = {},
                      .randomized = true};
    info.parameters.push_back(wholeNumber("search_budget", "Search budget",
                                          "Iterations of the tree search before each application of a rule.",
                                          usual.budget, 1'000'000));
    info.parameters.push_back(
        wholeNumber("depth", "Depth of simulations", "The most rules that a simulation applies.", usual.depth, 10'000));
    info.parameters.push_back({.name = "exploration",
                               .title = "Exploration",
                               .help = "c of UCB1, in parts of the initial cost: larger values try rules that were "
                                       "tried less often.",
                               .defaultValue = usual.exploration,
                               .minimum = 0.0,
                               .maximum = 1000.0});
    info.parameters.push_back({.name = "stop",
                               .title = "Probability of stopping",
                               .help = "The descent through the tree stops at each node with this probability, to try "
                                       "another rule there.",
                               .defaultValue = usual.stop,
                               .minimum = 0.01,
                               .maximum = 1.0});
    info.parameters.push_back({.name = "root_first",
                               .title = "Expand the root first",
                               .help = "The descent stops at the root until every rule was tried there, as in the "
                                       "published implementation of the paper.",
                               .defaultValue = usual.expandsRootFirst});
    info.parameters.push_back({.name = "discount",
                               .title = "Discount",
                               .help = "What a saving counts for each application of a rule before it: 1 in the paper, "
                                       "0.99 in its published implementation.",
                               .defaultValue = usual.discount,
                               .minimum = 0.01,
                               .maximum = 1.0});
    info.parameters.push_back({.name = "reuse",
                               .title = "Reuse the tree",
                               .help = "Keep the part of the tree below the chosen rule for the next application.",
                               .defaultValue = usual.reusesTree});
    info.parameters.push_back({.name = "keep_best",
                               .title = "Keep the best on the way",
                               .help = "The cheapest program of all simulations is the result if the e-graph does not "
                                       "contain one as cheap.",
                               .defaultValue = usual.keepsBest});
    info.parameters.push_back({.name = "tensat_first",
                               .title = "TENSAT's program first",
                               .help =
                                   "TENSAT's schedule grows an e-graph of its own first, within TENSAT's own limits; "
                                   "its program is the result if the search finds none as cheap, so the result is "
                                   "never worse than TENSAT's, unless a limit of seconds ends this growth, which "
                                   "gets a quarter of the time. The paper has neither this nor keep_best.",
                               .defaultValue = true});
    info.parameters.push_back(
        wholeNumber("tensat_nodes", "E-nodes of TENSAT's e-graph",
                    "The e-graph of tensat_first grows no larger than this, or than nodes if that "
                    "is more.",
                    TensatNodes, 100'000'000));
    info.parameters.push_back({.name = "simulation_extraction",
                               .title = "Extraction in simulations",
                               .help = "How e-graphs are priced during the search. Programs that are trees are priced "
                                       "term by term.",
                               .defaultValue = usual.extraction,
                               .choices = extractionMethods()});
    info.parameters.push_back({.name = "reward",
                               .title = "Reward",
                               .help = "The cost that simulations reduce: program: that of the extracted program; "
                                       "prediction: what the extraction takes for it, where tree counts shared parts "
                                       "at each use, as egg does.",
                               .defaultValue = std::string("program"),
                               .choices = {"program", "prediction"}});
    info.parameters.push_back({.name = "threads",
                               .title = "Threads",
                               .help = "Simulations at the same time; 0: one for each processor. The result does not "
                                       "depend on it.",
                               .defaultValue = std::int64_t{usual.threads},
                               .minimum = 0,
                               .maximum = 64});
    addRanking(info, "the rules that gained most are tried first and more often (PUCT)");
    constexpr std::int64_t Iterations = 1000;
    constexpr std::int64_t Nodes = 2000;  // as in the paper's experiments (section 5)
    addLimits(info, Iterations, Nodes);
    addGraphParameters(info, "efficient");
    return info;
}

/// Reports a run of saturation as the events of a search, and makes its result.
class EventReporter final : public SaturationRun::Follower {
public:
    EventReporter(SaturationRun& run, Observer& observer, SaturationRun::Follower* next)
        : m_run(run),
          m_observer(observer),
          m_next(next),
          m_initialCost(run.best().cost) {}

    void onStart(SaturationRun& run) override {
        if (m_next != nullptr) m_next->onStart(run);
        report(Started{});
        report(GrowthStarted{run.report()});
    }
    void onRestart(SaturationRun& run) override {
        if (m_next != nullptr) m_next->onRestart(run);
        report(Restarted{run.report().leftOut.back()});
    }
    void onIteration(SaturationRun& run) override {
        if (m_next != nullptr) m_next->onIteration(run);
        report(Iteration{run.report().iterations.back()});
    }
    void onImproved(SaturationRun& run) override {
        if (m_next != nullptr) m_next->onImproved(run);
        report(Improved{});
    }
    void onChosen(SaturationRun& run, const GuideTree& tree) override {
        if (m_next != nullptr) m_next->onChosen(run, tree);
        report(RuleChosen{tree});
    }

    SearchResult finish(StopReason reason) {
        SearchResult result;
        result.thread = m_run.best().thread;
        result.check = rewrite::check(*m_run.bank(), result.thread);
        result.costs = m_run.costsOfBest();
        result.bank = m_run.bank();
        result.initialCost = m_initialCost;
        result.bestCost = m_run.best().cost;
        result.reason = reason;
        for (const egraph::LeftOutRule& rule : m_run.report().leftOut) {
            result.notes.push_back(fmt::format("{} was left out: with it {}", rule.rule, rule.reason));
        }
        if (m_run.plan().raisesMulti) {
            result.notes.push_back(
                fmt::format("k_multi was raised to {}", m_run.plan().growth.schedulerOptions.multiIterations));
        }
        if (const std::string& note = m_run.rankingNote(); !note.empty()) result.notes.push_back(note);
        if (const std::string& note = m_run.extraction().note(); !note.empty()) result.notes.push_back(note);
        if (const auto& refused = m_run.extraction().refused()) result.notes.push_back(refused->toString());
        result.statistics = m_run.statistics();
        const egraph::SaturationReport& grown = m_run.report();
        report(GrowthEnded{grown.stop, grown.detail, grown.gainDetail});
        report(Finished{reason});
        return result;
    }

private:
    void report(EventBody what) {
        const bool isLast = std::holds_alternative<Finished>(what);
        const SearchStatistics now = m_run.statistics();
        const extract::CheckedExtraction::Found& best = m_run.best();
        m_observer.onEvent({.what = std::move(what),
                            .seconds = now.seconds,
                            .evaluations = now.evaluations,
                            .states = now.states,
                            .frontier = 0,
                            .memoryBytes = now.memoryBytes,
                            .cost = best.cost,
                            .best = best.cost,
                            .pathLength = static_cast<std::uint32_t>(best.thread.steps.size())});
        if (!isLast) m_observer.onBest([this] { return bestSoFar(); });
    }

    /// The best thread so far, copied to its own bank.
    std::optional<BestSoFar> bestSoFar() {
        BestSoFar found{std::make_shared<ir::TermBank>(m_run.bank()->sharedRegistry()), {}, m_run.costsOfBest()};
        found.thread = rewrite::transplant(*m_run.bank(), m_run.best().thread, *found.bank);
        return found;
    }

    SaturationRun& m_run;
    Observer& m_observer;
    SaturationRun::Follower* m_next;
    double m_initialCost;
};

class Saturation final : public DescribedStrategy {
public:
    Saturation(StrategyInfo info, std::shared_ptr<SaturationRun::Follower> follower, std::string goal)
        : m_info(std::move(info)),
          m_follower(std::move(follower)),
          m_goal(std::move(goal)) {}

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        MITOS_TRY(const auto rules, egraph::prepareRules(problem.rules));
        SaturationPlan plan = planOf(parameters, problem.bank.dialect(problem.program.function));
        plan.budget = completed(problem.budget);
        plan.seed = problem.seed;
        plan.recordsGains = m_follower != nullptr;
        MITOS_TRY(const auto run, makeRun(problem, std::move(plan)));
        if (const double cost = run->best().cost; !std::isfinite(cost)) {
            return inputError(
                fmt::format("the program has no cost under {}: it comes out as {}", problem.cost->info().name, cost),
                "Choose another cost model, or a smaller program.");
        }
        EventReporter reporter(*run, observer, m_follower.get());
        MITOS_TRY(const StopReason reason, run->run(rules, stop, reporter));
        return reporter.finish(reason);
    }

private:
    [[nodiscard]] Result<std::shared_ptr<SaturationRun>> makeRun(const SearchProblem& problem,
                                                                 SaturationPlan plan) const {
        if (m_goal.empty()) {
            return std::make_shared<SaturationRun>(problem.bank, std::vector{problem.program}, problem.cost,
                                                   std::move(plan));
        }
        ir::TermBank bank(problem.bank.sharedRegistry());
        const ir::Program start = ir::Transplanter(problem.bank, bank).program(problem.program);
        MITOS_TRY(const ir::Program goal, rewrite::readProgramLike(bank, "goal", m_goal, bank, start));
        return std::make_shared<SaturationRun>(bank, std::vector{start}, problem.cost, std::move(plan),
                                               std::vector{goal});
    }

    StrategyInfo m_info;
    std::shared_ptr<SaturationRun::Follower> m_follower;
    std::string m_goal;
};

}  // namespace

std::unique_ptr<Strategy> makeSaturation(std::shared_ptr<SaturationRun::Follower> follower, std::string goal) {
    return std::make_unique<Saturation>(describeSaturation(), std::move(follower), std::move(goal));
}
std::unique_ptr<Strategy> makeTensat(std::shared_ptr<SaturationRun::Follower> follower, std::string goal) {
    return std::make_unique<Saturation>(describeTensat(), std::move(follower), std::move(goal));
}
std::unique_ptr<Strategy> makeEGraphMcts(std::shared_ptr<SaturationRun::Follower> follower, std::string goal) {
    return std::make_unique<Saturation>(describeEGraphMcts(), std::move(follower), std::move(goal));
}

std::vector<std::shared_ptr<const Strategy>> saturationStrategies(
    const std::shared_ptr<SaturationRun::Follower>& follower, const std::string& goal) {
    return {makeSaturation(follower, goal), makeTensat(follower, goal), makeEGraphMcts(follower, goal)};
}

}  // namespace mitos::search
