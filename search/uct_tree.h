// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of Monte Carlo tree search, apart from what its states are: selection, expansion and backup.
#pragma once

#include "core/base/random.h"

#include <absl/container/flat_hash_map.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::search {

/// The bonus of a child that was visited n' times and whose parent was visited n times; UctSettings::exploration multiplies it.
enum class UctBonus : std::uint8_t {
    Knossos,  ///< sqrt(ln n / (n' + 1)): Knossos paper, equation 6
    Ucb1,     ///< sqrt(ln n / n'): Auer et al. 2002; e-graph MCTS paper, equation 2
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

/// Visits and rewards of states, and the four steps of an iteration over them (Knossos paper, Algorithm 3; e-graph MCTS paper, 4.1).
/// Statistics belong to states: a state that is reached by several paths has one count. `State` is a value that Abseil can hash. A
/// game has
///   children(state)  a range of the states one move away, in a fixed order; empty if there are none or if the search has ended
///   rollOut(state)   plays to the end and returns the reward
///   rewards(path)    optional, in place of rollOut: plays from the last state and returns the rewards of all states of the path
///   expand(state)    optional, see ExpandsOneChild; children() then returns the children that were expanded before
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

    /// The child with the highest average reward plus bonus; a child that was not visited comes first, as its average is undefined. Of
    /// equal children the first is chosen. Nothing if there are no children.
    template <typename Children>
    [[nodiscard]] std::optional<State> select(const State& from, Children&& children) const {
        const double logVisits = std::log(static_cast<double>(visits(from)));
        std::optional<State> best;
        double bestScore = 0.0;
        for (const State& state : children) {
            const auto found = m_statistics.find(state);
            if (found == m_statistics.end()) return state;
            const auto count = static_cast<double>(found->second.visits);
            const double divisor = m_settings.bonus == UctBonus::Knossos ? count + 1.0 : count;
            const double score = found->second.total / count + m_settings.exploration * std::sqrt(logVisits / divisor);
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
    [[nodiscard]] double average(const State& state) const {
        const Statistics& statistics = m_statistics.at(state);
        return statistics.total / static_cast<double>(statistics.visits);
    }
    [[nodiscard]] std::size_t bytes() const {
        return m_statistics.capacity() * (sizeof(typename decltype(m_statistics)::value_type) + 1);
    }

private:
    struct Statistics {
        std::uint64_t visits = 0;  ///< n(s)
        double total = 0.0;        ///< X(s)
    };

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
                if (!next) next = select(path.back(), children);
                if (next) path.push_back(*next);
                if (isNew || !next) return;
            }
        } else {
            while (visits(path.back()) > 0) {
                const std::optional<State> next = select(path.back(), game.children(path.back()));
                if (!next) return;
                path.push_back(*next);
            }
        }
    }

    UctSettings m_settings;
    absl::flat_hash_map<State, Statistics> m_statistics;
};

}  // namespace mitos::search
