// SPDX-License-Identifier: GPL-3.0-or-later
// One saturation: an e-graph grown from programs, its cheapest programs, and the choice of the result. Strategies, the command
// `saturate` and the desktop all run this class, so the same settings give the same program.
#pragma once

#include "core/egraph/runner.h"
#include "core/extract/checked.h"
#include "core/extract/rule_gains.h"
#include "search/saturation/guided_growth.h"
#include "search/saturation/ranked_rules.h"
#include "search/strategy.h"

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::search {

using EGraphRules = std::vector<std::shared_ptr<const egraph::EGraphRule>>;

/// The defaults of TENSAT's program.
inline constexpr std::uint32_t TensatIterations = 15;
inline constexpr std::uint64_t TensatNodes = 50'000;

/// A growth by TENSAT's schedule before that of a run, on an e-graph of its own. The budget's limits apply to it, too.
struct TensatFirst {
    std::uint64_t nodes = TensatNodes;  ///< the most e-nodes
    /// Iterations of the rules with several roots; 0: in as many as it takes, as SaturationPlan::raisesMulti says.
    std::uint32_t multiIterations = 1;
};

/// The settings of a saturation.
struct SaturationPlan {
    egraph::SaturationOptions growth;  ///< scheduler, limits of the growth, policy for cycles
    Budget budget = {};                ///< of the whole run; a limit that is not set does not apply
    double extractionShare = 0.25;     ///< part of the budget's seconds that is reserved for extraction
    std::string method = "tree";       ///< of the extraction at the end
    double extractionSeconds = 10.0;   ///< time limit of that extraction
    std::uint64_t seed = 1;            ///< of that extraction
    bool keepsReasons = true;          ///< without reasons, programs count without a thread that leads to them
    bool pricesIterations = true;      ///< whether the cheapest programs are extracted after each iteration
    bool extractsOnce = false;         ///< the method alone chooses the result, after the growth
    /// The growth is tried with more and more iterations of the rules with several roots, until it reaches a limit, or until one more
    /// changes nothing; the last is the run's.
    bool raisesMulti = false;
    bool recordsGains = false;                ///< whether improvements are attributed to rules (extract::RuleGains)
    std::optional<GuideSettings> guide = {};  ///< tree search chooses the rules, in place of the growth's scheduler
    /// The file of a ranking (search/rule_ranking.h), or NoRanking: rules are applied in its order, and a guide has it as its prior.
    std::string ranking = NoRanking;
    /// Whether the programs of an e-graph that TENSAT's schedule grows first count as well, so that those of a guided growth are never
    /// worse.
    std::optional<TensatFirst> tensatFirst = {};
};

/// The plan for programs of the dialect: where terms share nodes, cycles are filtered and all extraction methods compete at the end;
/// otherwise the cheapest terms are the result.
[[nodiscard]] SaturationPlan usualPlan(const ir::Dialect& dialect);
/// The plan that a strategy's parameters describe (see saturation.h), without a budget.
[[nodiscard]] SaturationPlan planOf(const ParameterValues& parameters, const ir::Dialect& dialect);

/// Whether every parameter of the goal is a parameter of the start; otherwise no thread leads from the start to the goal.
[[nodiscard]] bool hasVariablesOf(const ir::TermBank& bank, const ir::Program& start, const ir::Program& goal);

/// A saturation in its own bank. The e-graph and the cheapest programs stay available after run(). Used by one thread at a time.
class SaturationRun : public std::enable_shared_from_this<SaturationRun> {
public:
    /// Called on the run's thread, while the e-graph is clean.
    class Follower {
    public:
        virtual ~Follower() = default;
        virtual void onStart(SaturationRun& run) { static_cast<void>(run); }  ///< the e-graph holds the starts
        /// The run began anew without a rule (the last of SaturationReport::leftOut): earlier iterations and programs are void.
        virtual void onRestart(SaturationRun& run) { static_cast<void>(run); }
        virtual void onIteration(SaturationRun& run) { static_cast<void>(run); }  ///< it is priced, if the plan says so
        virtual void onImproved(SaturationRun& run) { static_cast<void>(run); }   ///< a cheaper program was found
        /// Tree search chose the rule of the next iteration.
        virtual void onChosen(SaturationRun& run, const GuideTree& tree) {
            static_cast<void>(run), static_cast<void>(tree);
        }
    };

    /// A program that is to become equal to a start.
    struct Goal {
        ir::Program program;
        egraph::ENodeId node;
        std::optional<std::size_t> start;  ///< the first start that it is equal to; empty: not found
        std::uint32_t iteration = 0;       ///< the iteration after which it was found; 0: before the first
    };

    /// Copies the starts, of which there is at least one and which are all trees or all graphs, from `bank`, and the goals.
    /// The growth ends when every goal is equal to a start (egraph::StopReason::Found). Goals join the e-graph beside the
    /// starts, so rules apply to them too: a proof may meet in the middle, and contains reversed steps then. An e-graph
    /// only states equalities, so the presence of a goal adds none that does not follow from the rules.
    SaturationRun(const ir::TermBank& bank, const std::vector<ir::Program>& starts,
                  std::shared_ptr<const cost::CostModel> cost, SaturationPlan plan,
                  const std::vector<ir::Program>& goals = {});
    SaturationRun(const SaturationRun&) = delete;
    SaturationRun& operator=(const SaturationRun&) = delete;

    /// Grows the e-graph and chooses the results; called once. Fails as egraph::saturate() and rankRules() do. A stop ends the growth; the result
    /// is then the best of the iterations so far.
    [[nodiscard]] Result<StopReason> run(const EGraphRules& rules, const std::stop_token& stop, Follower& follower);

    [[nodiscard]] const std::shared_ptr<ir::TermBank>& bank() const { return m_bank; }
    [[nodiscard]] const std::vector<ir::Program>& starts() const { return m_starts; }
    [[nodiscard]] egraph::ENodeId root(std::size_t start = 0) const { return m_roots[start]; }
    [[nodiscard]] egraph::EGraph& graph() { return m_graph; }
    [[nodiscard]] cost::CostEvaluator& costs() { return *m_costs; }
    [[nodiscard]] extract::CheckedExtraction& extraction() { return *m_extraction; }
    [[nodiscard]] const extract::CheckedExtraction::Found& best(std::size_t start = 0) const {
        return m_extraction->best(start);
    }
    /// The report so far. Iterations have a cost if the plan prices them, and gains if it records them.
    [[nodiscard]] const egraph::SaturationReport& report() const { return *m_report; }
    [[nodiscard]] const SaturationPlan& plan() const { return m_plan; }
    [[nodiscard]] const std::vector<Goal>& goals() const { return m_goals; }
    /// RankedRules::note.
    [[nodiscard]] const std::string& rankingNote() const { return m_ranks.note; }
    /// The thread from the goal's start to the goal. Fails if the goal was not found, and as egraph::explain() does.
    [[nodiscard]] Result<rewrite::Thread> threadTo(const Goal& goal);
    /// Costs of the states of the best thread, start first.
    [[nodiscard]] std::vector<double> costsOfBest(std::size_t start = 0) {
        return costsOf(m_starts[start], best(start).thread);
    }
    /// Costs of the start and of the states of a thread, which may be empty.
    [[nodiscard]] std::vector<double> costsOf(const ir::Program& start, const rewrite::Thread& thread);
    /// Evaluations, iterations (as expansions), matches (as rewrites), e-nodes (as states), memory and time so far.
    [[nodiscard]] SearchStatistics statistics() const;

    /// A run in its own bank that is where these rules, by number, lead from the starts, each applied once to all places: an e-graph that
    /// tree search tried. Requires that run() began. Fails with Cancelled if it is stopped.
    [[nodiscard]] Result<std::shared_ptr<SaturationRun>> after(const std::vector<std::uint32_t>& rules,
                                                               const std::stop_token& stop) const;

    /// The cheapest program of the e-graph for the first start under another cost model; the best found until a stop.
    [[nodiscard]] rewrite::Thread cheapestUnder(const cost::CostModel& cost, const std::stop_token& stop);

private:
    [[nodiscard]] double elapsed() const;
    /// The plan's growth with the limits of the budget, and so many e-nodes at most.
    [[nodiscard]] egraph::SaturationOptions limitedGrowth(std::optional<std::uint64_t> nodes);
    /// Sets the growth's iterations of the rules with several roots, as SaturationPlan::raisesMulti says. Fails as egraph::saturate() does.
    [[nodiscard]] Status raiseMulti(egraph::SaturationOptions& growth, const EGraphRules& rules,
                                    const std::stop_token& stop);
    /// Takes what the e-graph that TENSAT's schedule grows contains. Fails as egraph::saturate() does.
    [[nodiscard]] Status tryTensat(const EGraphRules& rules, const std::stop_token& stop);
    /// The options of an extraction that begins so many seconds after the run. If it is not the last one, it may take the part of the
    /// time left that is reserved for extraction.
    [[nodiscard]] extract::Options extractionOptions(double begun, bool isLast) const;
    /// Finds the goals that are equal to a start; returns whether all are.
    bool findGoals(const egraph::SaturationReport& report);
    void begin(const EGraphRules& rules);
    void beginGains(const EGraphRules& rules);
    /// Discards what was found if the run began anew.
    void follow(const egraph::SaturationReport& report, const EGraphRules& rules);
    void afterIteration(egraph::SaturationReport& soFar);
    /// `isLast`: the extraction may use all the time that is left.
    void extract(const std::string& method, bool isLast);
    /// `seconds`: until the growth must end.
    [[nodiscard]] std::unique_ptr<egraph::Scheduler> guideOf(const egraph::RunInProgress& run,
                                                             std::optional<double> seconds);
    /// The extraction in simulations.
    [[nodiscard]] std::string simulationMethod() const;
    /// Makes the graph of the simulations so far with the cheapest programs, if a search found cheaper ones than those before it.
    void keepSimulated(const egraph::RunInProgress& run);
    /// Takes the cheapest programs of the simulations so far where they are cheaper, unless the run was stopped: explaining them may take
    /// long.
    void takeSimulated();
    /// Whether one more term may be evaluated, which is counted then. Looks at the clock and the memory now and then.
    bool mayEvaluate();
    /// Counts so many evaluations, or as many as the budget allows, and returns their number.
    std::uint64_t count(std::uint64_t evaluations, bool looksAtClock);

    std::shared_ptr<ir::TermBank> m_bank;
    std::vector<ir::Program> m_starts;
    std::shared_ptr<const cost::CostModel> m_model;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    SaturationPlan m_plan;
    egraph::EGraph m_graph;
    std::vector<egraph::ENodeId> m_roots;
    std::vector<Goal> m_goals;
    std::optional<extract::CheckedExtraction> m_extraction;
    extract::ContentCosts m_knownCosts;             ///< of e-graphs in simulations
    std::optional<egraph::EGraph> m_bestSimulated;  ///< the graph of the simulations with the cheapest programs
    double m_simulatedCost = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t>
        m_simulatedRules;  ///< from the present graph to one with cheaper programs; empty: none is cheaper
    std::optional<extract::RuleGains> m_gains;
    egraph::SaturationReport m_ownReport;  ///< before the growth, and after it
    const egraph::SaturationReport* m_report = &m_ownReport;
    EGraphRules m_rules;
    RankedRules m_ranks;
    egraph::SchedulerFactory m_rankedSchedulers;  ///< empty without a ranking
    std::stop_token m_stop;
    Follower* m_follower = nullptr;
    std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
    SearchStatistics m_statistics;
    double m_extractionSeconds = 0.0;
    std::optional<StopReason> m_ended;  ///< why evaluation ended
};

}  // namespace mitos::search
