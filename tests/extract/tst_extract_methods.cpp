// SPDX-License-Identifier: GPL-3.0-or-later
// The methods against each other, against trying all choices, and against figures of the paper.
#include "core/extract/check.h"
#include "core/extract/extract.h"
#include "core/extract/internal/components.h"
#include "core/extract/internal/reduce.h"
#include "tests/extract/graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <chrono>
#include <cmath>

namespace tst_extract_methods {

using namespace mitos;
using namespace mitos::extract;
using namespace mitos::tests;

namespace {

Deadline soon() { return {60.0, {}}; }

Extraction mustExtract(const Problem& problem, std::string_view method, const Options& options = {}) {
    Result<Extraction> found = extract::extract(problem, method, options);
    if (!found) qFatal("%s", found.error().render().c_str());
    return std::move(*found);
}

/// The graph of the paper's Figure 9: two nodes over the same two, which share what is below them.
Problem figure9() {
    return makeProblem({{{1, {}}}, {{1, {0}}}, {{1, {1}}}, {{1, {1}}}, {{1, {2, 3}}}, {{1, {2, 3}}}, {{1, {4, 5}}}},
                       {6});
}

}  // namespace

class TstExtractMethods : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void paperPredictsWhatFigure9Says() {
        const Extraction found = mustExtract(figure9(), "paper");
        QCOMPARE(found.predicted, std::optional(8.0));
        QCOMPARE(found.cost, 7.0);
        QCOMPARE(found.treeCost, 15.0);
    }

    void paperIsRightAboutSkipConnections() {
        // Figure 4: Add over a convolution and the one before it, blocks stacked on each other.
        std::vector<std::vector<NodeSpec>> classes{{{1, {}}}};
        for (std::uint32_t block = 0; block < 20; ++block) {
            const auto in = static_cast<std::uint32_t>(classes.size()) - 1;
            classes.push_back({{1, {in}}});
            classes.push_back({{1, {in, in + 1}}});
        }
        const auto last = static_cast<std::uint32_t>(classes.size()) - 1;
        const Extraction found = mustExtract(makeProblem(classes, {last}), "paper");
        QCOMPARE(found.predicted, std::optional(41.0));
        QCOMPARE(found.cost, 41.0);
        QVERIFY(found.treeCost > 1e6);
    }

    void componentsAreNumberedFromBelow() {
        // 0 → 1 → 2 → 1, 2 → 3; 4 alone
        const Components found = stronglyConnected({{0, 1, 2, 4, 4, 4}, {1, 2, 1, 3}});
        QCOMPARE(found.count, 4U);
        QCOMPARE(found.of[1], found.of[2]);
        QVERIFY(found.of[3] < found.of[1]);
        QVERIFY(found.of[1] < found.of[0]);
    }

    void reductionsKeepTheLeastCost() {
        Random random(5);
        int compared = 0;
        int solved = 0;
        for (int round = 0; round < 3000; ++round) {
            const Problem problem = randomProblem(random, 2 + random.below(9), 1 + random.below(2));
            const std::optional<double> least = leastCost(problem);
            if (!least) continue;
            ++compared;
            const Reduction reduction = reduce(problem, soon());
            const std::optional<double> reduced = leastCost(reduction.problem);
            QVERIFY(reduced.has_value());
            QCOMPARE(*reduced + reduction.paid, *least);
            if (reduction.problem.classCount() == 0) ++solved;
            // Any choice of the small problem is one of the large problem, of that cost or less.
            const Extraction tree = mustExtract(reduction.problem, "tree");
            const CheckReport report = check(problem, reduction.expand(tree.choice));
            QVERIFY2(report.valid, report.problem.c_str());
            QVERIFY(report.cost <= tree.cost + reduction.paid);
        }
        QVERIFY(compared > 1000);
        QVERIFY(solved < compared);
    }

    /// With the work limited by generations, and without exact search, which would hide what the parts find.
    void bestIsNeverWorseThanItsParts() {
        Random random(11);
        int compared = 0;
        for (std::uint64_t round = 0; round < 40; ++round) {
            const Problem problem = randomProblem(random, 60 + random.below(100), 3);
            const std::vector<std::uint32_t> infeasible = infeasibleClasses(problem);
            if (std::ranges::any_of(problem.roots,
                                    [&](std::uint32_t root) { return std::ranges::binary_search(infeasible, root); })) {
                continue;
            }
            ++compared;
            const Options options{
                .seconds = 600.0, .seed = round + 1, .generations = 3, .solver = "no-such-solver", .branchWork = 1};
            const double best = mustExtract(problem, "best", options).cost;
            for (const char* part : {"tree", "paper", "dag", "brkga"}) {
                const double cost = mustExtract(problem, part, options).cost;
                QVERIFY2(
                    best <= cost,
                    qPrintable(QStringLiteral("%1 by best, %2 by %3").arg(best).arg(cost).arg(QLatin1String(part))));
            }
        }
        QVERIFY(compared > 10);
    }

