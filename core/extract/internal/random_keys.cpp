// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/random_keys.h"

#include "core/base/random.h"
#include "core/extract/bottom_up.h"
#include "core/extract/check.h"
#include "core/extract/internal/local_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace mitos::extract {

namespace {

constexpr std::size_t PopulationSize = 60;
constexpr std::size_t EliteCount = 12;
constexpr std::size_t MutantCount = 9;
constexpr double InheritFromElite = 0.7;
/// Without a generation limit, the search ends after this many generations without an improvement.
constexpr std::uint32_t MostIdleGenerations = 400;
/// The weight of a free node, as a fraction of the mean cost, so that its keys have an effect too.
constexpr double FreeNodeCost = 0.01;

struct Individual {
    std::vector<float> keys;
    double cost = std::numeric_limits<double>::infinity();
};

class Population {
public:
    Population(const Problem& problem, std::uint64_t seed, const Deadline& deadline)
        : m_problem(problem),
          m_parents(problem),
          m_random(seed),
          m_deadline(deadline),
          m_weight(problem.nodeCount()),
          m_base(problem.cost) {
        const double sum = std::accumulate(m_base.begin(), m_base.end(), 0.0,
                                           [](double total, double cost) { return total + std::max(cost, 0.0); });
        const double floor = sum > 0.0 ? FreeNodeCost * sum / static_cast<double>(m_base.size()) : 1.0;
        for (double& cost : m_base) cost = std::max(cost, 0.0) + floor;
    }

    Extraction run(const Choice& start, std::uint32_t generations) {
        m_best = start;
        m_bestCost = check(m_problem, start).cost;
        m_all.push_back(encode(start));
        m_all.push_back({std::vector<float>(m_base.size(), 1.0F)});  // cheapest trees
        while (m_all.size() < PopulationSize) m_all.push_back(randomKeys());
        for (Individual& individual : m_all) {
            if (m_deadline.isReached()) break;
            evaluate(individual);
        }
        std::uint32_t done = 0;
        std::uint32_t idle = 0;
        while (!m_deadline.isReached() && (generations == 0 ? idle < MostIdleGenerations : done < generations)) {
            const double before = m_bestCost;
            breed();
            ++done;
            idle = m_bestCost < before ? 0 : idle + 1;
        }
        Extraction answer;
        answer.choice = std::move(m_best);
        answer.note = fmt::format("{} generations", done);
        return answer;
    }

private:
    Individual encode(const Choice& choice) {
        const Choice used = needed(m_problem, choice);
        Individual individual{std::vector<float>(m_base.size())};
        for (float& key : individual.keys) key = static_cast<float>(m_random.uniform(0.5, 1.0));
        for (const std::uint32_t node : used) {
            if (node != None) individual.keys[node] = 0.0F;
        }
        return individual;
    }
    Individual randomKeys() {
        Individual individual{std::vector<float>(m_base.size())};
        for (float& key : individual.keys) key = static_cast<float>(m_random.uniform());
        return individual;
    }

    void evaluate(Individual& individual) {
        for (std::size_t i = 0; i < m_weight.size(); ++i) {
            m_weight[i] = m_base[i] * static_cast<double>(individual.keys[i]);
        }
        const Choice choice = bottomUp(m_problem, m_parents, m_weight).choice;
        individual.cost = check(m_problem, choice).cost;
        if (individual.cost >= m_bestCost) return;
        m_best = choice;
        m_bestCost = individual.cost;
        Choice changed = descend(m_problem, m_parents, choice, m_deadline);
        const double improved = check(m_problem, changed).cost;
        if (improved >= m_bestCost) return;
        m_best = std::move(changed);
        m_bestCost = improved;
        individual = encode(m_best);
        individual.cost = improved;
    }

    void breed() {
        std::ranges::stable_sort(m_all, {}, &Individual::cost);
        std::vector<Individual> next;
        for (std::size_t i = EliteCount; i < PopulationSize; ++i) {
            if (i >= PopulationSize - MutantCount) {
                next.push_back(randomKeys());
            } else {
                const Individual& elite = m_all[m_random.below(EliteCount)];
                const Individual& other = m_all[EliteCount + m_random.below(PopulationSize - EliteCount)];
                Individual child{std::vector<float>(m_base.size())};
                for (std::size_t k = 0; k < child.keys.size(); ++k) {
                    child.keys[k] = (m_random.chance(InheritFromElite) ? elite : other).keys[k];
                }
                next.push_back(std::move(child));
            }
        }
        for (std::size_t i = 0; i < next.size() && !m_deadline.isReached(); ++i) {
            evaluate(next[i]);
            m_all[EliteCount + i] = std::move(next[i]);
        }
    }

    const Problem& m_problem;
    const ParentIndex m_parents;
    Random m_random;
    const Deadline& m_deadline;
    std::vector<double> m_weight;
    std::vector<double> m_base;
    std::vector<Individual> m_all;
    Choice m_best;
    double m_bestCost = 0.0;
};

}  // namespace

Extraction searchByRandomKeys(const Problem& problem, const Choice& start, const Options& options,
                              const Deadline& deadline) {
    if (problem.classCount() == 0) return {};
    return Population(problem, options.seed, deadline).run(start, options.generations);
}

}  // namespace mitos::extract
