// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/random_keys/search.h"

#include "core/base/hash.h"
#include "core/random_keys/internal/bytes.h"
#include "core/random_keys/internal/keys.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace mitos::random_keys::internal {

namespace {

Fitness withoutNan(const Fitness& fitness) {
    const auto known = [](double part) { return std::isnan(part) ? std::numeric_limits<double>::infinity() : part; };
    return {known(fitness.primary), known(fitness.secondary)};
}

/// The sums of an island that a report is made of.
struct IslandSums {
    Fitness best = {};
    Fitness sum = {0.0, 0.0};
    std::uint64_t primaries = 0;
    std::uint64_t secondaries = 0;
    double deviation = 0.0;
    std::uint64_t genes = 0;
};

/// An individual that goes to another island, or is offered as the best one.
struct Traveller {
    Fitness fitness = {};
    std::uint64_t hash = 0;
    std::vector<float> keys = {};

    void write(ByteWriter& out) const {
        out.put(fitness);
        out.put(hash);
        out.put(std::span<const float>(keys));
    }
    void read(ByteReader& in, std::size_t genes) {
        keys.resize(genes);
        in.get(fitness);
        in.get(hash);
        in.get(std::span<float>(keys));
    }
};

/// The ends of a search that do not follow from its counts.
struct Wishes {
    bool isStopped = false;
    bool isLate = false;
    bool isKept = false;  ///< the state is to be saved

    void add(const Wishes& other) {
        isStopped = isStopped || other.isStopped;
        isLate = isLate || other.isLate;
    }
};

/// A number that is the same for equal searches.
std::uint64_t digestOf(const State& state, const Limits& limits) {
    ByteWriter all;
    const Settings& settings = state.settings;
    for (const std::uint64_t count :
         {settings.seed, std::uint64_t{settings.population}, std::uint64_t{settings.elites},
          std::uint64_t{settings.mutants}, std::uint64_t{settings.islands}, std::uint64_t{settings.exchangeEvery},
          std::uint64_t{settings.exchanged}, std::uint64_t{settings.shakeAfter}, std::uint64_t{settings.relinkEvery},
          std::uint64_t{settings.resetAfter}, std::uint64_t{state.genes}, std::uint64_t{state.generation},
          state.evaluations, std::uint64_t{state.idle}, std::uint64_t{state.isComplete ? 1U : 0U},
          std::uint64_t{state.isImproved ? 1U : 0U}, limits.evaluations, std::uint64_t{limits.generations},
          std::uint64_t{limits.idleGenerations}}) {
        all.put(count);
    }
    all.put(settings.inheritance);
    all.put(settings.shakeIntensity);
    all.put(std::span<const double>(settings.inheritanceOfGene));
    for (const Beta& choice : settings.mutantKeys.choices) all.put(choice);
    all.put(std::span<const std::uint16_t>(settings.mutantKeys.ofGene));
    std::uint64_t digest = hashText(all.bytes());
    for (const Island& island : state.islands) {
        ByteWriter one;
        one.put(island.evaluated);
        one.put(std::span<const float>(island.keys));
        one.put(std::span<const Fitness>(island.fitness));
        digest = combineHash(digest, hashText(one.bytes()));
    }
    return digest;
}

Error notTheSame() {
    return {ErrorCode::Incompatible, "the processes do not run the same search", std::nullopt,
            "start the same program on all of them, with the same arguments and files"};
}

class Evolution {
public:
    Evolution(State& state, DecodeBatch decode, const Limits& limits, const Observer& observer, const Support& support)
        : m_state(state),
          m_settings(state.settings),
          m_source(state.settings, state.genes),
          m_decode(decode),
          m_limits(limits),
          m_observer(observer),
          m_team(support.team),
          m_keeper(support.keeper),
          m_isObserved(observer),
          m_migrants(state.islands.size()) {}

    Result<StopReason> run() {
        if (m_team == nullptr) return evolve();
        MITOS_REQUIRE(meet());
        MITOS_TRY(const StopReason reason, evolve());
        MITOS_REQUIRE(shareIslands());
        return reason;
    }

private:
    Result<StopReason> evolve() {
        while (true) {
            MITOS_TRY(const std::optional<StopReason> early, m_team != nullptr ? evaluateShare() : evaluateAll());
            if (early) return *early;
            if (!m_state.isComplete) {
                MITOS_TRY(const bool goesOn, complete());
                if (!goesOn) return StopReason::Stopped;
                MITOS_REQUIRE(keepIfDue());
            }
            if (const auto reason = limitBetweenGenerations()) return *reason;
            MITOS_REQUIRE(breed());
        }
    }

