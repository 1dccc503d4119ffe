// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/random_keys/search.h"

#include "core/random_keys/internal/keys.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mitos::random_keys::internal {

namespace {

Fitness withoutNan(const Fitness& fitness) {
    const auto known = [](double part) { return std::isnan(part) ? std::numeric_limits<double>::infinity() : part; };
    return {known(fitness.primary), known(fitness.secondary)};
}

class Evolution {
public:
    Evolution(State& state, DecodeBatch decode, const Limits& limits, const Observer& observer)
        : m_state(state),
          m_settings(state.settings),
          m_source(state.settings, state.genes),
          m_decode(decode),
          m_limits(limits),
          m_observer(observer) {}

    StopReason run() {
        while (true) {
            for (Island& island : m_state.islands) {
                if (const auto reason = evaluate(island)) return *reason;
            }
            if (!m_state.isComplete && !complete()) return StopReason::Stopped;
            if (const auto reason = limitBetweenGenerations()) return *reason;
            breed();
        }
    }

private:
    [[nodiscard]] std::span<float> keysOf(Island& island, std::uint32_t individual) const {
        return std::span(island.keys).subspan(individual * m_state.genes, m_state.genes);
    }
    [[nodiscard]] std::span<const float> keysOf(const Island& island, std::uint32_t individual) const {
        return std::span(island.keys).subspan(individual * m_state.genes, m_state.genes);
    }

    [[nodiscard]] std::optional<StopReason> limitReached() const {
        if (m_limits.stop.stop_requested()) return StopReason::Stopped;
        if (m_limits.evaluations != 0 && m_state.evaluations >= m_limits.evaluations) return StopReason::Evaluations;
        if (m_limits.deadline && std::chrono::steady_clock::now() >= *m_limits.deadline) return StopReason::Deadline;
        return std::nullopt;
    }
    [[nodiscard]] std::optional<StopReason> limitBetweenGenerations() const {
        if (m_limits.generations != 0 && m_state.generation >= m_limits.generations) return StopReason::Generations;
        if (m_limits.idleGenerations != 0 && m_state.idle >= m_limits.idleGenerations) return StopReason::Idle;
        return limitReached();
    }

    std::optional<StopReason> evaluate(Island& island) {
        while (island.evaluated < m_settings.population) {
            if (const auto reason = limitReached()) return reason;
            std::uint64_t count = m_settings.population - island.evaluated;
            if (m_settings.batch != 0) count = std::min<std::uint64_t>(count, m_settings.batch);
            if (m_limits.evaluations != 0) count = std::min(count, m_limits.evaluations - m_state.evaluations);
            m_batch.clear();
            for (std::uint32_t i = 0; i < count; ++i) m_batch.push_back({keysOf(island, island.evaluated + i)});
            m_decode(m_batch);
            for (const Candidate& candidate : m_batch) {
                island.fitness[island.evaluated] = withoutNan(candidate.fitness);
                island.hashes[island.evaluated] = candidate.hash;
                offer(island, island.evaluated);
                ++island.evaluated;
            }
            m_state.evaluations += count;
        }
        return std::nullopt;
    }

    void offer(const Island& island, std::uint32_t individual) {
        if (!m_state.best.empty() && !(island.fitness[individual] < m_state.bestFitness)) return;
        const std::span<const float> keys = keysOf(island, individual);
        m_state.best.assign(keys.begin(), keys.end());
        m_state.bestFitness = island.fitness[individual];
        m_state.bestHash = island.hashes[individual];
        m_state.isImproved = true;
    }

    /// Counts the generation, lets the islands exchange individuals, and reports. Returns whether the observer wants to go on.
    bool complete() {
        m_state.idle = m_state.isImproved ? 0 : m_state.idle + 1;
        m_state.isComplete = true;
        if (m_settings.exchangeEvery != 0 && m_state.generation != 0 &&
            m_state.generation % m_settings.exchangeEvery == 0) {
            exchange();
        }
        return !m_observer || m_observer(report());
    }

