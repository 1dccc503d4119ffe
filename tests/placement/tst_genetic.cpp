// SPDX-License-Identifier: GPL-3.0-or-later
// The genetic algorithm as a strategy: one generation is random search.
#include "core/base/parameters.h"
#include "search/placement/genetic.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tst_genetic {

using namespace mitos;
using namespace mitos::search::placement;
using namespace mitos::tests;
using schedule::Problem;

namespace {

/// Independent operations of 1, 2, 4, 8, 16 and 32 units on two devices. The least run time is 32, where the longest is alone: of the 64 ways to choose devices
/// two have it. Priorities do not matter.
Problem powers() {
    std::vector<Node> nodes;
    for (const double duration : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) nodes.push_back({std::string(), duration});
    return mustMake(makeGraph(nodes), schedule::equalDevices(2));
}

constexpr std::uint64_t Evaluations = 30;
constexpr int Trials = 400;

/// How often the best schedule is found, of `Trials` searches.
int hits(const Problem& problem, ParameterValues given, const random_keys::MutantDistributions& mutants = {}) {
    given.insert({{"decode", std::string("paper")}, {"starts", false}, {"population", std::int64_t{6}}});
    given.insert({{"elites", std::int64_t{2}}, {"mutants", std::int64_t{1}}, {"relink", std::int64_t{2}}});
    const ParameterValues parameters = *resolveParameters("brkga", geneticParameters(), given);
    int count = 0;
    for (std::uint64_t seed = 1; seed <= Trials; ++seed) {
        const Request request{.seed = seed, .evaluations = Evaluations, .parameters = parameters};
        const auto found = runGeneticWith(problem, request, {}, mutants);
        if (!found || found->evaluations != Evaluations) qFatal("the search failed");
        count += found->score.runtime == 32.0 ? 1 : 0;
    }
    return count;
}

/// That of a search that draws independently, where one draw is the best with this probability.
double expectedHits(double probability) {
    return Trials * (1.0 - std::pow(1.0 - probability, static_cast<double>(Evaluations)));
}

bool isWithin4Deviations(int found, double expected) {
    const double deviation = std::sqrt(expected * (1.0 - expected / Trials));
    return std::abs(found - expected) < 4.0 * deviation;
}

}  // namespace

class TestGenetic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Any population and number of islands draws the same. Evolution with the same settings does not have that law.
    void oneGenerationIsRandomSearch() {
        const Problem problem = powers();
        const double expected = expectedHits(2.0 / 64.0);
        for (const std::int64_t population : {6, 30, 100}) {
            for (const std::int64_t islands : {1, 3}) {
                const int found =
                    hits(problem, {{"generations", std::int64_t{1}}, {"population", population}, {"islands", islands}});
                QVERIFY2(isWithin4Deviations(found, expected), qPrintable(QString::number(found)));
            }
        }
        const int evolved = hits(problem, {});
        QVERIFY2(!isWithin4Deviations(evolved, expected), qPrintable(QString::number(evolved)));
    }

    /// Affinities of Beta(1/2, 1) and Beta(1, 1/2) are u² and 1 - v² for uniform u and v. The first is the larger one where u² + v² > 1, which has
    /// the probability 1 - π/4. Two short operations tend to the device of the longest one, and three to the other.
    void oneGenerationDrawsByThePolicy() {
        const Problem problem = powers();
        random_keys::MutantDistributions mutants{.choices = {{1.0, 1.0}, {0.5, 1.0}, {1.0, 0.5}}, .ofGene = {}};
        for (const bool tendsToSecond : {true, true, false, false, false, true}) {
            mutants.ofGene.push_back(tendsToSecond ? 1 : 2);
            mutants.ofGene.push_back(tendsToSecond ? 2 : 1);
        }
        mutants.ofGene.resize(18, 0);
        const double usual = std::acos(-1.0) / 4.0;
        const double unusual = 1.0 - usual;
        const double best =
            std::pow(usual, 4.0) * std::pow(unusual, 2.0) + std::pow(unusual, 4.0) * std::pow(usual, 2.0);
        const int found = hits(problem, {{"generations", std::int64_t{1}}}, mutants);
        QVERIFY2(isWithin4Deviations(found, expectedHits(best)), qPrintable(QString::number(found)));
    }
};

MITOS_TEST(TestGenetic)

}  // namespace tst_genetic

#include "tst_genetic.moc"
