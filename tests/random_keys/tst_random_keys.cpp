// SPDX-License-Identifier: GPL-3.0-or-later
// The genetic algorithm: what its generations consist of, when it ends, and that it always finds the same.
#include "core/base/result.h"
#include "core/random_keys/parallel_decoder.h"
#include "core/random_keys/search.h"
#include "tests/random_keys/toy_decoders.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <set>
#include <vector>

namespace tst_random_keys {

using namespace mitos::random_keys;
using mitos::Result;
using mitos::tests::Distances;
using mitos::tests::Indifferent;

namespace {

State mustStart(const Settings& settings, std::size_t genes, const std::vector<std::vector<float>>& given = {}) {
    Result<State> state = start(settings, genes, given);
    if (!state) qFatal("%s", state.error().message.c_str());
    return *std::move(state);
}

/// The keys of one individual.
std::vector<float> keysOf(const State& state, std::size_t island, std::size_t individual) {
    const auto from = state.islands[island].keys.begin() + static_cast<std::ptrdiff_t>(individual * state.genes);
    return {from, from + static_cast<std::ptrdiff_t>(state.genes)};
}

/// Rounds keys to whether they are above one half; fitness counts those, and the hash is their bits.
struct Bits {
    void decode(std::span<Candidate> batch) const {
        for (Candidate& candidate : batch) {
            std::uint64_t bits = 1;
            for (const float key : candidate.keys) bits = 2 * bits + (key > 0.5F ? 1U : 0U);
            candidate.hash = bits;
            candidate.fitness = {static_cast<double>(std::popcount(bits)), 0.0};
        }
    }
};

}  // namespace

class TestRandomKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comesCloseToTheOptimum() {
        State state = mustStart({}, 20);
        Distances decoder;
        QCOMPARE(run(state, decoder, {.evaluations = 5'000}), StopReason::Evaluations);
        QVERIFY2(state.bestFitness.primary < 0.02, qPrintable(QString::number(state.bestFitness.primary)));
        // Mutants alone, which are a random search, stay far away: a random key has a mean squared distance of about 0.12.
        State random = mustStart({.mutants = 80}, 20);
        run(random, decoder, {.evaluations = 5'000});
        QVERIFY(random.bestFitness.primary > 0.3);
    }

    void isTheSameForAnyNumberOfThreads() {
        const Settings settings{
            .seed = 7, .population = 30, .elites = 6, .mutants = 5, .islands = 3, .exchangeEvery = 4};
        State expected = mustStart(settings, 33);
        Distances decoder;
        run(expected, decoder, {.evaluations = 2'000});
        for (const std::size_t threads : {1, 2, 3}) {
            State state = mustStart(settings, 33);
            ParallelDecoder<Distances> parallel{std::vector<Distances>(threads)};
            run(state, parallel, {.evaluations = 2'000});
            QVERIFY(state == expected);
        }
    }

    void isTheSameForAnySizeOfBatches() {
        Settings settings{.population = 20, .elites = 4, .mutants = 4};
        State expected = mustStart(settings, 5);
        Distances decoder;
        run(expected, decoder, {.generations = 9});
        settings.batch = 3;
        State state = mustStart(settings, 5);
        run(state, decoder, {.generations = 9});
        state.settings.batch = 0;
        QVERIFY(state == expected);
    }

    void seedsGiveOtherSearches() {
        Distances decoder;
        State first = mustStart({.seed = 1}, 10);
        State second = mustStart({.seed = 2}, 10);
        run(first, decoder, {.generations = 2});
        run(second, decoder, {.generations = 2});
        QVERIFY(first.best != second.best);
    }

    void evaluatesEliteIndividualsOnce() {
        std::uint64_t calls = 0;
        std::uint64_t decoded = 0;
        Distances decoder{&calls, &decoded};
        State state = mustStart({.population = 10, .elites = 3, .mutants = 2}, 4);
        QCOMPARE(run(state, decoder, {.generations = 6}), StopReason::Generations);
        QCOMPARE(decoded, 10U + 6U * 7U);
        QCOMPARE(state.evaluations, 52U);
        QCOMPARE(calls, 7U);
        QCOMPARE(state.generation, 6U);
    }

    void keepsTheBudgetOfEvaluations() {
        std::uint64_t decoded = 0;
        Distances decoder{nullptr, &decoded};
        for (const std::uint64_t budget : {1U, 9U, 10U, 11U, 137U}) {
            decoded = 0;
            State state = mustStart({.population = 10, .elites = 3, .mutants = 2, .islands = 2}, 4);
            QCOMPARE(run(state, decoder, {.evaluations = budget}), StopReason::Evaluations);
            QCOMPARE(decoded, budget);
            QCOMPARE(state.evaluations, budget);
        }
    }

    void continuesWithinAGeneration() {
        Distances decoder;
        const Settings settings{
            .population = 10, .elites = 3, .mutants = 2, .islands = 2, .exchangeEvery = 1, .shakeAfter = 3};
        State expected = mustStart(settings, 6);
        run(expected, decoder, {.evaluations = 400});
        State state = mustStart(settings, 6);
        for (std::uint64_t budget = 1; budget < 400; budget += 7) run(state, decoder, {.evaluations = budget});
        run(state, decoder, {.evaluations = 400});
        QVERIFY(state == expected);
    }

    void eliteIndividualsSurviveInOrder() {
        Distances decoder;
        State state = mustStart({.population = 12, .elites = 4, .mutants = 3}, 5);
        run(state, decoder, {.evaluations = 12});
        std::vector<double> fitness;
        for (const Fitness& one : state.islands[0].fitness) fitness.push_back(one.primary);
        std::ranges::sort(fitness);
        run(state, decoder, {.generations = 1});
        for (std::size_t i = 0; i < 4; ++i) QCOMPARE(state.islands[0].fitness[i].primary, fitness[i]);
    }

    void childrenInheritFromBothParents() {
        // The only elite has keys 0, all others have keys 1.
        std::vector<std::vector<float>> given(10, std::vector<float>(1'000, 1.0F));
        given[0].assign(1'000, 0.0F);
        struct ZeroIsBest {
            void decode(std::span<Candidate> batch) const {
                for (Candidate& candidate : batch) candidate.fitness = {static_cast<double>(candidate.keys[0]), 0.0};
            }
        };
        ZeroIsBest zeroIsBest;
        State state = mustStart({.population = 10, .elites = 1, .mutants = 1, .inheritance = 0.7}, 1'000, given);
        run(state, zeroIsBest, {.generations = 1});
        for (std::size_t i = 1; i < 9; ++i) {
            const std::vector<float> keys = keysOf(state, 0, i);
            const auto zeros = std::ranges::count(keys, 0.0F);
            const auto ones = std::ranges::count(keys, 1.0F);
            QCOMPARE(zeros + ones, 1'000);
            QVERIFY2(zeros > 640 && zeros < 760, qPrintable(QString::number(zeros)));
        }
        const std::vector<float> mutant = keysOf(state, 0, 9);
        QCOMPARE(std::ranges::count(mutant, 0.0F) + std::ranges::count(mutant, 1.0F), 0);
    }

    void genesHaveTheirInheritance() {
        // The only elite has keys 0, all others have keys 1. Gene i is inherited from the elite with probability (i mod 5) / 4.
        struct ZeroIsBest {
            void decode(std::span<Candidate> batch) const {
                for (Candidate& candidate : batch) candidate.fitness = {static_cast<double>(candidate.keys[0]), 0.0};
            }
        };
        constexpr std::size_t Genes = 1'003;
        std::vector<std::vector<float>> given(20, std::vector<float>(Genes, 1.0F));
        given[0].assign(Genes, 0.0F);
        Settings settings{.population = 20, .elites = 1, .mutants = 0};
        for (std::size_t i = 0; i < Genes; ++i) settings.inheritanceOfGene.push_back(static_cast<double>(i % 5) / 4.0);
        ZeroIsBest decoder;
        State state = mustStart(settings, Genes, given);
        run(state, decoder, {.generations = 1});
        std::vector<double> zeros(5);
        for (std::size_t individual = 1; individual < 20; ++individual) {
            const std::vector<float> keys = keysOf(state, 0, individual);
            for (std::size_t i = 0; i < Genes; ++i) zeros[i % 5] += keys[i] == 0.0F ? 1.0 : 0.0;
        }
        // 1,003 genes are 201, 201, 201, 200 and 200 of the five kinds, in 19 children.
        QCOMPARE(zeros[0], 0.0);
        QVERIFY2(std::abs(zeros[1] - 0.25 * 3'819) < 120.0, qPrintable(QString::number(zeros[1])));
        QVERIFY2(std::abs(zeros[2] - 0.5 * 3'819) < 130.0, qPrintable(QString::number(zeros[2])));
        QVERIFY2(std::abs(zeros[3] - 0.75 * 3'800) < 120.0, qPrintable(QString::number(zeros[3])));
        QCOMPARE(zeros[4], 3'800.0);
    }

    /// One probability for all genes is the same search as that probability for each.
    void equalInheritanceOfGenesIsThatOfAll() {
        Distances decoder;
        State all = mustStart({.inheritance = 0.6}, 21);
        State each = mustStart({.inheritance = 0.1, .inheritanceOfGene = std::vector<double>(21, 0.6)}, 21);
        run(all, decoder, {.evaluations = 1'000});
        run(each, decoder, {.evaluations = 1'000});
        QVERIFY(all.islands == each.islands);
        State other = mustStart({.inheritanceOfGene = std::vector<double>(21, 0.9)}, 21);
        run(other, decoder, {.evaluations = 1'000});
        QVERIFY(all.islands != other.islands);
    }

    void mutantsHaveTheirDistributions() {
        MutantDistributions mutants{{{1.0, 1.0}, {8.0, 2.0}, Beta::ofMean(0.1, 8.0)}, {0, 1, 2, 1}};
        State state = mustStart({.population = 4'000, .mutantKeys = mutants}, 4);
        std::vector<double> mean(4);
        for (std::size_t i = 0; i < state.islands[0].keys.size(); ++i) {
            mean[i % 4] += static_cast<double>(state.islands[0].keys[i]) / 4'000.0;
        }
        QVERIFY(std::abs(mean[0] - 0.5) < 0.02);
        QVERIFY(std::abs(mean[1] - 0.8) < 0.02);
        QVERIFY(std::abs(mean[2] - 0.1) < 0.02);
        QVERIFY(std::abs(mean[3] - 0.8) < 0.02);
    }

    void givenIndividualsComeFirstInTheIslandsInTurn() {
        const std::vector<std::vector<float>> given{{0.0F, 0.1F}, {0.5F, 0.5F}, {1.0F, 1.0F}};
        State state = mustStart({.population = 5, .elites = 1, .mutants = 1, .islands = 2}, 2, given);
        QCOMPARE(keysOf(state, 0, 0), given[0]);
        QCOMPARE(keysOf(state, 1, 0), given[1]);
        QCOMPARE(keysOf(state, 0, 1), given[2]);
        Distances decoder;
        run(state, decoder, {.evaluations = 1});
        QCOMPARE(state.best, given[0]);
        QVERIFY(state.bestFitness.primary < 1e-12);
    }

    void islandsExchangeTheirBest() {
        const std::vector<std::vector<float>> given{{0.0F, 0.1F, 0.2F}};  // the optimum, in island 0
        const auto bestOf = [](const State& state, std::size_t island) {
            return std::ranges::min_element(state.islands[island].fitness)->primary;
        };
        Distances decoder;
        const Settings settings{
            .population = 10, .elites = 2, .mutants = 2, .islands = 3, .exchangeEvery = 2, .exchanged = 1};
        State state = mustStart(settings, 3, given);
        run(state, decoder, {.generations = 1});
        QVERIFY(bestOf(state, 1) > 1e-6);
        run(state, decoder, {.generations = 2});
        QVERIFY(bestOf(state, 1) < 1e-12);
        QVERIFY(bestOf(state, 2) > 1e-6);
        run(state, decoder, {.generations = 4});
        QVERIFY(bestOf(state, 2) < 1e-12);
        // Copies are no evaluations.
        QCOMPARE(state.evaluations, 3U * (10U + 4U * 8U));
    }

    void repeatedSolutionsAreNoElites() {
        State state = mustStart({.population = 60, .elites = 12, .mutants = 10}, 6);
        Bits decoder;
        run(state, decoder, {.generations = 20});
        const std::vector<std::uint64_t>& hashes = state.islands[0].hashes;
        QCOMPARE(std::set(hashes.begin(), hashes.begin() + 12).size(), 12U);
        QCOMPARE(state.bestFitness.primary, 1.0);  // the leading one alone
        QCOMPARE(state.bestHash, 64U);
    }

    void aResetReplacesAll() {
        Indifferent decoder;
        State state = mustStart({.population = 8, .elites = 3, .mutants = 1, .resetAfter = 2}, 3);
        run(state, decoder, {.generations = 2});
        const std::vector<float> before = state.islands[0].keys;
        QCOMPARE(state.idle, 2U);
        run(state, decoder, {.generations = 3});
        for (const float key : state.islands[0].keys) QVERIFY(std::ranges::find(before, key) == before.end());
        QCOMPARE(state.evaluations, 8U + 2U * 5U + 8U);
    }

    void aShakeKeepsTheBest() {
        Distances decoder;
        State state = mustStart({.population = 8, .elites = 3, .mutants = 1, .shakeAfter = 1, .shakeIntensity = 0.5},
                                400, {std::vector<float>(400, 0.45F)});
        run(state, decoder, {.generations = 1});
        QCOMPARE(state.idle, 1U);
        const State before = state;
        run(state, decoder, {.generations = 2});
        QCOMPARE(keysOf(state, 0, 0), std::vector<float>(400, 0.45F));
        int kept = 0;
        for (std::size_t i = 0; i < 400; ++i) {
            for (std::size_t individual = 0; individual < 8; ++individual) {
                if (keysOf(state, 0, 1)[i] == keysOf(before, 0, individual)[i]) {
                    ++kept;
                    break;
                }
            }
        }
        QVERIFY2(kept > 150 && kept < 250, qPrintable(QString::number(kept)));
        QCOMPARE(state.evaluations, 8U + 5U + 7U);
    }

    /// The children are the points of a path from 0.1 everywhere to 0.9 everywhere, the two elites.
    void childrenOfSomeGenerationsLieOnAPath() {
        struct SmallIsBest {
            void decode(std::span<Candidate> batch) const {
                for (Candidate& candidate : batch) {
                    const auto isAll = [&](float key) {
                        return std::ranges::count(candidate.keys, key) == std::ssize(candidate.keys);
                    };
                    candidate.fitness = {isAll(0.1F) ? 0.0 : isAll(0.9F) ? 1.0 : 2.0, 0.0};
                }
            }
        };
        SmallIsBest decoder;
        for (const std::size_t genes : {40U, 12U, 11U, 4U, 2U, 1U}) {
            const std::vector<std::vector<float>> given{std::vector<float>(genes, 0.9F),
                                                        std::vector<float>(genes, 0.1F)};
            State state = mustStart({.population = 16, .elites = 2, .mutants = 3, .relinkEvery = 1}, genes, given);
            run(state, decoder, {.generations = 1});
            // Eleven children, if there are so many points between the ends.
            const std::size_t points = std::min<std::size_t>(11, genes - 1);
            std::vector<float> before = keysOf(state, 0, 0);
            QCOMPARE(before, given[1]);
            for (std::size_t k = 1; k <= points; ++k) {
                const std::vector<float> keys = keysOf(state, 0, 1 + k);
                // Point k has k of the blocks, whose sizes differ by at most one.
                const auto changed = static_cast<std::size_t>(std::ranges::count(keys, 0.9F));
                QCOMPARE(changed + static_cast<std::size_t>(std::ranges::count(keys, 0.1F)), genes);
                QVERIFY(changed >= k * (genes / (points + 1)));
                QVERIFY(changed <= k * (genes / (points + 1) + (genes % (points + 1) != 0 ? 1 : 0)));
                std::size_t from = genes;
                std::size_t to = 0;
                for (std::size_t i = 0; i < genes; ++i) {
                    if (keys[i] == before[i]) continue;
                    QCOMPARE(keys[i], 0.9F);
                    from = std::min(from, i);
                    to = i + 1;
                }
                QVERIFY(from < to);
                for (std::size_t i = from; i < to; ++i) QVERIFY(keys[i] != before[i]);
                before = keys;
            }
            QVERIFY(before != given[0]);
            QCOMPARE(state.evaluations, 16U + 14U);
        }
    }

    void pathsLeadToTheBestOfTheNextIsland() {
        Distances decoder;
        const Settings settings{
            .population = 8, .elites = 2, .mutants = 1, .islands = 3, .exchangeEvery = 0, .relinkEvery = 2};
        State state = mustStart(settings, 30);
        run(state, decoder, {.generations = 1});
        std::vector<std::vector<float>> best;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto& fitness = state.islands[i].fitness;
            best.push_back(
                keysOf(state, i, static_cast<std::size_t>(std::ranges::min_element(fitness) - fitness.begin())));
        }
        run(state, decoder, {.generations = 2});
        for (std::size_t i = 0; i < 3; ++i) {
            const std::vector<float>& guide = best[(i + 1) % 3];
            // Five points divide thirty genes into six blocks of five.
            for (std::size_t k = 1; k <= 5; ++k) {
                const std::vector<float> keys = keysOf(state, i, 1 + k);
                std::size_t changed = 0;
                for (std::size_t gene = 0; gene < 30; ++gene) {
                    QVERIFY(keys[gene] == best[i][gene] || keys[gene] == guide[gene]);
                    changed += keys[gene] == guide[gene] ? 1 : 0;
                }
                QCOMPARE(changed, 5 * k);
            }
        }
    }

    /// Where there is none, the children are those of any generation.
    void pathsNeedAnotherEnd() {
        struct OneHash {
            void decode(std::span<Candidate> batch) const {
                Distances().decode(batch);
                for (Candidate& candidate : batch) candidate.hash = 3;
            }
        };
        const auto areEqual = [](auto decoder, Settings settings, const Limits& limits) {
            State plain = mustStart(settings, 7);
            settings.relinkEvery = 1;
            State relinked = mustStart(settings, 7);
            run(plain, decoder, limits);
            run(relinked, decoder, limits);
            return relinked.islands == plain.islands;
        };
        QVERIFY(areEqual(OneHash(), {.population = 10, .elites = 3, .mutants = 2}, {.generations = 5}));
        QVERIFY(areEqual(Distances(), {.population = 10, .elites = 1, .mutants = 2}, {.generations = 5}));
        QVERIFY(!areEqual(Distances(), {.population = 10, .elites = 2, .mutants = 2}, {.generations = 5}));
        // There are no children, or all individuals are drawn again.
        QVERIFY(areEqual(Distances(), {.population = 10, .elites = 4, .mutants = 6}, {.generations = 5}));
        QVERIFY(!areEqual(Indifferent(), {.population = 10, .elites = 4, .mutants = 2}, {.generations = 1}));
        // The first generation is idle for no time, so that the first one bred has a path in spite of shaking.
        State shaken = mustStart({.population = 10, .elites = 4, .mutants = 2, .shakeAfter = 1}, 7);
        Indifferent indifferent;
        run(shaken, indifferent, {.generations = 1});
        State relinked = shaken;
        relinked.settings.relinkEvery = 2;
        run(shaken, indifferent, {.generations = 2});
        run(relinked, indifferent, {.generations = 2});
        QCOMPARE(shaken.idle, 2U);
        QVERIFY(relinked.islands == shaken.islands);
    }

    void pathsAreTheSameForAnyNumberOfThreadsAndPauses() {
        const Settings settings{.seed = 7,
                                .population = 30,
                                .elites = 6,
                                .mutants = 5,
                                .islands = 3,
                                .exchangeEvery = 4,
                                .shakeAfter = 3,
                                .relinkEvery = 3,
                                .batch = 7};
        State expected = mustStart(settings, 33);
        Distances decoder;
        run(expected, decoder, {.evaluations = 2'000});
        QCOMPARE(expected.evaluations, 2'000U);
        for (const std::size_t threads : {1, 2, 3}) {
            State state = mustStart(settings, 33);
            ParallelDecoder<Distances> parallel{std::vector<Distances>(threads)};
            run(state, parallel, {.evaluations = 2'000});
            QVERIFY(state == expected);
        }
        State paused = mustStart(settings, 33);
        for (std::uint64_t budget = 1; budget < 2'000; budget += 23) {
            run(paused, decoder, {.evaluations = budget});
            Result<State> read = readState(toJson(paused));
            QVERIFY(read.ok());
            paused = *std::move(read);
        }
        run(paused, decoder, {.evaluations = 2'000});
        QVERIFY(paused == expected);
    }

    void comparesThePrimaryPartFirst() {
        struct Feasible {
            void decode(std::span<Candidate> batch) const {
                for (Candidate& candidate : batch) {
                    const double key = static_cast<double>(candidate.keys[0]);
                    candidate.fitness = {std::max(0.0, key - 0.5), 1.0 - key};  // best is 0.5
                }
            }
        };
        Feasible decoder;
        State state = mustStart({}, 1);
        run(state, decoder, {.evaluations = 2'000});
        QCOMPARE(state.bestFitness.primary, 0.0);
        QVERIFY(state.best[0] <= 0.5F && state.best[0] > 0.49F);
    }

    void notANumberIsTheWorst() {
        struct Undefined {
            void decode(std::span<Candidate> batch) const {
                for (Candidate& candidate : batch) {
                    const bool isDefined = candidate.keys[0] > 0.9F;
                    candidate.fitness = {isDefined ? 3.0 : std::numeric_limits<double>::quiet_NaN(), 0.0};
                }
            }
        };
        Undefined decoder;
        State state = mustStart({}, 1);
        run(state, decoder, {.generations = 5});
        QCOMPARE(state.bestFitness.primary, 3.0);
        QVERIFY(state.best[0] > 0.9F);
    }

    void aDecoderMayReplaceKeys() {
        struct Rounding {
            void decode(std::span<Candidate> batch) const {
                for (Candidate& candidate : batch) {
                    candidate.keys[0] = 0.25F;
                    candidate.fitness = {0.0, 0.0};
                }
            }
        };
        Rounding decoder;
        State state = mustStart({.population = 4, .elites = 1, .mutants = 1}, 1);
        run(state, decoder, {.generations = 3});
        QCOMPARE(state.islands[0].keys, (std::vector<float>{0.25F, 0.25F, 0.25F, 0.25F}));
    }

    void endsWhenAsked() {
        Distances decoder;
        State state = mustStart({}, 4);
        std::stop_source source;
        source.request_stop();
        QCOMPARE(run(state, decoder, {.stop = source.get_token()}), StopReason::Stopped);
        QCOMPARE(state.evaluations, 0U);
        QVERIFY(state.best.empty());
        QCOMPARE(run(state, decoder, {.deadline = std::chrono::steady_clock::now()}), StopReason::Deadline);
        QCOMPARE(state.evaluations, 0U);
        Indifferent indifferent;
        QCOMPARE(run(state, indifferent, {.idleGenerations = 4}), StopReason::Idle);
        QCOMPARE(state.generation, 4U);
    }

    void reportsGenerations() {
        Distances decoder;
        State state = mustStart({.population = 50, .elites = 10, .mutants = 10}, 12);
        std::vector<GenerationReport> reports;
        const StopReason reason = run(state, decoder, {}, [&](const GenerationReport& report) {
            reports.push_back(report);
            return reports.size() < 60;
        });
        QCOMPARE(reason, StopReason::Stopped);
        QCOMPARE(reports.size(), 60U);
        QCOMPARE(reports[0].generation, 0U);
        QCOMPARE(reports[0].evaluations, 50U);
        QCOMPARE(reports[1].evaluations, 90U);
        // Uniform keys at first, then the population gathers around the optimum.
        QVERIFY2(std::abs(reports[0].diversity - 1.0) < 0.1, qPrintable(QString::number(reports[0].diversity)));
        QVERIFY2(reports[59].diversity < 0.8, qPrintable(QString::number(reports[59].diversity)));
        QVERIFY(reports[59].mean < reports[0].mean);
        QVERIFY(reports[59].best == state.bestFitness);
        for (const GenerationReport& report : reports) QVERIFY(report.best <= report.generationBest);
    }
};

MITOS_TEST(TestRandomKeys)

}  // namespace tst_random_keys

#include "tst_random_keys.moc"