    /// Individuals by rank. Repeated solutions come after all others.
    [[nodiscard]] std::vector<std::uint32_t> ranked(const Island& island) const {
        std::vector<std::uint32_t> order(m_settings.population);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
            return std::pair(island.fitness[i].primary, island.fitness[i].secondary);
        });
        // Equal solutions have equal fitness, but so may others between them.
        std::vector<std::uint64_t> seen;
        std::vector<std::uint32_t> repeated;
        std::size_t kept = 0;
        for (const std::uint32_t i : order) {
            const std::uint64_t hash = island.hashes[i];
            const auto place = std::ranges::lower_bound(seen, hash);
            if (hash != 0 && place != seen.end() && *place == hash) {
                repeated.push_back(i);
                continue;
            }
            if (hash != 0) seen.insert(place, hash);
            order[kept++] = i;
        }
        std::ranges::copy(repeated, order.begin() + static_cast<std::ptrdiff_t>(kept));
        return order;
    }

    void exchange() {
        const std::size_t count = m_state.islands.size();
        if (count < 2) return;
        std::vector<std::vector<std::uint32_t>> orders;
        for (const Island& island : m_state.islands) orders.push_back(ranked(island));
        const std::vector<Island> before = m_state.islands;
        for (std::size_t i = 0; i < count; ++i) {
            const Island& from = before[i];
            const std::size_t next = (i + 1) % count;
            Island& to = m_state.islands[next];
            for (std::uint32_t k = 0; k < m_settings.exchanged; ++k) {
                const std::uint32_t best = orders[i][k];
                const std::uint32_t worst = orders[next][m_settings.population - 1 - k];
                std::ranges::copy(keysOf(from, best), keysOf(to, worst).begin());
                to.fitness[worst] = from.fitness[best];
                to.hashes[worst] = from.hashes[best];
            }
        }
    }

    void breed() {
        const bool isReset =
            m_settings.resetAfter != 0 && m_state.idle != 0 && m_state.idle % m_settings.resetAfter == 0;
        const bool isShaken =
            m_settings.shakeAfter != 0 && m_state.idle != 0 && m_state.idle % m_settings.shakeAfter == 0;
        ++m_state.generation;
        m_state.isComplete = false;
        m_state.isImproved = false;
        for (std::uint32_t i = 0; i < m_state.islands.size(); ++i) {
            if (isReset) {
                m_source.fillWithMutants(m_state.islands[i], {.island = i, .generation = m_state.generation}, 0);
                forgetEvaluations(m_state.islands[i]);
            } else {
                breed(i, isShaken);
            }
        }
    }

    void forgetEvaluations(Island& island) const {
        island.fitness.assign(m_settings.population, Fitness{});
        island.hashes.assign(m_settings.population, 0);
        island.evaluated = 0;
    }

    void breed(std::uint32_t number, bool isShaken) {
        Island& island = m_state.islands[number];
        const std::vector<std::uint32_t> order = ranked(island);
        m_next.keys.resize(island.keys.size());
        forgetEvaluations(m_next);
        for (std::uint32_t i = 0; i < m_settings.elites; ++i) {
            std::ranges::copy(keysOf(std::as_const(island), order[i]), keysOf(m_next, i).begin());
            m_next.fitness[i] = island.fitness[order[i]];
            m_next.hashes[i] = island.hashes[order[i]];
        }
        Place place{.island = number, .generation = m_state.generation};
        const std::uint32_t others = m_settings.population - m_settings.elites;
        std::uint32_t mutantsFrom = m_settings.population - m_settings.mutants;
        m_next.evaluated = m_settings.elites;
        if (isShaken) {
            for (place.individual = 1; place.individual < m_settings.elites; ++place.individual) {
                m_source.shake(keysOf(m_next, place.individual), place, m_settings.shakeIntensity);
            }
            mutantsFrom = m_settings.elites;
            m_next.evaluated = 1;
        }
        for (place.individual = m_settings.elites; place.individual < mutantsFrom; ++place.individual) {
            const auto [elite, other] = m_source.parents(place, m_settings.elites, others);
            m_source.mate(keysOf(std::as_const(island), order[elite]),
                          keysOf(std::as_const(island), order[m_settings.elites + other]),
                          keysOf(m_next, place.individual), place);
        }
        m_source.fillWithMutants(m_next, place, mutantsFrom);
        std::swap(island, m_next);
    }

    [[nodiscard]] GenerationReport report() const {
        GenerationReport report{.generation = m_state.generation,
                                .evaluations = m_state.evaluations,
                                .best = m_state.bestFitness,
                                .bestKeys = m_state.best};
        double primary = 0.0;
        double secondary = 0.0;
        std::size_t primaries = 0;
        std::size_t secondaries = 0;
        for (const Island& island : m_state.islands) {
            for (const Fitness& fitness : island.fitness) {
                if (fitness < report.generationBest) report.generationBest = fitness;
                if (std::isfinite(fitness.primary)) primary += fitness.primary, ++primaries;
                if (std::isfinite(fitness.secondary)) secondary += fitness.secondary, ++secondaries;
            }
        }
        if (primaries != 0) report.mean.primary = primary / static_cast<double>(primaries);
        if (secondaries != 0) report.mean.secondary = secondary / static_cast<double>(secondaries);
        report.diversity = diversity();
        return report;
    }

    /// Over at most so many genes, evenly spread, so that watching costs little.
    [[nodiscard]] double diversity() const {
        constexpr std::size_t MostGenes = 256;
        const double deviationOfUniform = std::sqrt(1.0 / 12.0);
        const std::size_t step = (m_state.genes + MostGenes - 1) / MostGenes;
        const double count = m_settings.population;
        double sum = 0.0;
        std::size_t terms = 0;
        for (const Island& island : m_state.islands) {
            for (std::size_t gene = 0; gene < m_state.genes; gene += step, ++terms) {
                double first = 0.0;
                double second = 0.0;
                for (std::size_t at = gene; at < island.keys.size(); at += m_state.genes) {
                    const double key = static_cast<double>(island.keys[at]);
                    first += key;
                    second += key * key;
                }
                sum += std::sqrt(std::max(0.0, second / count - first / count * first / count));
            }
        }
        return sum / static_cast<double>(terms) / deviationOfUniform;
    }

    State& m_state;
    const Settings m_settings;
    const KeySource m_source;
    const DecodeBatch m_decode;
    const Limits& m_limits;
    const Observer& m_observer;
    std::vector<Candidate> m_batch;
    Island m_next;
};

}  // namespace

StopReason run(State& state, DecodeBatch decode, const Limits& limits, const Observer& observer) {
    return Evolution(state, decode, limits, observer).run();
}

}  // namespace mitos::random_keys::internal
