// SPDX-License-Identifier: GPL-3.0-or-later
// Monte Carlo tree search: Algorithm 3, equations 6 and 7 of the Knossos paper (appendix D).
#include "core/base/random.h"
#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"

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

/// n(s) and X(s).
struct Visits {
    std::uint64_t count = 0;
    double total = 0.0;
};

struct Settings {
    std::uint32_t depth = 0;
    double alpha = 0.0;
    double beta = 0.0;
    bool logarithms = false;
};

/// One run. Choices where the paper is not specific: values are also backed up to the start (otherwise its visits stay zero, and the
/// tree is never entered); the least cost of a rollout includes the state where it begins (a rollout may be empty); an unvisited
/// state comes before all others, as in UCT (its average is undefined).
class TreeSearch {
public:
    TreeSearch(StateSpace& space, ValueFunction& value, const Settings& settings, std::uint64_t seed)
        : m_space(space),
          m_value(value),
          m_settings(settings),
          m_random(seed) {}

    [[nodiscard]] StopReason run() {
        int fruitless = 0;
        while (!m_space.ended() && fruitless < Patience) {
            const std::size_t before = m_space.size();
            iterate();
            fruitless = m_space.size() == before ? fruitless + 1 : 0;
        }
        return m_space.allExpanded() ? StopReason::Exhausted : StopReason::Pruned;
    }

private:
    void iterate() {
        std::vector<State> path{{m_space.start(), m_settings.depth}};
        while (path.back().timeLeft > 0 && m_visits[path.back()].count > 0) {
            const std::optional<State> next = select(path.back());
            if (!next) break;
            path.push_back(*next);
        }
        const double least = rollOut(path.back());
        // A rollout that the end of the search cuts short is backed up like any other; this iteration is the last.
        const double reduction = cost(m_space.start()) - least;
        for (const State& state : path) {
            Visits& visits = m_visits[state];
            visits.total += reduction;
            ++visits.count;
        }
    }

    /// The distinct programs one rewrite away, all evaluated; cached, since the search visits the same states repeatedly. Null if the
    /// search ended meanwhile; valid until the next call.
    [[nodiscard]] const std::vector<ExpressionId>* children(ExpressionId id) {
        if (const auto known = m_children.find(id); known != m_children.end()) return &known->second;
        const auto successors = m_space.expand(id, 0);
        if (!successors) return nullptr;
        std::vector<ExpressionId> met;
        for (const Successor& successor : *successors) {
            const StateSpace::Reached reached = m_space.reach(id, successor);
            if (reached.arrival == StateSpace::Arrival::Refused) return nullptr;
            if (reached.id.isValid()) met.push_back(reached.id);
        }
        m_listedBytes += met.capacity() * sizeof(ExpressionId);
        m_space.hold(m_listedBytes + m_value.bytes() +
                     m_children.capacity() * (sizeof(decltype(m_children)::value_type) + 1) +
                     m_visits.capacity() * (sizeof(decltype(m_visits)::value_type) + 1));
        return &m_children.emplace(id, std::move(met)).first->second;
    }

    /// The tree policy, equation 6; returns nothing at a dead end. Deterministic: ties go to the first in the rewriter's order.
    [[nodiscard]] std::optional<State> select(const State& from) {
        const std::vector<ExpressionId>* const next = children(from.expression);
        if (next == nullptr) return std::nullopt;
        const double logVisits = std::log(static_cast<double>(m_visits[from].count));
        std::optional<State> best;
        double bestScore = 0.0;
        for (const ExpressionId id : *next) {
            const State state{id, from.timeLeft - 1};
            const auto found = m_visits.find(state);
            if (found == m_visits.end()) return state;
            const auto count = static_cast<double>(found->second.count);
            const double score = found->second.total / count + m_settings.beta * std::sqrt(logVisits / (count + 1.0));
            if (best && score <= bestScore) continue;
            best = state;
            bestScore = score;
        }
        return best;
    }

