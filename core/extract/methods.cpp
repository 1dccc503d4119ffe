// SPDX-License-Identifier: GPL-3.0-or-later
// The methods that are made of trees, greedy choices, local search, random keys and exact search; paper.cpp has the other one.
#include "core/extract/bottom_up.h"
#include "core/extract/check.h"
#include "core/extract/internal/exact.h"
#include "core/extract/internal/local_search.h"
#include "core/extract/internal/method.h"
#include "core/extract/internal/random_keys.h"
#include "core/extract/internal/reduce.h"
#include "core/extract/internal/shared_bottom_up.h"

#include <fmt/format.h>

#include <optional>
#include <thread>
#include <utility>

namespace mitos::extract {

namespace {

/// Maximum share of the time for the start of exact search.
constexpr double ShareOfStart = 0.2;
/// Shares of the time of "best" for the paper's method, and for local search before other methods run beside it.
constexpr double ShareOfPaper = 0.1;
constexpr double ShareOfLocal = 0.25;

/// The greedy choice, improved by local search.
Choice improvedGreedy(const Problem& problem, const Deadline& deadline) {
    const ParentIndex parents(problem);
    return searchLocally(problem, parents, greedyChoice(problem, parents, deadline), deadline);
}

Deadline shareOf(const Deadline& deadline, double share) {
    return Deadline(deadline.secondsLeft() * share, deadline.stop());
}

/// The choice of the original problem.
Choice expanded(const Reduction& reduction, const Choice& choice) {
    return reduction.expand(needed(reduction.problem, choice));
}

/// First the fast methods, then random keys concurrently with exact search. Each part starts as it does alone, with the same seed, so that
/// within the same work none is better than the whole.
class Best {
public:
    Best(const Problem& problem, const Options& options, const Deadline& deadline)
        : m_problem(problem),
          m_options(options),
          m_deadline(deadline) {}

    Result<Extraction> run() {
        offer("tree", runTree(m_problem, m_options, m_deadline)->choice);
        const Reduction reduction = reduce(m_problem, m_deadline);
        const ParentIndex parents(reduction.problem);
        const Choice greedy = greedyChoice(reduction.problem, parents, m_deadline);
        const Deadline soon = shareOf(m_deadline, ShareOfLocal);
        const Choice local = searchLocally(reduction.problem, parents, greedy, soon);
        const bool isFinished = !soon.isReached();
        offer("dag", expanded(reduction, local));
        Extraction answer;
        if (m_deadline.isReached()) {
            answer.choice = std::move(m_choice);
            answer.note = fmt::format("found by {} when the time limit was reached", m_method);
            return answer;
        }
        offer("paper", runPaper(m_problem, m_options, shareOf(m_deadline, ShareOfPaper))->choice);

        std::optional<Result<Extraction>> exact;
        if (!isFinished) {
            // Exact search would only take time from local search.
            searchBesideLocal(reduction, parents, greedy, local);
        } else if (hasNegativeCosts(m_problem)) {
            searchOn(reduction, greedy, m_deadline);
        } else {
            exact = searchBesideExact(reduction, greedy, local);
        }
        if (exact && exact->ok()) {
            const Extraction& found = **exact;
            offer("ilp", expanded(reduction, found.choice));
            if (found.bound) answer.bound = *found.bound + reduction.paid;
            // Another method may have found the least cost first.
            answer.proven = found.proven;
        }
        answer.choice = std::move(m_choice);
        answer.note = fmt::format("found by {}", m_method);
        if (exact && !exact->ok()) answer.note += fmt::format("; no exact search: {}", exact->error().message);
        return answer;
    }

private:
    void offer(std::string_view method, Choice choice) {
        const CheckReport report = check(m_problem, choice);
        if (!report.valid || (!m_choice.empty() && report.cost >= m_cost)) return;
        m_choice = std::move(choice);
        m_cost = report.cost;
        m_method = method;
    }