    [[nodiscard]] std::span<float> keysOf(Island& island, std::uint32_t individual) const {
        return std::span(island.keys).subspan(individual * m_state.genes, m_state.genes);
    }
    [[nodiscard]] std::span<const float> keysOf(const Island& island, std::uint32_t individual) const {
        return std::span(island.keys).subspan(individual * m_state.genes, m_state.genes);
    }
    [[nodiscard]] Traveller copyOf(const Island& island, std::uint32_t individual) const {
        const std::span<const float> keys = keysOf(island, individual);
        return {island.fitness[individual], island.hashes[individual], {keys.begin(), keys.end()}};
    }
    [[nodiscard]] bool isOwn(std::size_t island) const {
        return m_team == nullptr || island % m_team->size() == m_team->rank();
    }
    [[nodiscard]] bool isFull(const Island& island) const { return island.evaluated >= m_settings.population; }

    [[nodiscard]] Wishes ownWishes() const {
        return {.isStopped = m_limits.stop.stop_requested(),
                .isLate = m_limits.deadline && std::chrono::steady_clock::now() >= *m_limits.deadline};
    }
    [[nodiscard]] std::optional<StopReason> limitReached() const {
        const Wishes wishes = m_team != nullptr ? m_agreed : ownWishes();
        if (wishes.isStopped) return StopReason::Stopped;
        if (m_limits.evaluations != 0 && m_state.evaluations >= m_limits.evaluations) return StopReason::Evaluations;
        if (wishes.isLate) return StopReason::Deadline;
        return std::nullopt;
    }
    [[nodiscard]] std::optional<StopReason> limitBetweenGenerations() const {
        if (m_limits.generations != 0 && m_state.generation >= m_limits.generations) return StopReason::Generations;
        if (m_limits.idleGenerations != 0 && m_state.idle >= m_limits.idleGenerations) return StopReason::Idle;
        return limitReached();
    }

    /// Calls use(i, reader) for each island, with the message of the rank that has it.
    template <typename Use>
    [[nodiscard]] Status readByIsland(const std::vector<std::string>& messages, std::size_t headerBytes,
                                      const Use& use) {
        std::vector<ByteReader> readers;
        for (const std::string& message : messages) {
            if (message.size() < headerBytes) return notTheSame();
            readers.emplace_back(std::string_view(message).substr(headerBytes));
        }
        for (std::size_t i = 0; i < m_state.islands.size(); ++i) {
            use(i, readers[i % readers.size()]);
            if (!readers[i % readers.size()].isGood()) return notTheSame();
        }
        for (const ByteReader& reader : readers) {
            if (!reader.isAtEnd()) return notTheSame();
        }
        return Success{};
    }

    /// The ranks make sure that they run the same search, and agree on whether it is observed.
    Status meet() {
        struct Start {
            std::uint64_t digest = 0;
            std::uint32_t isObserved = 0;
            std::uint32_t isStopped = 0;
            std::uint32_t isLate = 0;
            std::uint32_t islandSize = sizeof(IslandSums);
        };
        const Wishes own = ownWishes();
        ByteWriter message;
        const Start mine{.digest = digestOf(m_state, m_limits),
                         .isObserved = m_observer ? 1U : 0U,
                         .isStopped = own.isStopped ? 1U : 0U,
                         .isLate = own.isLate ? 1U : 0U};
        message.put(mine);
        MITOS_TRY(const std::vector<std::string> all, m_team->allGather(message.bytes()));
        for (const std::string& one : all) {
            Start other;
            ByteReader reader(one);
            reader.get(other);
            if (!reader.isAtEnd() || other.digest != mine.digest || other.islandSize != mine.islandSize) {
                return notTheSame();
            }
            m_isObserved = m_isObserved || other.isObserved != 0;
            m_agreed.add({.isStopped = other.isStopped != 0, .isLate = other.isLate != 0});
        }
        return Success{};
    }

    void decode(Island& island, std::uint32_t count) {
        m_batch.clear();
        for (std::uint32_t i = 0; i < count; ++i) m_batch.push_back({keysOf(island, island.evaluated + i)});
        m_decode(m_batch);
        for (const Candidate& candidate : m_batch) {
            island.fitness[island.evaluated] = withoutNan(candidate.fitness);
            island.hashes[island.evaluated] = candidate.hash;
            ++island.evaluated;
        }
    }

