// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/local_search.h"

#include "core/base/random.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::search::placement {

namespace {

using schedule::Problem;
using schedule::Schedule;

/// Evaluates schedules within the limits and keeps the best.
class Searcher {
public:
    Searcher(const Problem& problem, const LocalSearchOptions& options, const random_keys::Limits& limits)
        : m_problem(problem),
          m_objective(options.objective),
          m_limits(limits),
          m_model(problem),
          m_random(options.seed) {}

    Result<Placement> searchAtRandom() {
        while (evaluate(randomSchedule())) {
        }
        return best();
    }

    Result<Placement> searchLocally() {
        while (descend()) {
        }
        return best();
    }

private:
    Schedule randomSchedule() {
        Schedule schedule;
        for (std::uint32_t i = 0; i < m_problem.operationCount(); ++i) {
            schedule.device.push_back(static_cast<std::uint32_t>(m_random.below(m_problem.deviceCount())));
            schedule.priority.push_back(static_cast<float>(m_random.uniform()));
        }
        if (m_problem.machine().transfers == schedule::TransferMode::Instant) return schedule;
        schedule.transferPriority.resize(std::size_t{m_problem.tensorCount()} * m_problem.deviceCount());
        for (float& priority : schedule.transferPriority) priority = static_cast<float>(m_random.uniform());
        return schedule;
    }

    /// Nothing if a limit is reached.
    std::optional<random_keys::Fitness> evaluate(const Schedule& schedule) {
        const bool isOver = m_limits.stop.stop_requested() ||
                            (m_limits.evaluations != 0 && m_best.evaluations >= m_limits.evaluations) ||
                            (m_limits.deadline && std::chrono::steady_clock::now() >= *m_limits.deadline);
        if (isOver) return std::nullopt;
        const schedule::Score score = m_model.score({schedule.device, schedule.priority, schedule.transferPriority});
        const random_keys::Fitness fitness = fitnessOf(score, m_objective);
        if (m_best.evaluations++ == 0 || fitness < m_bestFitness) {
            m_best.schedule = schedule;
            m_best.score = score;
            m_bestFitness = fitness;
        }
        return fitness;
    }

    /// A move changes the device of an operation, or swaps the operations at a place of the order and the next one.
    struct Move {
        bool isSwap = false;
        std::uint32_t number = 0;
        std::uint32_t device = 0;
    };
    static void apply(const Move& move, Schedule& schedule, std::vector<std::uint32_t>& order) {
        if (!move.isSwap) {
            schedule.device[move.number] = move.device;
            return;
        }
        std::swap(schedule.priority[order[move.number]], schedule.priority[order[move.number + 1]]);
        std::swap(order[move.number], order[move.number + 1]);
    }

    /// One start. Returns whether there is time for another one.
    bool descend() {
        Schedule current = randomSchedule();
        std::vector<std::uint32_t> order(current.priority.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t i) { return current.priority[i]; });
        const auto start = evaluate(current);
        if (!start) return false;
        random_keys::Fitness fitness = *start;
        while (true) {
            std::optional<Move> best;
            const auto consider = [&](const Move& move) {
                Schedule changed = current;
                std::vector<std::uint32_t> changedOrder = order;
                apply(move, changed, changedOrder);
                const auto value = evaluate(changed);
                if (value && *value < fitness) {
                    fitness = *value;
                    best = move;
                }
                return value.has_value();
            };
            for (std::uint32_t i = 0; i < m_problem.operationCount(); ++i) {
                for (std::uint32_t d = 0; d < m_problem.deviceCount(); ++d) {
                    if (d != current.device[i] && !consider({.number = i, .device = d})) return false;
                }
                if (i + 1 < m_problem.operationCount() && !consider({.isSwap = true, .number = i})) return false;
            }
            if (!best) return true;
            apply(*best, current, order);
        }
    }

    Result<Placement> best() {
        if (m_best.evaluations == 0) {
            return Error{ErrorCode::Cancelled, "the search ended before it evaluated a schedule", std::nullopt,
                         "give it more time"};
        }
        return std::move(m_best);
    }

    const Problem& m_problem;
    Objective m_objective;
    const random_keys::Limits& m_limits;
    schedule::PerformanceModel m_model;
    Random m_random;
    Placement m_best;
    random_keys::Fitness m_bestFitness;
};

/// Without a limit, the search would not end.
Status requireLimit(const random_keys::Limits& limits) {
    if (limits.evaluations != 0 || limits.deadline || limits.stop.stop_possible()) return Success{};
    return inputError("the search has no limit", "give it a number of evaluations or a time");
}

}  // namespace

Result<Placement> searchAtRandom(const Problem& problem, const LocalSearchOptions& options,
                                 const random_keys::Limits& limits) {
    MITOS_REQUIRE(requireLimit(limits));
    return Searcher(problem, options, limits).searchAtRandom();
}

Result<Placement> searchLocally(const Problem& problem, const LocalSearchOptions& options,
                                const random_keys::Limits& limits) {
    MITOS_REQUIRE(requireLimit(limits));
    return Searcher(problem, options, limits).searchLocally();
}

}  // namespace mitos::search::placement