    /// The solver runs in its own process; meanwhile random keys search until it has a proof or the time is up.
    Result<Extraction> searchBesideExact(const Reduction& reduction, const Choice& greedy, const Choice& local) {
        std::stop_source proven;
        const std::stop_callback passOn(m_deadline.stop(), [&proven] { proven.request_stop(); });
        std::optional<Result<Extraction>> exact;
        {
            const std::jthread solver([&] {
                exact = solveExactly(reduction.problem, local, m_options, m_deadline);
                if (exact->ok() && (*exact)->proven) proven.request_stop();
            });
            searchOn(reduction, greedy, Deadline(m_deadline.secondsLeft(), proven.get_token()));
        }
        return std::move(*exact);
    }

    /// Local search goes on from `local` while random keys search.
    void searchBesideLocal(const Reduction& reduction, const ParentIndex& parents, const Choice& greedy,
                           const Choice& local) {
        Choice improved;
        {
            const std::jthread search([&] { improved = searchLocally(reduction.problem, parents, local, m_deadline); });
            searchOn(reduction, greedy, m_deadline);
        }
        offer("dag", expanded(reduction, improved));
    }

    void searchOn(const Reduction& reduction, const Choice& start, const Deadline& deadline) {
        if (reduction.problem.classCount() == 0) return;
        offer("brkga", expanded(reduction, searchByRandomKeys(reduction.problem, start, m_options, deadline).choice));
    }

    const Problem& m_problem;
    const Options& m_options;
    const Deadline& m_deadline;
    Choice m_choice;
    double m_cost = 0.0;
    std::string_view m_method;
};

}  // namespace

Choice greedyChoice(const Problem& problem, const ParentIndex& parents, const Deadline& deadline) {
    const std::vector<double> weight = nonNegativeCosts(problem);
    Choice tree = bottomUp(problem, parents, weight).choice;
    Choice shared = sharedBottomUp(problem, parents, weight, deadline);
    return check(problem, shared).cost < check(problem, tree).cost ? shared : tree;
}

Result<Extraction> runTree(const Problem& problem, const Options& /*options*/, const Deadline& /*deadline*/) {
    Extraction answer;
    answer.choice = bottomUp(problem, ParentIndex(problem), nonNegativeCosts(problem)).choice;
    return answer;
}

Result<Extraction> runDag(const Problem& problem, const Options& /*options*/, const Deadline& deadline) {
    const Reduction reduction = reduce(problem, deadline);
    Extraction answer;
    answer.choice = expanded(reduction, improvedGreedy(reduction.problem, deadline));
    if (deadline.isReached()) answer.note = "the time limit was reached before local search had finished";
    return answer;
}

Result<Extraction> runBrkga(const Problem& problem, const Options& options, const Deadline& deadline) {
    const Reduction reduction = reduce(problem, deadline);
    const Problem& small = reduction.problem;
    const Choice start = greedyChoice(small, ParentIndex(small), deadline);
    Extraction answer = searchByRandomKeys(small, start, options, deadline);
    answer.choice = expanded(reduction, answer.choice);
    if (small.classCount() == 0) answer.note = "decided by reductions alone";
    return answer;
}

Result<Extraction> runIlp(const Problem& problem, const Options& options, const Deadline& deadline) {
    if (hasNegativeCosts(problem)) {
        return Error{ErrorCode::Unsupported,
                     "exact extraction needs costs that are not negative: a larger choice could always be cheaper",
                     std::nullopt, "the other methods accept such costs, without a guarantee of quality"};
    }
    const Reduction reduction = reduce(problem, deadline);
    const Deadline soon = shareOf(deadline, ShareOfStart);
    MITOS_TRY(Extraction exact,
              solveExactly(reduction.problem, improvedGreedy(reduction.problem, soon), options, deadline));
    exact.choice = expanded(reduction, exact.choice);
    if (exact.bound) *exact.bound += reduction.paid;
    return exact;
}

Result<Extraction> runBest(const Problem& problem, const Options& options, const Deadline& deadline) {
    return Best(problem, options, deadline).run();
}

}  // namespace mitos::extract