    /// Follows the rollout policy, equation 7, to the end of the episode. Returns the least cost, including that of `from`.
    [[nodiscard]] double rollOut(State from) {
        double least = cost(from.expression);
        while (from.timeLeft > 0) {
            const std::vector<ExpressionId>* const next = children(from.expression);
            if (next == nullptr || next->empty()) break;
            m_candidates.clear();
            for (const ExpressionId id : *next) {
                const double reward = cost(from.expression) - cost(id);
                const double future = m_value.value(m_space.bank(), m_space.root(id), from.timeLeft - 1);
                m_candidates.emplace_back(id, reward + future);
            }
            from = {draw(), from.timeLeft - 1};
            least = std::min(least, cost(from.expression));
        }
        return least;
    }

    /// Samples from the softmax of the candidates' values, which it replaces by their weights.
    [[nodiscard]] ExpressionId draw() {
        double highest = m_candidates.front().second;
        for (const auto& [id, value] : m_candidates) highest = std::max(highest, value);
        double total = 0.0;
        for (auto& [id, value] : m_candidates) {
            value = std::exp(m_settings.alpha * (value - highest));
            total += value;
        }
        double point = m_random.uniform() * total;
        for (const auto& [id, weight] : m_candidates) {
            if (point < weight) return id;
            point -= weight;
        }
        return m_candidates.back().first;
    }

    [[nodiscard]] double cost(ExpressionId id) const {
        const double cost = m_space.cost(id);
        return m_settings.logarithms ? std::log1p(std::max(cost, 0.0)) : cost;
    }

    StateSpace& m_space;
    ValueFunction& m_value;
    Settings m_settings;
    Random m_random;
    absl::flat_hash_map<State, Visits> m_visits;
    absl::flat_hash_map<ExpressionId, std::vector<ExpressionId>> m_children;
    std::size_t m_listedBytes = 0;                              // of the lists in m_children
    std::vector<std::pair<ExpressionId, double>> m_candidates;  // scratch space of a rollout step
};

ParameterInfo number(std::string name, std::string title, std::string help, double defaultValue) {
    return {.name = std::move(name),
            .title = std::move(title),
            .help = std::move(help),
            .defaultValue = defaultValue,
            .minimum = 0.0,
            .maximum = 1e9,
            .choices = {}};
}

class Mcts final : public DescribedStrategy {
public:
    explicit Mcts(ValueFunctionFactory makeValue) : m_makeValue(std::move(makeValue)) {}

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        Result<std::unique_ptr<StateSpace>> space = StateSpace::open(problem, std::move(stop), observer);
        if (!space) return std::move(space).error();
        const Settings settings{
            .depth = static_cast<std::uint32_t>(std::get<std::int64_t>(parameters.at("depth"))),
            .alpha = std::get<double>(parameters.at("alpha")),
            .beta = std::get<double>(parameters.at("beta")),
            .logarithms = parameters.at("normalisation") == ParameterValue(std::string("log")),
        };
        const std::unique_ptr<ValueFunction> value = m_makeValue();
        return (*space)->finish(TreeSearch(**space, *value, settings, problem.seed).run());
    }

private:
    StrategyInfo m_info{
        .name = "mcts",
        .title = "Monte Carlo tree search",
        .description =
            "Descends a tree of what was visited by average cost reduction plus a bonus for the little visited (UCT), "
            "then follows a random rollout that prefers cost reductions, and backs up the best cost it met. Knossos "
            "paper, appendix D, Algorithm 3.",
        .parameters =
            {depthParameter("Steps from the start at most, tree and rollout together: 10 for arithmetic, 30 to 40 "
                            "for whole programs, hundreds for networks.",
                            10, 300),
             number("alpha", "Alpha",
                    "How strictly rollouts prefer cost reductions (equation 7): 5 in the paper; 0 is uniform.", 5.0),
             number("beta", "Beta", "Weight of the bonus for what was little visited (equation 6): 0.5 in the paper.",
                    0.5),
             {.name = "normalisation",
              .title = "Cost scale",
              .help = "Costs as they are, as in the paper, or their logarithms: for programs with loops, "
                      "whose costs differ by orders of magnitude.",
              .defaultValue = std::string("none"),
              .choices = {"none", "log"}}},
        .randomized = true};
    ValueFunctionFactory m_makeValue;
};

}  // namespace

std::unique_ptr<Strategy> makeMcts() {
    return makeMcts([] { return std::make_unique<ZeroValue>(); });
}

std::unique_ptr<Strategy> makeMcts(ValueFunctionFactory makeValue) {
    return std::make_unique<Mcts>(std::move(makeValue));
}

}  // namespace mitos::search
