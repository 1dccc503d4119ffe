// SPDX-License-Identifier: GPL-3.0-or-later
// The two policies of Monte Carlo tree search (Knossos paper, equations 6 and 7), followed by hand.
#include "tests/search/graph_world.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <cmath>

namespace tst_mcts {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

constexpr std::int64_t Children = 20;

/// Two branches, 1 and 2, with twenty children each, which have one child each; the lowest costs are 6 and 8. A rollout
/// that always takes the largest reduction goes to branch 1, and to the last child of a branch. `met` gets a letter for
/// each of the last programs, A and B: where the tree policy went.
GraphWorld twoBranches(std::string& met) {
    return {0,
            [](std::int64_t n) {
                std::vector<std::int64_t> next;
                if (n == 0) next = {1, 2};
                for (std::int64_t i = 0; (n == 1 || n == 2) && i < Children; ++i) next.push_back(100 * n + i);
                if (n >= 100 && n < 1000) next = {n + 1000};
                return next;
            },
            [&met](std::int64_t n) {
                if (n == 0) return 10.0;
                const std::int64_t branch = n < 10 ? n : n % 1000 / 100;
                if (n >= 1000) met += branch == 1 ? 'A' : 'B';
                if (n >= 1000) return branch == 1 ? 6.0 : 8.0;
                const double first = branch == 1 ? 9.9 : 10.0;
                return n % 100 == Children - 1 ? first - 0.1 : first;
            }};
}

/// Two branches whose many children cost as much as the branch, and have one child each; the lowest costs are 6 and 8.
GraphWorld twoFlatBranches(std::string& met, std::int64_t children) {
    return {0,
            [children](std::int64_t n) {
                std::vector<std::int64_t> next;
                if (n == 0) next = {1, 2};
                for (std::int64_t i = 0; (n == 1 || n == 2) && i < children; ++i) next.push_back(1000 * n + i);
                if (n >= 1000 && n < 10000) next = {n + 10000};
                return next;
            },
            [&met](std::int64_t n) {
                if (n == 0) return 10.0;
                const bool isFirst = n == 1 || n % 10000 / 1000 == 1;
                if (n >= 10000) met += isFirst ? 'A' : 'B';
                if (n >= 10000) return isFirst ? 6.0 : 8.0;
                return isFirst ? 9.9 : 10.0;
            }};
}

}  // namespace

class TestMcts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTreePolicyIsEquation6();
    void theTreePolicyMayBePuct();
    void theRolloutPolicyIsEquation7_data();
    void theRolloutPolicyIsEquation7();
};

/// With beta = 8: X / n is 4 in branch 1 and 2 in branch 2, and of n visits to the start one is the rollout from it. The
/// first iteration rolls out to A. The second visits branch 1 and rolls out along the same way. The third visits branch 2,
/// which was not visited. From then on, n(1), n(2) and n: 1, 1, 3: 4 + 8 sqrt(ln 3 / 2) = 9.93 against 7.93; 2, 1, 4: 9.44
/// against 8.66; 3, 1, 5: 9.07 against 9.18, so branch 2; 3, 2, 6: 9.35 against 8.18; and so on. With n' in place of
/// n' + 1 it would be ABABAAB, without the root or the average something else again.
void TestMcts::theTreePolicyIsEquation6() {
    std::string met;
    const GraphWorld world = twoBranches(met);
    Budget budget;
    budget.evaluations = 1 + 2 + 2 * Children + 13;
    searched(*makeMcts(), world.problem(budget, {{"alpha", 1e9}, {"beta", 8.0}, {"depth", std::int64_t{3}}}));
    QCOMPARE(met, std::string("ABAABAAABAABA"));
}

/// With alpha = 10 ln 2.5 and beta = 7, beta P is 5 and 2; X / n is 4 and 2, and before a visit the average of the start. The first rollout
/// begins at the start, and with this seed goes to B. Then, by n: 1: 2 + 5 against 2 + 2; 2: 4 + 5 sqrt(2) / 2 = 7.54 against
/// 3 + 2 sqrt(2) = 5.83; 3: 6.89 against 3.33 + 3.46 = 6.80; 4: 6.5 against 3.5 + 4, so branch 2; 5: 6.80 against 4.24. Branch 2 is visited
/// next at n = 13: 4 + 5 sqrt(13) / 12 = 5.50 against 2 + 2 sqrt(13) / 2 = 5.61, and at n = 12 not: 5.57 against 5.46.
void TestMcts::theTreePolicyMayBePuct() {
    constexpr std::int64_t Many = 500;  // so that a rollout meets what none met before
    ParameterValues parameters{
        {"selection", std::string("puct")}, {"alpha", 10.0 * std::log(2.5)}, {"beta", 7.0}, {"depth", std::int64_t{3}}};
    Budget budget;
    budget.evaluations = 1 + 2 + 2 * Many + 14;
    std::string met;
    searched(*makeMcts(), twoFlatBranches(met, Many).problem(budget, parameters));
    QCOMPARE(met, std::string("BAAABAAAAAAAAB"));
    // A policy that is certain visits nothing else, and the search ends when nothing new comes.
    met.clear();
    parameters["alpha"] = 1e9;
    searched(*makeMcts(), twoBranches(met).problem({}, parameters));
    QCOMPARE(met, std::string("A"));
}

void TestMcts::theRolloutPolicyIsEquation7_data() {
    QTest::addColumn<double>("alpha");
    QTest::addColumn<double>("probability");
    QTest::newRow("uniform") << 0.0 << 0.5;
    QTest::newRow("e^(ln 3) to 1") << 1.0 << 0.75;
    QTest::newRow("e^(2 ln 3) to 1") << 2.0 << 0.9;
}

/// Two programs, one cheaper by ln 3: which of them does the first rollout go on from?
void TestMcts::theRolloutPolicyIsEquation7() {
    QFETCH(const double, alpha);
    QFETCH(const double, probability);
    std::vector<std::int64_t> met;
    const GraphWorld world{0,
                           [](std::int64_t n) {
                               return n == 0  ? std::vector<std::int64_t>{1, 2}
                                      : n < 3 ? std::vector<std::int64_t>{n + 10}
                                              : std::vector<std::int64_t>{};
                           },
                           [&met](std::int64_t n) {
                               met.push_back(n);
                               return n == 1 ? 10.0 - std::log(3.0) : 10.0;
                           }};
    Budget budget;
    budget.evaluations = 4;
    constexpr int Seeds = 1000;
    int cheaper = 0;
    for (std::uint64_t seed = 1; seed <= Seeds; ++seed) {
        met.clear();
        searched(*makeMcts(), world.problem(budget, {{"alpha", alpha}, {"depth", std::int64_t{2}}}, seed));
        QCOMPARE(met.size(), std::size_t{4});
        if (met.back() == 11) ++cheaper;
    }
    const double share = static_cast<double>(cheaper) / Seeds;  // three standard deviations are at most 0.047
    QVERIFY2(std::abs(share - probability) < 0.047, std::to_string(share).c_str());
}

MITOS_TEST(TestMcts)

}  // namespace tst_mcts

#include "tst_mcts.moc"
