// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of Monte Carlo tree search, apart from what its states are: selection, expansion and backup.
#pragma once

#include "core/base/random.h"

#include <absl/container/flat_hash_map.h>

#include <cassert>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace mitos::search {

/// The bonus of a child that was visited n' times and whose parent was visited n times; UctSettings::exploration multiplies it.
enum class UctBonus : std::uint8_t {
    Knossos,  ///< sqrt(ln n / (n' + 1)): Knossos paper, equation 6
    Ucb1,     ///< sqrt(ln n / n'): Auer et al. 2002; e-graph MCTS paper, equation 2
    /// P sqrt(n) / (1 + n'), where P is the child's probability in the game's prior: PUCT of AlphaGo Zero (Silver et al. 2017). A child that was
    /// not visited has the average of its parent, and not 0 as there, since rewards have no range that is the same for all games. n counts
    /// the visit that ended at the parent, so that the prior decides the first choice.
    Puct,
};

struct UctSettings {
    UctBonus bonus = UctBonus::Knossos;
    double exploration = 0.5;  ///< beta of the Knossos paper, c of the e-graph MCTS paper; in the unit of rewards
    /// The probability that a descent stops at a state to expand it, for games that expand one child at a time: 0.5 in the e-graph
    /// MCTS paper (4.1), so that the tree grows in width and in depth.
    double stop = 0.5;
    /// Whether a descent always stops at the root while the root can be expanded (artifact of the e-graph MCTS paper).
    bool expandsRootFirst = false;
};

/// A game that adds one child at a time to a state: the new child, or nothing if the state has no further child.
template <typename Game, typename State>
concept ExpandsOneChild = requires(Game& game, const State& state) {
    { game.expand(state) } -> std::same_as<std::optional<State>>;
};

/// A game in which the states of a path may receive different rewards, as where later rewards are discounted.
template <typename Game, typename State>
concept RewardsEach = requires(Game& game, const std::vector<State>& path) {
    { game.rewards(path) } -> std::same_as<std::vector<double>>;
};

/// A game that knows which children of a state are likely to be good, for UctBonus::Puct.
template <typename Game, typename State>
concept HasPrior = requires(Game& game, const State& state, const std::vector<State>& children) {
    { game.prior(state, children) } -> std::same_as<std::vector<double>>;
};

/// Visits and rewards of states, and the four steps of an iteration over them (Knossos paper, Algorithm 3; e-graph MCTS paper, 4.1).
/// Statistics belong to states: a state that is reached by several paths has one count. `State` is a value that Abseil can hash. A
/// game has
///   children(state)  a range of the states one move away, in a fixed order; empty if there are none or if the search has ended
///   rollOut(state)   plays to the end and returns the reward
///   rewards(path)    optional, in place of rollOut: plays from the last state and returns the rewards of all states of the path
///   expand(state)    optional, see ExpandsOneChild; children() then returns the children that were expanded before
///   prior(state, children)  optional: the probabilities of these children, of which there is at least one; without it all are equal
/// Without expand() the first child that was not visited yet is the one that an iteration adds to the tree. Every path in the game
/// must be finite.
template <typename State>
class UctTree {
public:
    explicit UctTree(UctSettings settings) : m_settings(settings) {}

    /// One iteration: descends from `root`, adds a state, rolls out from it and backs up the reward. Returns the reward of the root.
    template <typename Game>
    double iterate(const State& root, Game& game, Random& random) {
        std::vector<State> path{root};
        descend(path, game, random);
        if constexpr (RewardsEach<Game, State>) {
            const std::vector<double> rewards = game.rewards(path);
            for (std::size_t i = 0; i < path.size(); ++i) backUp({path[i]}, rewards[i]);
            return rewards.front();
        } else {
            const double reward = game.rollOut(path.back());
            backUp(path, reward);
            return reward;
        }
    }

