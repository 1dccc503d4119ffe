// SPDX-License-Identifier: GPL-3.0-or-later
// Several strategies within one budget, since no single strategy is best for every program.
#include "core/base/hash.h"
#include "core/ir/dialect.h"
#include "search/cost_order.h"
#include "search/holding.h"
#include "search/parallel.h"
#include "search/rewriting/rewriting.h"
#include "search/series.h"
#include "search/strategies/internal/schedule.h"
#include "search/strategies/strategies.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace mitos::search {

namespace {

/// E-graphs find programs whose derivation increases the cost first; rewriting finds programs that share common subexpressions.
constexpr const char* DefaultParts = "saturation @ 35%; phases @ 45%";

/// Merges the events of searches that run in sequence or in parallel into those of one search. Not thread-safe.
class MergedEvents {
public:
    explicit MergedEvents(std::size_t lanes) : m_lanes(lanes) {}

    void begin(std::size_t lane, std::string part, std::size_t steps) {
        m_lanes[lane].part = std::move(part);
        m_lanes[lane].steps = static_cast<std::uint32_t>(steps);
    }

    /// The best cost of all lanes, and of the current run of one lane.
    [[nodiscard]] double best() const { return m_best; }
    [[nodiscard]] double bestOf(std::size_t lane) const { return m_lanes[lane].last.best; }

    /// Records that the run of the lane has ended, and adds what it used to the lane's totals. `known` is the best accepted result;
    /// better programs that the run reported but that were not accepted are discarded.
    void end(std::size_t lane, const SearchStatistics& used, const SearchResult& known) {
        m_lanes[lane].evaluations += used.evaluations;
        m_lanes[lane].states += used.states;
        m_lanes[lane].last = {};
        m_lanes[lane].isRunning = false;
        m_best = known.bestCost;
        m_pathLength = static_cast<std::uint32_t>(known.thread.steps.size());
        for (const Lane& each : m_lanes) {
            if (!each.isRunning || !(each.last.best < m_best)) continue;
            m_best = each.last.best;
            m_pathLength = each.steps + each.last.pathLength;
        }
    }

    /// The event to report, if any: ends of single runs are not reported, nor improvements that are no better than the best of all
    /// lanes.
    std::optional<SearchEvent> merged(std::size_t lane, const SearchEvent& event, double seconds) {
        Lane& own = m_lanes[lane];
        own.last = event;
        own.isRunning = true;
        if (event.is<Finished>() || (event.is<Started>() && m_hasStarted)) return std::nullopt;
        if (isOfGrowth(event) && !event.is<Iteration>()) return std::nullopt;
        if (event.is<Improved>() && !isLower(event.best, m_best)) return std::nullopt;
        if (!m_hasStarted || event.best < m_best) {
            m_best = event.best;
            m_pathLength = own.steps + event.pathLength;
        }
        m_hasStarted = true;
        SearchEvent result = event;
        // The e-graphs of several parts are not one growth.
        if (event.is<Iteration>()) result.what = Progress{};
        result.seconds = seconds;
        result.evaluations = result.states = result.frontier = result.memoryBytes = 0;
        for (const Lane& each : m_lanes) {
            result.evaluations += each.evaluations + each.last.evaluations;
            result.states += each.states + each.last.states;
            result.frontier += each.last.frontier;
            result.memoryBytes += each.last.memoryBytes;
        }
        result.best = m_best;
        result.pathLength = m_pathLength;
        result.part = own.part;
        return result;
    }

private:
    struct Lane {
        std::string part;
        std::uint32_t steps = 0;  ///< number of steps from the start to where the part begins
        std::uint64_t evaluations = 0;
        std::uint64_t states = 0;
        SearchEvent last;
        bool isRunning = false;  ///< whether `last` belongs to a run in progress
    };

    std::vector<Lane> m_lanes;
    bool m_hasStarted = false;
    double m_best = 0.0;
    std::uint32_t m_pathLength = 0;
};

/// One search. Its parts run on one lane, or, if only the time is limited, in parallel on several lanes, one thread each.
class PortfolioRun {
public:
    PortfolioRun(const SearchProblem& problem, std::vector<SearchPart> parts, std::size_t lanes, std::stop_token stop,
                 Observer& observer)
        : m_problem(problem),
          m_parts(std::move(parts)),
          m_budget(problem.budget),
          m_laneCount(whole().evaluations || whole().states ? 1 : std::min(lanes, m_parts.size())),
          m_stop(std::move(stop)),
          m_observer(observer),
          m_events(m_laneCount) {}

