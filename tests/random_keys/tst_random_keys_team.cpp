// SPDX-License-Identifier: GPL-3.0-or-later
// Several ranks find exactly what one process finds, and none of them waits for a rank that is gone.
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/random_keys/search.h"
#include "tests/random_keys/thread_team.h"
#include "tests/random_keys/toy_decoders.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tst_random_keys_team {

using namespace mitos::random_keys;
using mitos::Result;
using mitos::tests::Distances;
using mitos::tests::Indifferent;
using mitos::tests::runInTeam;

namespace {

State mustStart(const Settings& settings, std::size_t genes) {
    Result<State> state = start(settings, genes);
    if (!state) qFatal("%s", state.error().message.c_str());
    return *std::move(state);
}

/// Like Distances, with few different values, so that many individuals are equally good, and a hash.
struct Coarse {
    void decode(std::span<Candidate> batch) const {
        Distances().decode(batch);
        for (Candidate& candidate : batch) {
            candidate.fitness.primary = std::floor(4.0 * candidate.fitness.primary);
            candidate.fitness.secondary = static_cast<double>(candidate.keys[0]) > 0.5 ? 1.0 : 0.0;
            candidate.hash = static_cast<std::uint64_t>(candidate.fitness.primary) * 2 + 1;
        }
    }
};

/// Everything that a search gives.
struct Outcome {
    std::string error;
    StopReason reason = {};
    std::optional<State> state = {};
    std::vector<GenerationReport> reports = {};
};

bool areEqual(const GenerationReport& a, const GenerationReport& b) {
    return a.generation == b.generation && a.evaluations == b.evaluations && a.best == b.best &&
           a.generationBest == b.generationBest && a.mean == b.mean && a.diversity == b.diversity;
}

bool areEqual(const Outcome& a, const Outcome& b) {
    return a.error == b.error && a.reason == b.reason && a.state == b.state &&
           std::ranges::equal(a.reports, b.reports,
                              [](const auto& left, const auto& right) { return areEqual(left, right); });
}

struct Task {
    Settings settings;
    Limits limits;
    bool isObserved = true;
    std::size_t mostReports = 1'000'000;
};

template <typename D>
Outcome search(const Task& task, Team* team, State state, Keeper* keeper = nullptr) {
    Outcome outcome;
    D decoder;
    const Observer observer = [&](const GenerationReport& report) {
        outcome.reports.push_back(report);
        return outcome.reports.size() < task.mostReports;
    };
    const Result<StopReason> reason =
        runWith(state, decoder, task.limits, task.isObserved ? observer : Observer(), {team, keeper});
    if (reason) {
        outcome.reason = *reason;
        outcome.state = std::move(state);
    } else {
        outcome.error = reason.error().message;
    }
    return outcome;
}

const std::vector<Task>& tasks() {
    static const std::vector<Task> all{
        {.settings = {.population = 10, .elites = 3, .mutants = 2, .islands = 4}, .limits = {.evaluations = 777}},
        {.settings = {.population = 10, .elites = 3, .mutants = 2, .islands = 4},
         .limits = {.evaluations = 777},
         .isObserved = false},
        {.settings = {.seed = 5, .population = 12, .elites = 3, .mutants = 2, .islands = 3, .exchangeEvery = 2},
         .limits = {.generations = 20}},
        {.settings = {.population = 12, .elites = 3, .mutants = 2, .islands = 3, .exchangeEvery = 1, .exchanged = 12},
         .limits = {.generations = 8}},
        {.settings = {.population = 8, .elites = 2, .mutants = 1, .islands = 5, .exchangeEvery = 3, .shakeAfter = 2},
         .limits = {.evaluations = 1'111}},
        {.settings =
             {.population = 8, .elites = 2, .mutants = 1, .islands = 2, .shakeAfter = 2, .resetAfter = 3, .batch = 3},
         .limits = {.evaluations = 500}},
        {.settings = {.population = 8, .elites = 2, .mutants = 1, .islands = 7}, .limits = {.idleGenerations = 4}},
        {.settings = {.population = 20, .elites = 2, .mutants = 1, .islands = 3},
         .limits = {.generations = 50},
         .mostReports = 9},
        {.settings = {.population = 20, .elites = 2, .mutants = 1}, .limits = {.generations = 11}},
        {.settings = {.population = 10,
                      .elites = 3,
                      .mutants = 2,
                      .inheritanceOfGene = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9},
                      .islands = 4},
         .limits = {.evaluations = 777}},
        {.settings = {.population = 12, .elites = 3, .mutants = 2, .islands = 4, .exchangeEvery = 2, .relinkEvery = 3},
         .limits = {.evaluations = 1'500}},
        {.settings = {.population = 8,
                      .elites = 2,
                      .mutants = 1,
                      .islands = 2,
                      .exchangeEvery = 1,
                      .shakeAfter = 2,
                      .relinkEvery = 1,
                      .resetAfter = 5},
         .limits = {.evaluations = 900}},
        {.settings = {.population = 20, .elites = 4, .mutants = 1, .relinkEvery = 2}, .limits = {.generations = 11}},
    };
    return all;
}

/// Counts states, and keeps the one of a number.
class Counting final : public Keeper {
public:
    explicit Counting(int wanted) : m_wanted(wanted) {}
    bool isDue() override { return ++m_asked % 2 == 0; }
    void keep(const State& state) override {
        if (++kept == m_wanted) wanted = state;
    }
    int kept = 0;
    std::optional<State> wanted;

private:
    int m_wanted;
    int m_asked = 0;
};

}  // namespace

class TestRandomKeysTeam : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheSameForAnyNumberOfRanks_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("ranks");
        for (std::size_t i = 0; i < tasks().size(); ++i) {
            for (const int ranks : {1, 2, 3, 5})
                QTest::addRow("%d, %d ranks", static_cast<int>(i), ranks) << static_cast<int>(i) << ranks;
        }
    }
    void findsTheSameForAnyNumberOfRanks() {
        QFETCH(const int, number);
        QFETCH(const int, ranks);
        const Task& task = tasks()[static_cast<std::size_t>(number)];
        const Outcome alone = search<Distances>(task, nullptr, mustStart(task.settings, 9));
        const Outcome coarse = search<Coarse>(task, nullptr, mustStart(task.settings, 9));
        std::vector<int> equal(static_cast<std::size_t>(ranks));
        runInTeam(static_cast<std::uint32_t>(ranks), [&](Team& team) {
            equal[team.rank()] += areEqual(search<Distances>(task, &team, mustStart(task.settings, 9)), alone) ? 1 : 0;
            equal[team.rank()] += areEqual(search<Coarse>(task, &team, mustStart(task.settings, 9)), coarse) ? 1 : 0;
        });
        QCOMPARE(equal, std::vector<int>(static_cast<std::size_t>(ranks), 2));
    }

    void findsTheSameWithRandomSettings() {
        mitos::Random random(11);
        const auto upTo = [&random](std::uint32_t most) { return static_cast<std::uint32_t>(random.below(most + 1)); };
        for (int i = 0; i < 100; ++i) {
            Task task{.settings = {.seed = std::uint64_t{upTo(1'000)},
                                   .population = 5 + upTo(15),
                                   .elites = 1 + upTo(2),
                                   .mutants = upTo(2),
                                   .islands = 1 + upTo(6),
                                   .exchangeEvery = upTo(4),
                                   .exchanged = upTo(5),
                                   .shakeAfter = upTo(3),
                                   .relinkEvery = upTo(3),
                                   .resetAfter = upTo(4),
                                   .batch = upTo(4)},
                      .limits = {.evaluations = 1 + upTo(800), .generations = 40, .idleGenerations = upTo(9)},
                      .isObserved = upTo(1) == 1};
            const std::size_t genes = 1 + upTo(12);
            const Outcome alone = search<Coarse>(task, nullptr, mustStart(task.settings, genes));
            const std::uint32_t ranks = 2 + upTo(2);
            std::vector<int> equal(ranks);
            runInTeam(ranks, [&](Team& team) {
                equal[team.rank()] =
                    areEqual(search<Coarse>(task, &team, mustStart(task.settings, genes)), alone) ? 1 : 0;
            });
            QVERIFY2(equal == std::vector<int>(ranks, 1), qPrintable(QString::number(i)));
        }
    }

    void evaluatesOnlyItsIslands() {
        const Settings settings{.population = 10, .elites = 3, .mutants = 2, .islands = 5};
        std::vector<std::uint64_t> decoded(3);
        std::vector<int> ended(3);
        runInTeam(3, [&](Team& team) {
            State state = mustStart(settings, 6);
            Distances decoder{nullptr, &decoded[team.rank()]};
            // Two whole generations of 50 and 35, then seven of the first island and one of the second.
            const auto reason = runWith(state, decoder, {.evaluations = 93}, {}, {.team = &team});
            ended[team.rank()] = reason && *reason == StopReason::Evaluations ? 1 : 0;
        });
        QCOMPARE(ended, std::vector<int>(3, 1));
        QCOMPARE(decoded, (std::vector<std::uint64_t>{41, 35, 17}));
    }

    /// One meeting at first, one for each generation, with a second one if it is observed, and one at the end.
    void meetsOnceInAGeneration() {
        Task task{.settings = {.population = 10, .elites = 3, .mutants = 2, .islands = 2, .exchangeEvery = 3},
                  .limits = {.generations = 9},
                  .isObserved = false};
        const auto work = [&](Team& team) { search<Distances>(task, &team, mustStart(task.settings, 4)); };
        QCOMPARE(runInTeam(2, work), 12U);
        task.isObserved = true;
        QCOMPARE(runInTeam(2, work), 22U);
        // Before the fourth and the eighth generation.
        task.settings.relinkEvery = 4;
        QCOMPARE(runInTeam(2, work), 24U);
    }

    void continuesWithinAGeneration() {
        const Task task{.settings = {.population = 10,
                                     .elites = 3,
                                     .mutants = 2,
                                     .islands = 3,
                                     .exchangeEvery = 2,
                                     .shakeAfter = 2,
                                     .relinkEvery = 3},
                        .limits = {.evaluations = 400}};
        const Outcome alone = search<Distances>(task, nullptr, mustStart(task.settings, 6));
        std::vector<int> equal(2);
        runInTeam(2, [&](Team& team) {
            State state = mustStart(task.settings, 6);
            for (std::uint64_t budget = 1; budget < 400; budget += 17) {
                Task part = task;
                part.limits.evaluations = budget;
                Outcome outcome = search<Distances>(part, &team, std::move(state));
                state = *std::move(outcome.state);
            }
            equal[team.rank()] = *search<Distances>(task, &team, std::move(state)).state == *alone.state ? 1 : 0;
        });
        QCOMPARE(equal, std::vector<int>(2, 1));
    }

    void savesTheSameStates() {
        const Task task{
            .settings =
                {.population = 10, .elites = 3, .mutants = 2, .islands = 3, .exchangeEvery = 2, .relinkEvery = 2},
            .limits = {.generations = 21}};
        Counting alone(4);
        const Outcome expected = search<Distances>(task, nullptr, mustStart(task.settings, 6), &alone);
        QVERIFY(alone.wanted);
        QCOMPARE(alone.kept, 11);
        std::vector<int> kept(3);
        runInTeam(3, [&](Team& team) {
            Counting keeper(4);
            search<Distances>(task, &team, mustStart(task.settings, 6), &keeper);
            kept[team.rank()] = keeper.kept;
            if (team.isFirst() && keeper.wanted != alone.wanted) kept[0] = -1;
        });
        QCOMPARE(kept, (std::vector<int>{11, 0, 0}));
        QVERIFY(*search<Distances>(task, nullptr, *alone.wanted).state == *expected.state);
    }

    /// One rank alone is late, is stopped, or has an observer that ends the search.
    void allRanksEndTogether_data() {
        QTest::addColumn<int>("how");
        QTest::newRow("deadline") << 0;
        QTest::newRow("stop token") << 1;
        QTest::newRow("observer") << 2;
    }
    void allRanksEndTogether() {
        QFETCH(const int, how);
        std::vector<std::uint32_t> generations(3, 1'000);
        std::vector<StopReason> reasons(3);
        runInTeam(3, [&](Team& team) {
            State state = mustStart({.population = 10, .elites = 3, .mutants = 2, .islands = 3}, 4);
            Limits limits{.generations = 1'000'000};
            const bool isOdd = team.rank() == 1;
            if (isOdd && how == 0) {
                limits.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
            }
            std::stop_source source;
            limits.stop = source.get_token();
            Observer observer;
            if (isOdd && how > 0) {
                observer = [&](const GenerationReport& report) {
                    if (how == 1 && report.generation == 5) source.request_stop();
                    return how == 1 || report.generation < 5;
                };
            }
            Distances decoder;
            const auto reason = runWith(state, decoder, limits, observer, {.team = &team});
            generations[team.rank()] = state.generation;
            if (reason) reasons[team.rank()] = *reason;
        });
        QCOMPARE(generations[1], generations[0]);
        QCOMPARE(generations[2], generations[0]);
        // The token is looked at with the next generation.
        if (how != 0) QCOMPARE(generations[0], how == 1 ? 6U : 5U);
        QVERIFY((reasons == std::vector<StopReason>(3, how == 0 ? StopReason::Deadline : StopReason::Stopped)));
    }

    void doesNotBeginLate() {
        std::vector<std::uint64_t> decoded(2);
        std::vector<int> ended(2);
        runInTeam(2, [&](Team& team) {
            State state = mustStart({.islands = 2}, 4);
            Distances decoder{nullptr, &decoded[team.rank()]};
            Limits limits;
            if (team.rank() == 1) limits.deadline = std::chrono::steady_clock::now();
            const auto reason = runWith(state, decoder, limits, {}, {.team = &team});
            ended[team.rank()] = reason && *reason == StopReason::Deadline ? 1 : 0;
        });
        QCOMPARE(ended, std::vector<int>(2, 1));
        QCOMPARE(decoded, (std::vector<std::uint64_t>{0, 0}));
    }

    void refusesAnotherSearch() {
        std::vector<std::string> errors(3);
        runInTeam(3, [&](Team& team) {
            Task task{.settings = {.islands = 3}, .limits = {.generations = 3}};
            if (team.rank() == 2) task.settings.seed = 2;
            errors[team.rank()] = search<Distances>(task, &team, mustStart(task.settings, 4)).error;
        });
        QCOMPARE(errors, std::vector<std::string>(3, "the processes do not run the same search"));
    }

    void doesNotWaitForARankThatIsGone() {
        std::vector<std::string> errors(3);
        runInTeam(3, [&](Team& team) {
            if (team.rank() == 1) return;
            const Task task{.settings = {.islands = 3}, .limits = {.generations = 1'000}};
            errors[team.rank()] = search<Distances>(task, &team, mustStart(task.settings, 4)).error;
        });
        QCOMPARE(errors, (std::vector<std::string>{"a rank has left", "", "a rank has left"}));
    }

    /// A rank that fails while the others are in the middle of the search.
    void doesNotWaitForARankThatLeaves() {
        struct Failing final : Team {
            explicit Failing(Team& team) : inner(team) {}
            std::uint32_t rank() const override { return inner.rank(); }
            std::uint32_t size() const override { return inner.size(); }
            Result<std::vector<std::string>> allGather(std::string_view own) override {
                if (inner.rank() == 2 && ++calls == 7) return mitos::inputError("the cable is cut", "mend it");
                return inner.allGather(own);
            }
            Team& inner;
            int calls = 0;
        };
        std::vector<std::string> errors(3);
        runInTeam(3, [&](Team& team) {
            Failing failing(team);
            const Task task{.settings = {.islands = 3}, .limits = {.generations = 1'000}};
            errors[team.rank()] = search<Distances>(task, &failing, mustStart(task.settings, 4)).error;
        });
        QCOMPARE(errors, (std::vector<std::string>{"a rank has left", "a rank has left", "the cable is cut"}));
    }

    void refusesMessagesOfAnotherLength() {
        struct Longer final : Team {
            explicit Longer(Team& team) : inner(team) {}
            std::uint32_t rank() const override { return inner.rank(); }
            std::uint32_t size() const override { return inner.size(); }
            Result<std::vector<std::string>> allGather(std::string_view own) override {
                return inner.allGather(++calls == 3 ? std::string(own) + "x" : std::string(own));
            }
            Team& inner;
            int calls = 0;
        };
        std::vector<std::string> errors(2);
        runInTeam(2, [&](Team& team) {
            Longer longer(team);
            const Task task{.settings = {.islands = 2}, .limits = {.generations = 9}, .isObserved = false};
            errors[team.rank()] = search<Distances>(task, &longer, mustStart(task.settings, 4)).error;
        });
        QCOMPARE(errors, std::vector<std::string>(2, "the processes do not run the same search"));
    }
};

MITOS_TEST(TestRandomKeysTeam)

}  // namespace tst_random_keys_team

#include "tst_random_keys_team.moc"
