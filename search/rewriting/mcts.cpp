// SPDX-License-Identifier: GPL-3.0-or-later
// Monte Carlo tree search over programs: Algorithm 3, equations 6 and 7 of the Knossos paper (appendix D).
#include "core/base/random.h"
#include "search/rewriting/internal/best_first.h"
#include "search/rewriting/internal/space_strategy.h"
#include "search/rewriting/rewriting.h"
#include "search/uct_tree.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::search {

namespace {

/// After this many consecutive iterations without a new program, the search ends: the policies have converged.
constexpr int Patience = 1000;

/// s = (e, t): an expression and the steps left.
struct State {
    ExpressionId expression;
    std::uint32_t timeLeft = 0;
    bool operator==(const State&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const State& state) {
        return H::combine(std::move(hash), state.expression, state.timeLeft);
    }
};

/// V̂ of expressions for all times left below `times`, computed once.
class ValueTable {
public:
    ValueTable(StateSpace& space, ValueFunction& value, std::uint32_t times)
        : m_space(space),
          m_value(value),
          m_times(times) {}

    /// Computes the values of those expressions that have none.
    void add(std::span<const ExpressionId> ids) {
        if (m_value.isZero()) return;
        std::vector<ExpressionId> missing;
        m_rows.resize(m_space.size(), NoRow);
        for (const ExpressionId id : ids) {
            if (m_rows[id.value] != NoRow) continue;
            m_rows[id.value] = m_values.size() / m_times + missing.size();
            missing.push_back(id);
        }
        const std::vector<double> values = valuesOf(m_space, m_value, missing, {0, m_times - 1});
        m_values.insert(m_values.end(), values.begin(), values.end());
    }
    /// The value of an expression that was added.
    [[nodiscard]] double at(const State& state) const {
        return m_value.isZero() ? 0.0 : m_values[m_rows[state.expression.value] * m_times + state.timeLeft];
    }
    [[nodiscard]] std::size_t bytes() const {
        return m_value.bytes() + m_rows.capacity() * sizeof(std::size_t) + m_values.capacity() * sizeof(double);
    }

private:
    static constexpr std::size_t NoRow = SIZE_MAX;

    StateSpace& m_space;
    ValueFunction& m_value;
    std::uint32_t m_times;
    std::vector<std::size_t> m_rows;  ///< by expression
    std::vector<double> m_values;
};

/// The game that the tree plays. Choices where the paper is not specific: values are also backed up to the start (otherwise its
/// visits stay zero, and the tree is never entered); the least cost of a rollout includes the state where it begins (a rollout may be
/// empty); an unvisited state comes before all others, as in UCT.
class Rewriting {
public:
    Rewriting(StateSpace& space, ValueFunction& value, const SearchProblem& problem)
        : m_space(space),
          m_tree({.bonus = parameter<std::string>(problem, "selection") == "puct" ? UctBonus::Puct : UctBonus::Knossos,
                  .exploration = parameter<double>(problem, "beta")}),
          m_depth(parameter<std::uint32_t>(problem, "depth")),
          m_values(space, value, m_depth),
          m_alpha(parameter<double>(problem, "alpha")),
          m_logarithms(parameter<std::string>(problem, "normalisation") == "log"),
          m_random(problem.seed) {}

    void iterate() { m_tree.iterate({m_space.start(), m_depth}, *this, m_random); }

    [[nodiscard]] std::vector<State> children(const State& from) {
        std::vector<State> result;
        if (from.timeLeft == 0) return result;
        for (const ExpressionId id : successors(from.expression)) result.push_back({id, from.timeLeft - 1});
        return result;
    }

    /// The rollout policy, equation 7, as the prior of PUCT.
    [[nodiscard]] std::vector<double> prior(const State& from, const std::vector<State>& children) {
        std::vector<ExpressionId> ids;
        for (const State& state : children) ids.push_back(state.expression);
        const double total = weigh(from, ids);
        std::vector<double> probabilities;
        for (const auto& [id, weight] : m_candidates) probabilities.push_back(weight / total);
        return probabilities;
    }

    /// Follows the rollout policy, equation 7, to the end of the episode. The reward is the reduction to the least cost, including
    /// that of `from`. A rollout that the end of the search cuts short counts like any other; it is the last.
    [[nodiscard]] double rollOut(State from) {
        double least = cost(from.expression);
        while (from.timeLeft > 0) {
            const std::span<const ExpressionId> next = successors(from.expression);
            if (next.empty()) break;
            const double total = weigh(from, next);
            from = {draw(total), from.timeLeft - 1};
            least = std::min(least, cost(from.expression));
        }
        return cost(m_space.start()) - least;
    }

private:
    /// The distinct programs one rewrite away, all evaluated; cached, since the search visits the same states repeatedly. Empty if
    /// the search ended meanwhile; valid until the next call.
    [[nodiscard]] std::span<const ExpressionId> successors(ExpressionId id) {
        if (const auto known = m_successors.find(id); known != m_successors.end()) return known->second;
        std::vector<ExpressionId> met;
        if (!m_space.visitSuccessors(id, 0, [&](StateSpace::Arrival, ExpressionId to) { met.push_back(to); }))
            return {};
        m_values.add(met);
        m_listedBytes += met.capacity() * sizeof(ExpressionId);
        m_space.hold(m_listedBytes + m_values.bytes() + m_tree.bytes() +
                     m_successors.capacity() * (sizeof(decltype(m_successors)::value_type) + 1));
        return m_successors.emplace(id, std::move(met)).first->second;
    }