    [[nodiscard]] Result<SearchResult> run() {
        MITOS_REQUIRE(simplify());
        if (m_laneCount == 1) {
            while (const std::optional<Task> task = nextTask()) runTask(0, *task);
        } else {
            runLanes();
        }
        // A part that cannot handle the problem is skipped; if no part can, its error is returned.
        if (!m_hasResult && m_failure) return *m_failure;
        SearchResult result = *m_best;
        const std::string part = result.statistics.part;
        result.statistics = m_budget.used();
        result.statistics.part = part;
        result.dropped = m_dropped;
        result.reason = m_stop.stop_requested() ? StopReason::Stopped : m_budget.usedUp().value_or(m_reason);
        m_observer.onEvent(finishedEvent(result));
        return result;
    }

private:
    using Found = std::shared_ptr<const SearchResult>;

    struct Task {
        std::size_t part = 0;
        Found from;
        Budget budget;
        std::uint64_t seed = 0;
    };

    /// Forwards the events of one lane.
    class LaneObserver final : public Observer {
    public:
        LaneObserver(PortfolioRun& run, std::size_t lane) : m_run(run), m_lane(lane) {}
        void onEvent(const SearchEvent& event) override { m_run.forward(m_lane, event); }
        void onBest(FindBest find) override { m_run.forwardBest(m_lane, find); }

    private:
        PortfolioRun& m_run;
        std::size_t m_lane;
    };

    [[nodiscard]] const Budget& whole() const { return m_budget.whole(); }

    /// Applies the rules that are always beneficial, without using the budget; every part starts from the result.
    [[nodiscard]] Status simplify() {
        DirectedRules rules = selectRules({AlwaysTag}, m_problem.rules);
        const Budget budget{
            .seconds = whole().seconds, .memoryBytes = whole().memoryBytes, .reservedBytes = whole().reservedBytes};
        LaneObserver lane(*this, 0);
        UncountedObserver events(lane);
        m_events.begin(0, SimplifyName, 0);
        MITOS_TRY(SearchResult result, runHolding(*makeSimplify(),
                                                  {m_problem.bank,
                                                   m_problem.program,
                                                   std::move(rules),
                                                   m_problem.cost,
                                                   budget,
                                                   m_problem.seed,
                                                   {},
                                                   m_problem.comparingSeconds},
                                                  m_stop, events, 0.0));
        m_dropped = result.dropped;
        m_events.end(0, {}, result);
        result.statistics.part = result.thread.steps.empty() ? "" : SimplifyName;
        m_reason = result.reason;
        m_base = m_best = std::make_shared<const SearchResult>(std::move(result));
        return Success{};
    }

    /// The budget of a run: a part's first run gets its share; after the first runs, each gets half of the remaining budget, and
    /// all of it once less than a tenth is left. With several lanes each run gets all of the remaining time.
    [[nodiscard]] Budget budgetOf(const SearchPart& part, bool isFirst) const {
        constexpr double Rest = 0.1;
        Budget budget = m_budget.next([&](double whole, double left) {
            if (isFirst) return std::min(part.share * whole, left);
            return left < Rest * whole ? left : left / 2.0;
        });
        if (budget.seconds && m_laneCount > 1) budget.seconds = *whole().seconds - m_budget.seconds();
        *budget.memoryBytes /= m_laneCount;
        budget.reservedBytes /= m_laneCount;
        return budget;
    }

    /// The next run: first every part from the simplified start; then the parts that have not yet started from the best so far.
    [[nodiscard]] std::optional<Task> nextTask() {
        const std::scoped_lock lock(m_mutex);
        if (m_stop.stop_requested() || m_hasThrown || m_budget.usedUp()) return std::nullopt;
        const bool isFirst = m_turn < m_parts.size();
        if (!isFirst && m_best == m_base) return std::nullopt;
        const Found from = isFirst ? m_base : m_best;
        for (std::size_t tries = 0; tries < m_parts.size(); ++tries) {
            const std::size_t part = m_turn++ % m_parts.size();
            if (!m_begun.emplace(part, from).second) continue;
            const std::uint64_t seed = isFirst ? m_problem.seed : combineHash(m_problem.seed, m_turn);
            return Task{part, from, budgetOf(m_parts[part], isFirst), seed};
        }
        return std::nullopt;
    }

