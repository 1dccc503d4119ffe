// SPDX-License-Identifier: GPL-3.0-or-later
// Runs several methods within the time: first the fast ones, including local search, then exact search concurrently
// with random keys.
#include "core/extract/check.h"
#include "core/extract/internal/exact.h"
#include "core/extract/internal/local_search.h"
#include "core/extract/internal/method.h"
#include "core/extract/internal/random_keys.h"
#include "core/extract/internal/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

namespace mitos::extract {

namespace {

/// Share of the time for the paper's method.
constexpr double ShareOfPaper = 0.1;

class Best {
public:
    Best(const Problem& problem, const Options& options, const Deadline& deadline)
        : m_problem(problem),
          m_options(options),
          m_deadline(deadline) {}

    Result<Answer> run() {
        offer("tree", runTree(m_problem, m_options, m_deadline)->choice);
        const Reduction reduction = reduce(m_problem, m_deadline);
        const Problem& small = reduction.problem;
        const ParentIndex parents(small);
        LocalSearch local(small, parents, greedyChoice(small, parents, m_deadline));
        local.run(m_deadline);
        offer("dag", reduction.expand(needed(small, local.choice())));
        if (m_deadline.isReached()) {
            // If local search does not finish, exact search would only take time from it.
            return Answer{
                std::move(m_choice), {}, {}, false, fmt::format("found by {}; the time was up then", m_method)};
        }
        const Deadline paperDeadline(m_deadline.secondsLeft() * ShareOfPaper, m_deadline.stop());
        offer("paper", runPaper(m_problem, m_options, paperDeadline)->choice);

        std::optional<Result<ExactAnswer>> exact;
        if (hasNegativeCosts(m_problem)) {
            searchOn(reduction, local, m_deadline);
        } else {
            exact = searchBesideExact(reduction, local);
        }
        Answer answer;
        if (exact && exact->ok()) {
            ExactAnswer& found = **exact;
            offer("ilp", reduction.expand(needed(small, found.choice)));
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
    Result<ExactAnswer> searchBesideExact(const Reduction& reduction, const LocalSearch& local) {
        std::stop_source proven;
        const std::stop_callback passOn(m_deadline.stop(), [&proven] { proven.request_stop(); });
        std::optional<Result<ExactAnswer>> exact;
        {
            const std::jthread solver([&, start = local.choice()] {
                exact = solveExactly(reduction.problem, start, m_options.solver, m_deadline);
                if (exact->ok() && (*exact)->proven) proven.request_stop();
            });
            searchOn(reduction, local, Deadline(m_deadline.secondsLeft(), proven.get_token()));
        }
        return std::move(*exact);
    }

    void searchOn(const Reduction& reduction, const LocalSearch& local, const Deadline& deadline) {
        const Problem& small = reduction.problem;
        if (small.classCount() == 0) return;
        const RandomKeysAnswer found =
            searchByRandomKeys(small, {local.choice()}, {m_options.seed, m_options.generations}, deadline);
        offer("brkga", reduction.expand(needed(small, found.choice)));
    }

    const Problem& m_problem;
    const Options& m_options;
    const Deadline& m_deadline;
    Choice m_choice;
    double m_cost = 0.0;
    std::string_view m_method;
};

}  // namespace

Result<Answer> runBest(const Problem& problem, const Options& options, const Deadline& deadline) {
    return Best(problem, options, deadline).run();
}

}  // namespace mitos::extract