    /// V̂ on the scale of the search.
    [[nodiscard]] double future(const State& state) const {
        const double reduction = m_values.at(state);
        if (!m_logarithms) return reduction;
        return scaled(m_space.cost(state.expression)) - scaled(m_space.cost(state.expression) - reduction);
    }

    /// The softmax of rewards and values: makes the successors of a state the candidates, and returns the sum of their weights.
    double weigh(const State& from, std::span<const ExpressionId> next) {
        m_candidates.clear();
        for (const ExpressionId id : next) {
            const double reward = cost(from.expression) - cost(id);
            m_candidates.emplace_back(id, reward + future({id, from.timeLeft - 1}));
        }
        double highest = m_candidates.front().second;
        for (const auto& [id, value] : m_candidates) highest = std::max(highest, value);
        double total = 0.0;
        for (auto& [id, value] : m_candidates) {
            value = std::exp(m_alpha * (value - highest));
            total += value;
        }
        return total;
    }

    /// Samples a candidate by the weights, of which `total` is the sum.
    [[nodiscard]] ExpressionId draw(double total) {
        double point = m_random.uniform() * total;
        for (const auto& [id, weight] : m_candidates) {
            if (point < weight) return id;
            point -= weight;
        }
        return m_candidates.back().first;
    }

    [[nodiscard]] double scaled(double cost) const { return m_logarithms ? std::log1p(std::max(cost, 0.0)) : cost; }
    [[nodiscard]] double cost(ExpressionId id) const { return scaled(m_space.cost(id)); }

    StateSpace& m_space;
    UctTree<State> m_tree;
    std::uint32_t m_depth;
    ValueTable m_values;
    double m_alpha;
    bool m_logarithms;
    Random m_random;
    absl::flat_hash_map<ExpressionId, std::vector<ExpressionId>> m_successors;
    std::size_t m_listedBytes = 0;                              // of the lists in m_successors
    std::vector<std::pair<ExpressionId, double>> m_candidates;  // with their weights, after weigh()
};

ParameterInfo number(std::string name, std::string title, std::string help, double defaultValue) {
    return {.name = std::move(name),
            .title = std::move(title),
            .help = std::move(help),
            .defaultValue = defaultValue,
            .minimum = 0.0,
            .maximum = 1e9};
}

}  // namespace

std::unique_ptr<Strategy> makeMcts(ValueInfos values) {
    StrategyInfo info{
        .name = "mcts",
        .label = "MCTS",
        .title = "Monte Carlo tree search",
        .description =
            "Descends the tree of visited states by average cost reduction plus a bonus for rarely visited "
            "states (UCT), follows a random rollout that prefers cost reductions, and backs up the lowest cost "
            "on it. Knossos paper, appendix D, Algorithm 3.",
        .parameters =
            {depthParameter(
                 "Largest number of steps from the start, tree and rollout together: 10 for arithmetic, 30 to 40 for "
                 "whole programs, hundreds for networks.",
                 10),
             number("alpha", "Alpha",
                    "How strictly rollouts prefer cost reductions (equation 7): 5 in the paper; 0 is uniform.", 5.0),
             number("beta", "Beta", "Weight of the bonus for rarely visited states (equation 6): 0.5 in the paper.",
                    0.5),
             {.name = "selection",
              .title = "Selection",
              .help =
                  "How the tree is descended. uct: every successor of a state is visited, as in the paper (equation "
                  "6); "
                  "puct: the bonus is proportional to the probability that the rollouts give a successor, so that few "
                  "of many are visited (Silver et al. 2017).",
              .defaultValue = std::string("uct"),
              .choices = {"uct", "puct"}},
             {.name = "normalisation",
              .title = "Cost scale",
              .help =
                  "Whether costs are compared, as in the paper, or their logarithms, which suit programs with loops, "
                  "whose costs differ by orders of magnitude.",
              .defaultValue = std::string("none"),
              .choices = {"none", "log"}}},
        .randomized = true};
    return makeSpaceStrategy(std::move(info), std::move(values), "zero",
                             [](StateSpace& space, ValueFunction& value, const SearchProblem& problem) {
                                 Rewriting game(space, value, problem);
                                 space.repeat(Patience, [&] { game.iterate(); });
                                 return space.finish(space.allExpanded() ? StopReason::Exhausted : StopReason::Pruned);
                             });
}

}  // namespace mitos::search