    void runTask(std::size_t lane, const Task& task) {
        const SearchPart& part = m_parts[task.part];
        std::string name = part.strategy->info().name;
        std::vector<std::shared_ptr<const rules::DirectedRule>> rules;
        if (!task.from->statistics.part.empty() && task.from != m_base) name += " after " + task.from->statistics.part;
        {
            const std::scoped_lock lock(m_mutex);
            rules = rulesWithout(m_problem.rules, m_dropped);
            m_from[lane] = task.from;
            m_events.begin(lane, name, task.from->thread.steps.size());
        }
        LaneObserver events(*this, lane);
        // A result can have other values, because rules that may make an undefined value defined also apply backwards in e-graphs.
        Result<SearchResult> run =
            runHolding(*part.strategy,
                       {*task.from->bank, task.from->thread.end(), std::move(rules), m_problem.cost, task.budget,
                        task.seed, part.parameters, m_problem.comparingSeconds},
                       m_stop, events, 0.0);
        Found found;
        if (run && run->check.valid && isLower(run->bestCost, task.from->bestCost)) {
            SearchResult whole = joined(*task.from, *run);
            whole.statistics.part = name;
            compact(whole);
            if (whole.check.valid) found = std::make_shared<const SearchResult>(std::move(whole));
        }
        const std::scoped_lock lock(m_mutex);
        if (!run) {
            if (!m_failure) m_failure = run.error();
            m_events.end(lane, {}, *m_best);
            return;
        }
        m_hasResult = true;
        for (const rewrite::RuleRemark& rule : run->dropped) {
            const bool isKnown = std::ranges::find(m_dropped, rule.rule, &rewrite::RuleRemark::rule) != m_dropped.end();
            if (!isKnown) m_dropped.push_back(rule);
        }
        m_budget.add(run->statistics);
        m_reason = run->reason;
        if (found && isLower(found->bestCost, m_best->bestCost)) m_best = std::move(found);
        m_events.end(lane, run->statistics, *m_best);
        if (m_lastBestCost && *m_lastBestCost < m_events.best()) m_lastBestCost.reset();
    }

    void forward(std::size_t lane, const SearchEvent& event) {
        std::unique_lock lock(m_mutex);
        const std::optional<SearchEvent> merged = m_events.merged(lane, event, m_budget.seconds());
        if (!merged) return;
        if (std::this_thread::get_id() == m_caller) {
            lock.unlock();
            m_observer.onEvent(*merged);
        } else {
            m_waitingEvents.push_back(*merged);
            m_changed.notify_one();
        }
    }

    /// Forwards the thread to the best state. On the thread of a lane, constructs it for the thread that started the search, but only
    /// for the lane that found the best, and at most every half second.
    void forwardBest(std::size_t lane, FindBest find) {
        Found from;
        double best = 0.0;
        {
            const std::scoped_lock lock(m_mutex);
            from = m_from[lane];
            best = m_events.bestOf(lane);
            if (m_events.best() < best) return;
        }
        const auto whole = [&] { return from ? bestAfter(*from, best, find) : find(); };
        if (std::this_thread::get_id() == m_caller) {
            m_observer.onBest(whole);
            return;
        }
        constexpr double Pause = 0.5;  // seconds
        {
            const std::scoped_lock lock(m_mutex);
            if ((m_lastBestCost && !(best < *m_lastBestCost)) || m_budget.seconds() < m_nextBest) return;
            m_nextBest = m_budget.seconds() + Pause;
            m_lastBestCost = best;
        }
        std::optional<BestSoFar> found = whole();
        const std::scoped_lock lock(m_mutex);
        if (!found) {
            if (m_lastBestCost == best) m_lastBestCost.reset();
            return;
        }
        if (m_lastBestCost && *m_lastBestCost < best) return;  // another lane has stored a better one meanwhile
        m_waitingBest = std::move(found);
        m_changed.notify_one();
    }