    void noMethodIsBetterThanTheLeastCost() {
        Random random(6);
        int compared = 0;
        for (int round = 0; round < 300; ++round) {
            const Problem problem = randomProblem(random, 3 + random.below(8), 1 + random.below(3));
            const std::optional<double> least = leastCost(problem);
            if (!least) continue;
            ++compared;
            for (const MethodInfo& method : methods()) {
                if (method.usesSeed || method.name == "ilp") continue;
                const Extraction found = mustExtract(problem, method.name);
                const CheckReport report = check(problem, found.choice);
                QVERIFY2(report.valid, report.problem.c_str());
                QCOMPARE(found.cost, report.cost);
                QVERIFY(found.cost >= *least);
                if (found.bound) QVERIFY(*found.bound <= *least + 1e-9);
            }
        }
        QVERIFY(compared > 100);
    }

    void dagIsAtLeastAsGoodAsTree() {
        Random random(8);
        for (int round = 0; round < 40; ++round) {
            const Problem problem = randomProblem(random, 60, 2);
            const Result<Extraction> tree = extract::extract(problem, "tree");
            if (!tree) continue;
            QVERIFY(mustExtract(problem, "dag").cost <= tree->cost);
        }
    }

    void localSearchFindsWhatGreedyCannot() {
        // Either child alone is cheaper with a private leaf; both together are cheaper over the shared one.
        const Problem problem = makeProblem(
            {{{1, {1, 2}}}, {{1, {3}}, {1, {4}}}, {{1, {3}}, {1, {5}}}, {{10, {}}}, {{7, {}}}, {{7, {}}}}, {0});
        QCOMPARE(mustExtract(problem, "tree").cost, 17.0);
        QCOMPARE(mustExtract(problem, "dag").cost, 13.0);
    }

    void aLongChainTakesNoTime() {
        for (const char* method : {"tree", "paper", "dag"}) {
            const Extraction found = mustExtract(chain(8'000), method);
            QCOMPARE(found.cost, 8'000.0);
            QVERIFY2(found.seconds < 10.0, method);
        }
        // Nothing to inline: every class has two nodes and is used twice.
        std::vector<std::vector<NodeSpec>> classes{{{1, {}}, {2, {}}}, {{1, {0}}, {1, {}}}};
        for (std::uint32_t i = 2; i < 8'000; ++i) classes.push_back({{1, {i - 1, i - 2}}, {8.5, {i - 2}}});
        const Problem ladder = makeProblem(classes, {7'999});
        const Extraction found = mustExtract(ladder, "dag", {.seconds = 2.0});
        QVERIFY(found.cost <= mustExtract(ladder, "tree").cost);
    }

    void negativeCostsAreFlagged() {
        const Problem problem = makeProblem({{{1, {1}}, {-2, {1}}}, {{-5, {}}, {3, {0}}}}, {0});
        QVERIFY(hasNegativeCosts(problem));
        QVERIFY(!hasNegativeCosts(chain(3)));
        for (const MethodInfo& method : methods()) {
            const Result<Extraction> found = extract::extract(problem, method.name, {.seconds = 0.2});
            if (method.name == "ilp") {
                QVERIFY(!found.ok());
                QVERIFY(found.error().message.find("negative") != std::string::npos);
                continue;
            }
            QVERIFY2(found.ok(), method.name.data());
            QVERIFY(check(problem, found->choice).valid);
            QVERIFY(!found->proven && !found->bound);
            QVERIFY(found->note.find("negative") != std::string::npos);
        }
    }

    void stoppedMethodsAnswerWithWhatTheyHave() {
        Random random(12);
        Problem problem = randomProblem(random, 400, 3);
        while (!extract::extract(problem, "tree").ok()) problem = randomProblem(random, 400, 3);
        std::stop_source source;
        source.request_stop();
        for (const MethodInfo& method : methods()) {
            const Result<Extraction> found = extract::extract(problem, method.name, {}, source.get_token());
            QVERIFY2(found.ok(), method.name.data());
            QVERIFY(found->seconds < 5.0);
            QVERIFY(check(problem, found->choice).valid);
        }
    }
};

MITOS_TEST(TstExtractMethods)

}  // namespace tst_extract_methods

#include "tst_extract_methods.moc"