    [[nodiscard]] std::uint32_t batchOf(std::uint64_t count) const {
        if (m_settings.batch != 0) count = std::min<std::uint64_t>(count, m_settings.batch);
        return static_cast<std::uint32_t>(count);
    }
    [[nodiscard]] std::uint64_t evaluationsLeft() const {
        if (m_limits.evaluations == 0) return std::numeric_limits<std::uint64_t>::max();
        return m_limits.evaluations - std::min(m_limits.evaluations, m_state.evaluations);
    }

    Result<std::optional<StopReason>> evaluateAll() {
        for (Island& island : m_state.islands) {
            while (!isFull(island)) {
                if (const auto reason = limitReached()) return reason;
                const std::uint32_t first = island.evaluated;
                const std::uint32_t count =
                    batchOf(std::min<std::uint64_t>(m_settings.population - first, evaluationsLeft()));
                decode(island, count);
                for (std::uint32_t i = first; i < first + count; ++i) {
                    if (isBest(island.fitness[i])) take(copyOf(island, i));
                }
                m_state.evaluations += count;
            }
        }
        return std::optional<StopReason>();
    }

    /// Evaluates this rank's islands and tells the others about them. How many individuals of an island are evaluated follows from the
    /// counts, which all ranks have for all islands.
    Result<std::optional<StopReason>> evaluateShare() {
        if (std::ranges::all_of(m_state.islands, [this](const Island& island) { return isFull(island); })) {
            if (m_state.isComplete) return std::optional<StopReason>();
        } else if (const auto reason = limitReached()) {
            return reason;
        }
        std::vector<std::optional<std::uint32_t>> best(m_state.islands.size());
        for (std::size_t i = 0; i < m_state.islands.size(); ++i) {
            Island& island = m_state.islands[i];
            const auto count = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(m_settings.population - island.evaluated, evaluationsLeft()));
            m_state.evaluations += count;
            if (!isOwn(i)) {
                island.evaluated += count;
                continue;
            }
            const std::uint32_t first = island.evaluated;
            while (island.evaluated < first + count) decode(island, batchOf(first + count - island.evaluated));
            for (std::uint32_t k = first; k < first + count; ++k) {
                if (!best[i] || island.fitness[k] < island.fitness[*best[i]]) best[i] = k;
            }
        }
        const bool isWhole =
            std::ranges::all_of(m_state.islands, [this](const Island& island) { return isFull(island); });
        MITOS_REQUIRE(exchangeSummaries(best, isWhole));
        if (isWhole) return std::optional<StopReason>();
        return std::optional(m_agreed.isStopped ? StopReason::Stopped : StopReason::Evaluations);
    }

    Status exchangeSummaries(const std::vector<std::optional<std::uint32_t>>& best, bool isWhole) {
        Wishes wishes = ownWishes();
        wishes.isKept = m_keeper != nullptr && m_keeper->isDue();
        ByteWriter message;
        message.put(wishes);
        const bool hasSums = isWhole && m_isObserved;
        const bool hasMigrants = isWhole && isExchangeDue();
        for (std::size_t i = 0; i < m_state.islands.size(); ++i) {
            if (!isOwn(i)) continue;
            const Island& island = m_state.islands[i];
            const bool isOffered = best[i] && isBest(island.fitness[*best[i]]);
            message.put(isOffered);
            if (isOffered) copyOf(island, *best[i]).write(message);
            if (hasSums) message.put(sumsOf(island));
            if (!hasMigrants) continue;
            for (const Traveller& migrant : migrantsOf(island)) migrant.write(message);
        }
        MITOS_TRY(const std::vector<std::string> all, m_team->allGather(message.bytes()));
        m_agreed = {};
        for (const std::string& one : all) {
            Wishes other;
            ByteReader(one).get(other);
            m_agreed.add(other);
        }
        ByteReader(all.front()).get(wishes);
        m_agreed.isKept = wishes.isKept;
        m_sums.assign(m_state.islands.size(), {});
        return readByIsland(all, sizeof(Wishes), [&](std::size_t i, ByteReader& in) {
            bool isOffered = false;
            in.get(isOffered);
            if (isOffered) {
                Traveller offered;
                offered.read(in, m_state.genes);
                if (isBest(offered.fitness)) take(std::move(offered));
            }
            if (hasSums) in.get(m_sums[i]);
            if (!hasMigrants) return;
            m_migrants[i].resize(m_settings.exchanged);
            for (Traveller& migrant : m_migrants[i]) migrant.read(in, m_state.genes);
        });
    }