    /// Runs the lanes. All calls of the observer take place on the thread that started the search.
    void runLanes() {
        std::size_t running = m_laneCount;
        std::exception_ptr failure;
        const auto work = [&](std::size_t lane) {
            try {
                while (const std::optional<Task> task = nextTask()) runTask(lane, *task);
            } catch (const std::exception&) {
                const std::scoped_lock lock(m_mutex);
                if (!failure) failure = std::current_exception();
                m_hasThrown = true;
            }
            const std::scoped_lock lock(m_mutex);
            --running;
            m_changed.notify_one();
        };
        {
            std::vector<std::jthread> threads;
            for (std::size_t lane = 0; lane < m_laneCount; ++lane) threads.emplace_back(work, lane);
            std::unique_lock lock(m_mutex);
            while (running > 0 || !m_waitingEvents.empty()) {
                m_changed.wait(lock, [&] { return running == 0 || !m_waitingEvents.empty() || m_waitingBest; });
                const std::deque<SearchEvent> events = std::exchange(m_waitingEvents, {});
                std::optional<BestSoFar> kept = std::exchange(m_waitingBest, std::nullopt);
                lock.unlock();
                for (const SearchEvent& event : events) m_observer.onEvent(event);
                if (kept) m_observer.onBest([&kept] { return std::exchange(kept, std::nullopt); });
                lock.lock();
            }
        }
        if (failure && !m_hasResult) std::rethrow_exception(failure);  // otherwise the other parts provide the result
    }

    const SearchProblem& m_problem;
    const std::vector<SearchPart> m_parts;
    SeriesBudget m_budget;  // what was used of it changes under the mutex
    const std::size_t m_laneCount;
    const std::stop_token m_stop;
    Observer& m_observer;
    const std::thread::id m_caller = std::this_thread::get_id();

    std::mutex m_mutex;  // guards all members below while lanes run
    std::condition_variable m_changed;
    std::deque<SearchEvent> m_waitingEvents;
    MergedEvents m_events;
    std::vector<Found> m_from = std::vector<Found>(m_laneCount);  ///< where each lane's run began; null: at the start
    std::optional<BestSoFar> m_waitingBest;                       ///< not yet forwarded
    std::optional<double> m_lastBestCost;                         ///< cost of the last thread that was constructed
    double m_nextBest = 0.0;
    Found m_base;  ///< the simplified start
    Found m_best;
    std::vector<rewrite::RuleRemark>
        m_dropped;  ///< rules that changed values; the parts that begin later do without them
    std::size_t m_turn = 0;
    std::set<std::pair<std::size_t, Found>> m_begun;
    StopReason m_reason = StopReason::Exhausted;
    bool m_hasResult = false;
    bool m_hasThrown = false;
    std::optional<Error> m_failure;
};

class Portfolio final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        MITOS_TRY(std::vector<SearchPart> parts, parseParts("parts", std::get<std::string>(parameters.at("parts"))));
        const std::int64_t threads = std::get<std::int64_t>(parameters.at("threads"));
        const std::size_t lanes = threads > 0 ? static_cast<std::size_t>(threads) : defaultJobs();
        if (const std::int64_t depth = std::get<std::int64_t>(parameters.at("depth")); depth > 0) {
            for (SearchPart& part : parts) setDepth(part, depth);
        }
        return PortfolioRun(problem, std::move(parts), lanes, std::move(stop), observer).run();
    }

private:
    static void setDepth(SearchPart& part, std::int64_t depth) {
        const std::vector<ParameterInfo>& known = part.strategy->info().parameters;
        if (std::ranges::find(known, "depth", &ParameterInfo::name) == known.end()) return;
        part.parameters.try_emplace("depth", depth);
    }

    StrategyInfo m_info{
        .name = "portfolio",
        .label = "Portfolio",
        .title = "Several strategies within one budget",
        .description =
            "Applies the rules tagged always (which uses no budget), then runs every part from there, then from "
            "the best program so far, and reports which part found it. If only the time is limited, the parts "
            "run in parallel and each has all of it; otherwise they run in sequence with their shares.",
        .parameters =
            {{.name = "parts",
              .title = "Parts",
              .help = "Strategies separated by ';', each: strategy(name=value, …) @ share of the budget in %.",
              .defaultValue = std::string(DefaultParts)},
             depthParameter(
                 "Largest number of steps of a part that counts steps, unless the part says otherwise; 0: its own "
                 "default.",
                 0, {.least = 0}),
             {.name = "threads",
              .title = "Threads",
              .help = "Parts that run in parallel if only the time is limited; 0: one for each processor.",
              .defaultValue = std::int64_t{0},
              .minimum = 0,
              .maximum = 64}},
        .randomized = true};  // its parts may be randomized
};

}  // namespace

std::unique_ptr<Strategy> makePortfolio() { return std::make_unique<Portfolio>(); }

}  // namespace mitos::search
