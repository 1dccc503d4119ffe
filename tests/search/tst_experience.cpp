// SPDX-License-Identifier: GPL-3.0-or-later
// Experience: reductions along edges, compared with all ways; experiences merged; programs varied.
#include "core/base/random.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "search/rewriting/experience.h"
#include "search/rewriting/program_variants.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <set>
#include <string>

namespace tst_experience {

using namespace mitos;
using namespace mitos::search;

namespace {

/// The largest reduction over all ways of at most `steps` steps, by following each of them.
double bestOfAllWays(const std::vector<double>& costs, const std::vector<StateEdge>& edges, std::uint32_t from,
                     std::uint32_t steps, double discount) {
    double best = 0.0;
    if (steps == 0) return best;
    for (const StateEdge& edge : edges) {
        if (edge.from != from) continue;
        const double further = bestOfAllWays(costs, edges, edge.to, steps - 1, discount);
        best = std::max(best, discount * (costs[from] - costs[edge.to] + further));
    }
    return best;
}

/// States of a program of ks by texts; the first is the start.
Experience experienceOf(ir::TermBank& bank, const std::shared_ptr<ir::TermBank>& owner,
                        const std::vector<std::string>& texts) {
    Experience experience;
    experience.bank = owner;
    for (const std::string& text : texts) {
        const auto program = ks::parseProgram(bank, "text", text);
        if (!program) qFatal("%s", program.error().render().c_str());
        if (experience.roots.empty()) experience.program = *program;
        experience.roots.push_back(program->root);
        experience.costs.push_back(static_cast<double>(text.size()));
    }
    return experience;
}

}  // namespace

class TestExperience : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A hill of 3 behind which the cost falls from 10 to 4, and a way back.
    void aReductionBehindAHillNeedsItsSteps() {
        const std::vector<double> costs{10.0, 13.0, 4.0};
        const std::vector<StateEdge> edges{{0, 1}, {1, 2}, {1, 0}};
        QCOMPARE(reductionsWithin(costs, edges, 3), (std::vector<double>{0, 6, 6, 9, 9, 9, 0, 0, 0}));
        // -3 in one step and 9 in two: half of -3, and a quarter of 9.
        QCOMPARE(reductionsWithin(costs, edges, 2, 0.5), (std::vector<double>{0, 0.75, 4.5, 4.5, 0, 0}));
        QCOMPARE(reductionsWithin({}, {}, 3), std::vector<double>());
        QCOMPARE(reductionsWithin(costs, {}, 1), std::vector<double>(3, 0.0));
    }

    void reductionsAreThoseOfTheBestWay() {
        Random random(3);
        for (int round = 0; round < 40; ++round) {
            const std::size_t count = 2 + random.below(6);
            std::vector<double> costs(count);
            for (double& cost : costs) cost = static_cast<double>(random.integer(0, 20));
            std::vector<StateEdge> edges(random.below(14));
            for (StateEdge& edge : edges)
                edge = {static_cast<std::uint32_t>(random.below(count)),
                        static_cast<std::uint32_t>(random.below(count))};
            const double discount = round % 2 == 0 ? 1.0 : 0.75;
            const std::vector<double> rows = reductionsWithin(costs, edges, 4, discount);
            for (std::uint32_t state = 0; state < count; ++state) {
                for (std::uint32_t steps = 1; steps <= 4; ++steps) {
                    QCOMPARE(rows[std::size_t{state} * 4 + steps - 1],
                             bestOfAllWays(costs, edges, state, steps, discount));
                }
            }
        }
    }

    void statesThatTwoSearchesVisitAreOne() {
        const auto registry = ks::makeRegistry();
        const auto first = std::make_shared<ir::TermBank>(registry);
        const auto second = std::make_shared<ir::TermBank>(registry);
        Experience one = experienceOf(*first, first, {"(mul x 1.0)", "(mul 1.0 x)"});
        one.edges = {{0, 1}, {1, 0}};
        Experience other = experienceOf(*second, second, {"(mul 1.0 x)", "(mul x 1.0)"});
        other.edges = {{0, 1}};
        MergedExperience merged;
        QCOMPARE(merged.add(one), (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(merged.add(other), (std::vector<std::uint32_t>{1, 0}));
        const Experience all = merged.take();
        QCOMPARE(all.size(), std::size_t(2));
        QVERIFY(all.edges == (std::vector<StateEdge>{{0, 1}, {1, 0}}));
        QVERIFY(all.program.root == all.roots[0]);
        QCOMPARE(all.costs, one.costs);
    }

    /// Parts of one program in the place of parts of another; the same for the same seed, of the same type, and often different.
    void variantsExchangeParts() {
        ir::TermBank bank(ks::makeRegistry());
        const auto read = [&](const char* text) {
            const auto program = ks::parseProgram(bank, "text", text);
            if (!program) qFatal("%s", program.error().render().c_str());
            return *program;
        };
        const ir::Program program = read("(div (mul x y) (add (mul x y) (log x)))");
        const ir::Program other = read("(add (div 1.0 (add x 1.0)) 2.0)");
        std::set<std::uint32_t> roots;
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            Random random(seed);
            Random again(seed);
            const ir::Program variant = variantOf(bank, program, other, random);
            QVERIFY(variant.root == variantOf(bank, program, other, again).root);
            QVERIFY(bank.type(variant.root) == bank.type(program.root));
            QVERIFY(bank.is(variant.root, ir::CoreOp::Call) || bank.childCount(variant.root) == 2);
            roots.insert(variant.root.value);
        }
        QVERIFY(roots.size() > 5);
        Random random(1);
        const ir::Program leaf = read("x");
        QVERIFY(variantOf(bank, leaf, other, random).root == leaf.root);
    }
};

MITOS_TEST(TestExperience)

}  // namespace tst_experience

#include "tst_experience.moc"
