// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/random_keys.h"

#include "core/base/random.h"
#include "core/extract/bottom_up.h"
#include "core/extract/check.h"
#include "core/extract/internal/local_search.h"
#include "core/random_keys/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace mitos::extract {

namespace {

/// A decoded individual takes milliseconds in large e-graphs, so limits are looked at after each.
constexpr std::uint32_t Batch = 1;
/// Without a generation limit, the search ends after this many generations without an improvement.
constexpr std::uint32_t MostIdleGenerations = 400;
/// The weight of a free node, as a fraction of the mean cost, so that its keys have an effect too.
constexpr double FreeNodeCost = 0.01;

/// Decodes keys as the cheapest trees under the costs times the keys, and improves each new best choice.
class TreeDecoder {
public:
    TreeDecoder(const Problem& problem, const Choice& start, std::uint64_t seed, const Deadline& deadline)
        : m_problem(problem),
          m_parents(problem),
          m_random(seed),
          m_deadline(deadline),
          m_weight(problem.nodeCount()),
          m_base(problem.cost),
          m_best(start),
          m_bestCost(check(problem, start).cost) {
        const double sum = std::accumulate(m_base.begin(), m_base.end(), 0.0,
                                           [](double total, double cost) { return total + std::max(cost, 0.0); });
        const double floor = sum > 0.0 ? FreeNodeCost * sum / static_cast<double>(m_base.size()) : 1.0;
        for (double& cost : m_base) cost = std::max(cost, 0.0) + floor;
    }

    [[nodiscard]] const Choice& best() const { return m_best; }

    /// Keys that decode to the choice.
    [[nodiscard]] std::vector<float> encode(const Choice& choice) {
        std::vector<float> keys(m_base.size());
        for (float& key : keys) key = static_cast<float>(m_random.uniform(0.5, 1.0));
        for (const std::uint32_t node : needed(m_problem, choice)) {
            if (node != None) keys[node] = 0.0F;
        }
        return keys;
    }

    void decode(std::span<random_keys::Candidate> batch) {
        for (random_keys::Candidate& candidate : batch) candidate.fitness = {evaluate(candidate.keys), 0.0};
    }

private:
    /// The cost of the decoded choice. Keys of a new best choice become those of the choice that local search makes of it.
    double evaluate(std::span<float> keys) {
        for (std::size_t i = 0; i < m_weight.size(); ++i) m_weight[i] = m_base[i] * static_cast<double>(keys[i]);
        const Choice choice = bottomUp(m_problem, m_parents, m_weight).choice;
        const double cost = check(m_problem, choice).cost;
        if (cost >= m_bestCost) return cost;
        m_best = choice;
        m_bestCost = cost;
        Choice changed = descend(m_problem, m_parents, choice, m_deadline);
        const double improved = check(m_problem, changed).cost;
        if (improved >= m_bestCost) return cost;
        m_best = std::move(changed);
        m_bestCost = improved;
        std::ranges::copy(encode(m_best), keys.begin());
        return improved;
    }

    const Problem& m_problem;
    const ParentIndex m_parents;
    Random m_random;
    const Deadline& m_deadline;
    std::vector<double> m_weight;
    std::vector<double> m_base;
    Choice m_best;
    double m_bestCost = 0.0;
};

}  // namespace

Extraction searchByRandomKeys(const Problem& problem, const Choice& start, const Options& options,
                              const Deadline& deadline) {
    Extraction answer;
    if (problem.classCount() == 0) return answer;
    TreeDecoder decoder(problem, start, options.seed, deadline);
    const std::vector<float> cheapestTrees(problem.nodeCount(), 1.0F);
    Result<random_keys::State> state =
        random_keys::start({.seed = options.seed, .population = 60, .elites = 12, .mutants = 9, .batch = Batch},
                           problem.nodeCount(), std::vector{decoder.encode(start), cheapestTrees});
    if (!state) {
        answer.choice = start;
        answer.note = state.error().message;
        return answer;
    }
    random_keys::run(*state, decoder,
                     {.generations = options.generations,
                      .idleGenerations = options.generations == 0 ? MostIdleGenerations : 0,
                      .deadline = deadline.end(),
                      .stop = deadline.stop()});
    answer.choice = decoder.best();
    answer.note = fmt::format("{} generations", state->generation);
    return answer;
}

}  // namespace mitos::extract