    /// The child with the highest average reward plus bonus. A child that was not visited comes first, as its average is undefined, but for
    /// UctBonus::Puct. Of equal children the first is chosen. Nothing if there are no children. `prior` has a probability for each child, or
    /// is empty: all are equal then.
    template <typename Children>
    [[nodiscard]] std::optional<State> select(const State& from, Children&& children,
                                              std::span<const double> prior = {}) const {
        assert(prior.empty() || prior.size() == std::size(children));
        const bool isPuct = m_settings.bonus == UctBonus::Puct;
        const auto parent = m_statistics.find(from);
        const auto parentVisits = static_cast<double>(visits(from));
        const double firstAverage = parent == m_statistics.end() ? 0.0 : parent->second.average();
        std::optional<State> best;
        double bestScore = 0.0;
        std::size_t number = 0;
        for (const State& state : children) {
            const std::size_t at = number++;
            const auto found = m_statistics.find(state);
            const bool isVisited = found != m_statistics.end();
            if (!isVisited && !isPuct) return state;
            const auto count = isVisited ? static_cast<double>(found->second.visits) : 0.0;
            double factor = 1.0;
            if (isPuct) factor = prior.empty() ? 1.0 / static_cast<double>(std::size(children)) : prior[at];
            const double average = isVisited ? found->second.average() : firstAverage;
            const double score = average + m_settings.exploration * factor * bonus(parentVisits, count);
            if (best && score <= bestScore) continue;
            best = state;
            bestScore = score;
        }
        return best;
    }

    /// Adds the reward to every state of the path.
    void backUp(const std::vector<State>& path, double reward) {
        for (const State& state : path) {
            Statistics& statistics = m_statistics[state];
            statistics.total += reward;
            ++statistics.visits;
        }
    }

    [[nodiscard]] std::uint64_t visits(const State& state) const {
        const auto found = m_statistics.find(state);
        return found == m_statistics.end() ? 0 : found->second.visits;
    }
    /// The average reward of the iterations through a state that was visited.
    [[nodiscard]] double average(const State& state) const { return m_statistics.at(state).average(); }
    [[nodiscard]] std::size_t bytes() const {
        return m_statistics.capacity() * (sizeof(typename decltype(m_statistics)::value_type) + 1);
    }

private:
    struct Statistics {
        std::uint64_t visits = 0;  ///< n(s)
        double total = 0.0;        ///< X(s)

        [[nodiscard]] double average() const { return total / static_cast<double>(visits); }
    };

    [[nodiscard]] double bonus(double parentVisits, double visits) const {
        switch (m_settings.bonus) {
            case UctBonus::Knossos: return std::sqrt(std::log(parentVisits) / (visits + 1.0));
            case UctBonus::Ucb1: return std::sqrt(std::log(parentVisits) / visits);
            case UctBonus::Puct: break;
        }
        return std::sqrt(parentVisits) / (1.0 + visits);
    }

    template <typename Game, typename Children>
    [[nodiscard]] std::optional<State> selectIn(Game& game, const State& from, const Children& children) const {
        if constexpr (HasPrior<Game, State>) {
            if (m_settings.bonus == UctBonus::Puct && !std::empty(children)) {
                return select(from, children, game.prior(from, children));
            }
        }
        return select(from, children);
    }

    /// Appends the states below the root, the last of which the iteration adds to the tree.
    template <typename Game>
    void descend(std::vector<State>& path, Game& game, Random& random) const {
        if constexpr (ExpandsOneChild<Game, State>) {
            while (true) {
                std::optional<State> next;
                const auto& children = game.children(path.back());
                const bool isFirst = m_settings.expandsRootFirst && path.size() == 1;
                const bool expands = std::empty(children) || isFirst || random.uniform() < m_settings.stop;
                if (expands) next = game.expand(path.back());
                const bool isNew = next.has_value();
                if (!next) next = selectIn(game, path.back(), children);
                if (next) path.push_back(*next);
                if (isNew || !next) return;
            }
        } else {
            while (visits(path.back()) > 0) {
                const std::optional<State> next = selectIn(game, path.back(), game.children(path.back()));
                if (!next) return;
                path.push_back(*next);
            }
        }
    }

    UctSettings m_settings;
    absl::flat_hash_map<State, Statistics> m_statistics;
};

}  // namespace mitos::search