    /// Every rank gets the individuals of all islands.
    Status shareIslands() {
        if (m_team == nullptr || m_team->size() == 1) return Success{};
        ByteWriter message;
        for (std::size_t i = 0; i < m_state.islands.size(); ++i) {
            if (!isOwn(i)) continue;
            const Island& island = m_state.islands[i];
            message.put(std::span<const float>(island.keys));
            message.put(std::span<const Fitness>(island.fitness));
            message.put(std::span<const std::uint64_t>(island.hashes));
        }
        MITOS_TRY(const std::vector<std::string> all, m_team->allGather(message.bytes()));
        return readByIsland(all, 0, [this](std::size_t i, ByteReader& in) {
            Island& island = m_state.islands[i];
            in.get(std::span<float>(island.keys));
            in.get(std::span<Fitness>(island.fitness));
            in.get(std::span<std::uint64_t>(island.hashes));
        });
    }

    Status keepIfDue() {
        const bool isFirst = m_team == nullptr || m_team->isFirst();
        const bool isDue = m_team != nullptr ? m_agreed.isKept : m_keeper != nullptr && m_keeper->isDue();
        if (!isDue) return Success{};
        MITOS_REQUIRE(shareIslands());
        if (isFirst && m_keeper != nullptr) m_keeper->keep(m_state);
        return Success{};
    }

    [[nodiscard]] bool isBest(const Fitness& fitness) const {
        return m_state.best.empty() || fitness < m_state.bestFitness;
    }
    void take(Traveller best) {
        m_state.best = std::move(best.keys);
        m_state.bestFitness = best.fitness;
        m_state.bestHash = best.hash;
        m_state.isImproved = true;
    }

    [[nodiscard]] bool isExchangeDue() const {
        return m_state.islands.size() > 1 && m_settings.exchangeEvery != 0 && m_state.generation != 0 &&
               m_state.generation % m_settings.exchangeEvery == 0;
    }

    /// Counts the generation, lets the islands exchange individuals, and reports. Returns whether all observers want to go on.
    Result<bool> complete() {
        m_state.idle = m_state.isImproved ? 0 : m_state.idle + 1;
        m_state.isComplete = true;
        if (m_team == nullptr) {
            m_sums.clear();
            for (std::size_t i = 0; i < m_state.islands.size(); ++i) {
                if (m_observer) m_sums.push_back(sumsOf(m_state.islands[i]));
                if (isExchangeDue()) m_migrants[i] = migrantsOf(m_state.islands[i]);
            }
        }
        if (isExchangeDue()) settleMigrants();
        bool goesOn = !m_observer || m_observer(report());
        if (m_team == nullptr || !m_isObserved) return goesOn;
        ByteWriter message;
        message.put(goesOn);
        MITOS_TRY(const std::vector<std::string> all, m_team->allGather(message.bytes()));
        for (const std::string& one : all) {
            bool other = true;
            ByteReader(one).get(other);
            goesOn = goesOn && other;
        }
        return goesOn;
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

    [[nodiscard]] std::vector<Traveller> migrantsOf(const Island& island) const {
        const std::vector<std::uint32_t> order = ranked(island);
        std::vector<Traveller> migrants;
        for (std::uint32_t k = 0; k < m_settings.exchanged; ++k) migrants.push_back(copyOf(island, order[k]));
        return migrants;
    }

    /// The migrants of each island take the places of the worst individuals of the next one.
    void settleMigrants() {
        for (std::size_t i = 0; i < m_state.islands.size(); ++i) {
            if (!isOwn(i)) continue;
            Island& to = m_state.islands[i];
            const std::vector<std::uint32_t> order = ranked(to);
            const std::vector<Traveller>& migrants = m_migrants[(i == 0 ? m_state.islands.size() : i) - 1];
            for (std::uint32_t k = 0; k < m_settings.exchanged; ++k) {
                const std::uint32_t worst = order[m_settings.population - 1 - k];
                std::ranges::copy(migrants[k].keys, keysOf(to, worst).begin());
                to.fitness[worst] = migrants[k].fitness;
                to.hashes[worst] = migrants[k].hash;
            }
        }
    }

    [[nodiscard]] static std::uint32_t bestOf(const Island& island) {
        return static_cast<std::uint32_t>(std::ranges::min_element(island.fitness) - island.fitness.begin());
    }

    /// Gets the best individual of each island, to which a path from another one may lead. A team meets for that.
    Status findGuides() {
        if (m_state.islands.size() == 1) return Success{};
        m_guides.resize(m_state.islands.size());
        ByteWriter message;
        for (std::size_t i = 0; i < m_state.islands.size(); ++i) {
            if (!isOwn(i)) continue;
            m_guides[i] = copyOf(m_state.islands[i], bestOf(m_state.islands[i]));
            if (m_team != nullptr) m_guides[i].write(message);
        }
        if (m_team == nullptr) return Success{};
        MITOS_TRY(const std::vector<std::string> all, m_team->allGather(message.bytes()));
        return readByIsland(all, 0, [this](std::size_t i, ByteReader& in) { m_guides[i].read(in, m_state.genes); });
    }

    Status breed() {
        const bool isReset =
            m_settings.resetAfter != 0 && m_state.idle != 0 && m_state.idle % m_settings.resetAfter == 0;
        const bool isShaken =
            m_settings.shakeAfter != 0 && m_state.idle != 0 && m_state.idle % m_settings.shakeAfter == 0;
        ++m_state.generation;
        m_state.isComplete = false;
        m_state.isImproved = false;
        const bool isRelinked =
            !isReset && !isShaken && m_settings.relinkEvery != 0 && m_state.generation % m_settings.relinkEvery == 0;
        if (isRelinked) {
            MITOS_REQUIRE(findGuides());
        }
        for (std::uint32_t i = 0; i < m_state.islands.size(); ++i) {
            if (!isOwn(i)) {
                // Its individuals are on another rank.
                m_state.islands[i].evaluated = isReset ? 0 : isShaken ? 1 : m_settings.elites;
            } else if (isReset) {
                m_source.fillWithMutants(m_state.islands[i], {.island = i, .generation = m_state.generation}, 0);
                forgetEvaluations(m_state.islands[i]);
            } else {
                breed(i, isShaken, isRelinked);
            }
        }
        return Success{};
    }

    void forgetEvaluations(Island& island) const {
        island.fitness.assign(m_settings.population, Fitness{});
        island.hashes.assign(m_settings.population, 0);
        island.evaluated = 0;
    }

    /// The keys to which a path from the best individual of an island leads; empty if there are none that differ from it.
    [[nodiscard]] std::span<const float> guideOf(const Island& island, const std::vector<std::uint32_t>& order,
                                                 const Place& place) const {
        const std::span<const float> base = keysOf(island, order[0]);
        const std::uint64_t hash = island.hashes[order[0]];
        const auto isOther = [&](std::span<const float> keys, std::uint64_t otherHash) {
            return (hash == 0 || otherHash != hash) && !std::ranges::equal(keys, base);
        };
        if (m_state.islands.size() > 1) {
            const Traveller& next = m_guides[(place.island + 1) % m_state.islands.size()];
            if (isOther(next.keys, next.hash)) return next.keys;
        }
        const std::uint32_t others = m_settings.elites - 1;
        const std::uint32_t first = others == 0 ? 0 : m_source.guide(place, others);
        for (std::uint32_t k = 0; k < others; ++k) {
            const std::uint32_t elite = order[1 + (first + k) % others];
            if (isOther(keysOf(island, elite), island.hashes[elite])) return keysOf(island, elite);
        }
        return {};
    }

    /// Makes children the points of a path. Returns the first individual that is not one of them: a path has no more points than the genes
    /// in which its ends differ, less one.
    std::uint32_t relink(const Island& island, const std::vector<std::uint32_t>& order, const Place& place,
                         std::uint32_t childrenEnd) {
        const std::span<const float> base = keysOf(island, order[0]);
        const std::span<const float> guide = guideOf(island, order, place);
        std::vector<std::size_t> genes;
        for (std::size_t gene = 0; gene < guide.size(); ++gene) {
            if (guide[gene] != base[gene]) genes.push_back(gene);
        }
        const std::uint32_t first = m_settings.elites;
        if (genes.size() < 2 || childrenEnd == first) return first;
        const std::size_t blocks = std::min<std::size_t>(childrenEnd - first + 1, genes.size());
        const std::vector<std::uint32_t> blockOrder = m_source.orderOfBlocks(place, static_cast<std::uint32_t>(blocks));
        const auto end = first + static_cast<std::uint32_t>(blocks - 1);
        std::span<const float> before = base;
        for (std::uint32_t child = first; child < end; ++child) {
            const std::span<float> keys = keysOf(m_next, child);
            std::ranges::copy(before, keys.begin());
            const std::size_t block = blockOrder[child - first];
            for (std::size_t i = genes.size() * block / blocks; i < genes.size() * (block + 1) / blocks; ++i) {
                keys[genes[i]] = guide[genes[i]];
            }
            before = keys;
        }
        return end;
    }

    void breed(std::uint32_t number, bool isShaken, bool isRelinked) {
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
        std::uint32_t matedFrom = m_settings.elites;
        if (isRelinked) matedFrom = relink(island, order, place, mutantsFrom);
        for (place.individual = matedFrom; place.individual < mutantsFrom; ++place.individual) {
            const auto [elite, other] = m_source.parents(place, m_settings.elites, others);
            m_source.mate(keysOf(std::as_const(island), order[elite]),
                          keysOf(std::as_const(island), order[m_settings.elites + other]),
                          keysOf(m_next, place.individual), place);
        }
        m_source.fillWithMutants(m_next, place, mutantsFrom);
        std::swap(island, m_next);
    }

    [[nodiscard]] IslandSums sumsOf(const Island& island) const {
        IslandSums sums;
        for (const Fitness& fitness : island.fitness) {
            if (fitness < sums.best) sums.best = fitness;
            if (std::isfinite(fitness.primary)) sums.sum.primary += fitness.primary, ++sums.primaries;
            if (std::isfinite(fitness.secondary)) sums.sum.secondary += fitness.secondary, ++sums.secondaries;
        }
        // Over at most so many genes, evenly spread, so that watching costs little.
        constexpr std::size_t MostGenes = 256;
        const std::size_t step = (m_state.genes + MostGenes - 1) / MostGenes;
        const double count = m_settings.population;
        for (std::size_t gene = 0; gene < m_state.genes; gene += step, ++sums.genes) {
            double first = 0.0;
            double second = 0.0;
            for (std::size_t at = gene; at < island.keys.size(); at += m_state.genes) {
                const double key = static_cast<double>(island.keys[at]);
                first += key;
                second += key * key;
            }
            sums.deviation += std::sqrt(std::max(0.0, second / count - first / count * first / count));
        }
        return sums;
    }

    /// Adds island by island, so that the sums do not depend on where the islands are.
    [[nodiscard]] GenerationReport report() const {
        GenerationReport report{.generation = m_state.generation,
                                .evaluations = m_state.evaluations,
                                .best = m_state.bestFitness,
                                .bestKeys = m_state.best};
        IslandSums all;
        for (const IslandSums& sums : m_sums) {
            if (sums.best < report.generationBest) report.generationBest = sums.best;
            all.sum.primary += sums.sum.primary;
            all.sum.secondary += sums.sum.secondary;
            all.primaries += sums.primaries;
            all.secondaries += sums.secondaries;
            all.deviation += sums.deviation;
            all.genes += sums.genes;
        }
        if (all.primaries != 0) report.mean.primary = all.sum.primary / static_cast<double>(all.primaries);
        if (all.secondaries != 0) report.mean.secondary = all.sum.secondary / static_cast<double>(all.secondaries);
        const double deviationOfUniform = std::sqrt(1.0 / 12.0);
        report.diversity = all.deviation / static_cast<double>(all.genes) / deviationOfUniform;
        return report;
    }

    State& m_state;
    const Settings m_settings;
    const KeySource m_source;
    const DecodeBatch m_decode;
    const Limits& m_limits;
    const Observer& m_observer;
    Team* m_team;
    Keeper* m_keeper;
    bool m_isObserved;                               ///< by any rank
    Wishes m_agreed;                                 ///< those of all ranks, when they last met
    std::vector<IslandSums> m_sums;                  ///< by island, if the generation is observed
    std::vector<std::vector<Traveller>> m_migrants;  ///< by island that they leave
    std::vector<Traveller> m_guides;                 ///< by island, while it is bred: its best individual
    std::vector<Candidate> m_batch;
    Island m_next;
};

}  // namespace

Result<StopReason> run(State& state, DecodeBatch decode, const Limits& limits, const Observer& observer,
                       const Support& support) {
    return Evolution(state, decode, limits, observer, support).run();
}

}  // namespace mitos::random_keys::internal
