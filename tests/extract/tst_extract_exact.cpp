// SPDX-License-Identifier: GPL-3.0-or-later
// Exact extraction, its solver when it is slow, wrong or missing, random keys, and the best of all.
#include "core/extract/check.h"
#include "core/extract/extract.h"
#include "core/extract/internal/branching.h"
#include "core/extract/internal/divided_costs.h"
#include "core/extract/internal/exact.h"
#include "core/extract/internal/parts.h"
#include "core/extract/internal/reduce.h"
#include "core/extract/internal/requirements.h"
#include "core/extract/internal/solver.h"
#include "tests/extract/graphs.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <chrono>
#include <thread>

Q_DECLARE_METATYPE(mitos::extract::Problem)

namespace tst_extract_exact {

using namespace mitos;
using namespace mitos::extract;
using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

/// Sums of n summands in any order, each sum of two parts with a cost of its own: much sharing, and nothing to reduce.
Problem sums(Random& random, std::uint32_t n, std::size_t rootCount) {
    std::vector<std::vector<NodeSpec>> classes(std::size_t{1} << n);
    for (std::uint32_t set = 1; set < classes.size(); ++set) {
        if ((set & (set - 1)) == 0) classes[set].push_back({static_cast<double>(random.below(4)), {}});
        for (std::uint32_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
            if (part < (set ^ part))
                classes[set].push_back({static_cast<double>(1 + random.below(20)), {part, set ^ part}});
        }
    }
    std::vector<std::uint32_t> roots;
    for (std::size_t i = 0; i < rootCount; ++i) {
        roots.push_back(static_cast<std::uint32_t>(classes.size() / 2 + random.below(classes.size() / 2)));
    }
    return makeProblem(classes, std::move(roots));
}

/// Classes that may all lead to each other, with few leaves; every root has a term.
Problem tangle(std::uint64_t seed, std::size_t classCount) {
    Random random(seed);
    for (;;) {
        std::vector<std::vector<NodeSpec>> classes(classCount);
        for (std::size_t i = 0; i < classCount; ++i) {
            if (i < 4) classes[i].push_back({static_cast<double>(1 + random.below(30)), {}});
            classes[i].resize(classes[i].size() + 2 + random.below(4));
            for (NodeSpec& node : classes[i]) {
                node.cost = static_cast<double>(1 + random.below(30));
                if (i < 4 && &node == classes[i].data()) continue;
                for (std::size_t k = 0; k < 1 + random.below(3); ++k) {
                    node.children.push_back(static_cast<std::uint32_t>(random.below(classCount)));
                }
            }
        }
        Problem problem = makeProblem(
            classes, {static_cast<std::uint32_t>(classCount - 1), static_cast<std::uint32_t>(classCount - 2)});
        if (extract::extract(problem, "tree").ok()) return problem;
    }
}

/// The same without nodes that need classes without a term, and with each root once, as the program wants it.
Problem withoutInfeasible(const Problem& problem) {
    const std::vector<std::uint32_t> infeasible = infeasibleClasses(problem);
    const auto isFinite = [&](std::uint32_t eclass) {
        return !std::binary_search(infeasible.begin(), infeasible.end(), eclass);
    };
    std::vector<std::vector<NodeSpec>> classes(problem.classCount());
    for (std::uint32_t c = 0; c < problem.classCount(); ++c) {
        for (std::uint32_t n = problem.classBegin[c]; n < problem.classBegin[c + 1]; ++n) {
            const auto children = problem.childrenOf(n);
            if (!std::all_of(children.begin(), children.end(), isFinite)) continue;
            classes[c].push_back({problem.cost[n], {children.begin(), children.end()}});
        }
    }
    return makeProblem(classes, problem.roots);
}

/// Not decided by reductions and bounds alone: without a solver there is no exact answer.
Problem hard() {
    for (std::uint64_t seed = 1;; ++seed) {
        Problem problem = tangle(seed, 40);
        if (!extract::extract(problem, "ilp", {.solver = "no-such-solver", .branchWork = 0}).ok()) return problem;
    }
}

Extraction mustExtract(const Problem& problem, std::string_view method, const Options& options = {}) {
    Result<Extraction> found = extract::extract(problem, method, options);
    if (!found) qFatal("%s", found.error().render().c_str());
    return std::move(*found);
}

/// A program that takes CBC's place.
std::string fakeSolver(const QTemporaryDir& folder, const QByteArray& script) {
    const QString path = folder.filePath(u"solver"_s);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("no temporary file");
    file.write("#!/bin/sh\n" + script + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    file.close();
    return path.toStdString();
}

}  // namespace

class TstExtractExact : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_hasSolver = !QStandardPaths::findExecutable(u"cbc"_s).isEmpty(); }

    void solverFindsTheLeast() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        // Cover a, b, c by {a b} for 3, {c} for 2, {a c} for 2.5, {b} for 1; small costs and large ones alike.
        for (const double unit : {1e-9, 1.0, 1e12}) {
            IntegerProgram problem;
            problem.cost = {3 * unit, 2 * unit, 2.5 * unit, 1 * unit};
            using Relation = IntegerProgram::Relation;
            problem.constraints = {{{{0, 1.0}, {2, 1.0}}, Relation::AtLeast, 1.0},
                                   {{{0, 1.0}, {3, 1.0}}, Relation::AtLeast, 1.0},
                                   {{{1, 1.0}, {2, 1.0}}, Relation::AtLeast, 1.0}};
            const Result<SolverOutcome> outcome = solve(problem, {0, 1}, "cbc", Deadline(10.0, {}));
            QVERIFY(outcome.ok());
            QVERIFY(outcome->isOptimal);
            QCOMPARE(outcome->ones, (std::vector<std::uint32_t>{2, 3}));
            QVERIFY(outcome->bound.has_value());
            QVERIFY(*outcome->bound <= 3.5 * unit && *outcome->bound > 3.4999 * unit);
        }
    }

    void boundsAreBelowEveryChoice() {
        Random random(21);
        for (int round = 0; round < 300; ++round) {
            Problem problem = randomProblem(random, 3 + random.below(6));
            if (!leastCost(problem)) continue;
            const std::vector<double> bounds = lowerBounds(problem, ParentIndex(problem), Deadline(10.0, {}));
            const std::vector<double> divided =
                dividedBounds(problem, ParentIndex(problem), round % 4, Deadline(60.0, {}));
            // The least cost of a choice that needs a node, by leaving out the others of its class.
            for (std::uint32_t c = 0; c < problem.classCount(); ++c) {
                for (std::uint32_t n = problem.classBegin[c]; n < problem.classBegin[c + 1]; ++n) {
                    Problem forced = problem;
                    for (std::uint32_t other = problem.classBegin[c]; other < problem.classBegin[c + 1]; ++other) {
                        if (other != n) forced.cost[other] += 1e6;
                    }
                    forced.cost[n] -= 1e3;
                    const double least = *leastCost(forced) + 1e3;
                    if (least >= 500.0) continue;  // no choice needs it
                    QVERIFY(bounds[n] <= least + 1e-9);
                    QVERIFY(divided[n] <= least + 1e-9);
                }
            }
        }
    }

    void ilpFindsTheLeastCostOfSmallGraphs() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        Random random(1);
        int compared = 0;
        for (int round = 0; round < 2000 && compared < 250; ++round) {
            const Problem problem = randomProblem(random, 4 + random.below(9), 1 + random.below(3));
            const std::optional<double> least = leastCost(problem);
            if (!least) continue;
            ++compared;
            const Extraction found = mustExtract(problem, "ilp");
            QCOMPARE(found.cost, *least);
            QVERIFY(found.proven);
            QCOMPARE(found.bound, least);
        }
        QCOMPARE(compared, 250);
    }

    void theProgramAloneFindsTheLeastCostToo() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        // Without reductions, which decide nearly all graphs that are small enough for trying everything.
        Random random(4);
        int compared = 0;
        int cut = 0;
        for (std::uint64_t round = 0; compared < 120; ++round) {
            const bool isTangle = round % 3 == 0;
            Problem problem = isTangle ? tangle(round, 8) : randomProblem(random, 5 + random.below(7), 2);
            const std::optional<double> least = leastCost(problem);
            if (!least) continue;
            ++compared;
            const Problem feasible = withoutInfeasible(problem);
            const Choice start = mustExtract(feasible, "tree").choice;
            const Result<Extraction> found = searchByProgram(feasible, start, "cbc", Deadline(20.0, {}));
            QVERIFY2(found.ok(), found.ok() ? "" : found.error().message.c_str());
            QVERIFY(found->proven);
            QCOMPARE(check(feasible, found->choice).cost, *least);
            if (found->note.find(" 0 constraints") == std::string::npos) ++cut;
        }
        QVERIFY(cut > 5);
    }

    void ilpCopesWithCycles() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        int cut = 0;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const Problem problem = tangle(seed, 8);
            const Extraction found = mustExtract(problem, "ilp");
            QVERIFY(found.proven);
            QCOMPARE(found.cost, *leastCost(problem));
        }
        // Larger ones, where several rounds are needed: no other method may be better than what is proven.
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            const Problem problem = tangle(seed, 36);
            const Extraction found = mustExtract(problem, "ilp", {.branchWork = 0});
            QVERIFY(found.proven);
            QVERIFY(mustExtract(problem, "dag").cost >= found.cost);
            QVERIFY(mustExtract(problem, "brkga", {.generations = 20}).cost >= found.cost);
            if (found.note.find(" 0 constraints") == std::string::npos) ++cut;
        }
        QVERIFY(cut > 0);
    }

    void branchAndBoundFindsTheLeastCostOfSmallGraphs() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        // Without the reductions before it, as they decide most of these graphs; the costs are 0 to 5, so many are equal.
        Random random(6);
        int compared = 0;
        std::uint64_t branches = 0;
        for (std::uint64_t round = 0; compared < 320; ++round) {
            const std::array subjects{tangle(round, 8), randomProblem(random, 5 + random.below(8), 3),
                                      sums(random, 5, 3)};
            const Problem& problem = subjects[round % subjects.size()];
            const std::optional<double> least = leastCost(problem);
            if (!least) continue;
            ++compared;
            const Problem feasible = withoutInfeasible(problem);
            const Choice start = mustExtract(feasible, "tree").choice;
            const BranchingResult found = branchAndBound(feasible, start, 1'000'000, Deadline(60.0, {}));
            QVERIFY(found.isProven);
            QVERIFY(check(feasible, found.choice).valid);
            QCOMPARE(check(feasible, found.choice).cost, *least);
            QCOMPARE(found.cost, *least);
            branches += found.branches;
            if (compared % 8 != 0) continue;
            QCOMPARE(mustExtract(problem, "ilp", {.solver = "no-such-solver"}).cost, *least);
            QCOMPARE(mustExtract(problem, "ilp", {.branchWork = 0}).cost, *least);
        }
        QVERIFY(branches > 100);
    }

    void branchAndBoundAgreesWithTheSolver_data() {
        QTest::addColumn<Problem>("problem");
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            QTest::addRow("tangle %d", static_cast<int>(seed)) << tangle(seed, 36);
            Random random(seed);
            QTest::addRow("sums %d", static_cast<int>(seed)) << sums(random, 5, 4);
            // Nearly all costs are 0 or 1.
            Problem equal = tangle(seed, 30);
            for (double& cost : equal.cost) cost = cost < 10.0 ? 0.0 : 1.0;
            QTest::addRow("equal costs %d", static_cast<int>(seed)) << equal;
            Problem fractions = tangle(seed, 24);
            for (double& cost : fractions.cost) cost *= 1e-7 / 3.0;
            QTest::addRow("small costs %d", static_cast<int>(seed)) << fractions;
        }
    }
    void branchAndBoundAgreesWithTheSolver() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        QFETCH(const Problem, problem);
        const Extraction own = mustExtract(problem, "ilp", {.solver = "no-such-solver", .branchWork = 100'000'000});
        const Extraction other = mustExtract(problem, "ilp", {.branchWork = 0});
        QVERIFY(own.proven && other.proven);
        QCOMPARE(own.cost, other.cost);
        QCOMPARE(own.bound, std::optional(own.cost));
        const Extraction again = mustExtract(problem, "ilp", {.solver = "no-such-solver", .branchWork = 100'000'000});
        QCOMPARE(again.choice, own.choice);
    }

    void joinedProductsCostAsMuchAsTheProgramAloneSays_data() {
        QTest::addColumn<std::uint32_t>("layers");
        QTest::addColumn<std::uint32_t>("width");
        QTest::newRow("wide") << 1U << 7U;
        QTest::newRow("two layers") << 2U << 4U;
        QTest::newRow("many layers") << 6U << 3U;
    }
    void joinedProductsCostAsMuchAsTheProgramAloneSays() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        QFETCH(const std::uint32_t, layers);
        QFETCH(const std::uint32_t, width);
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const Problem problem = layersOfProducts(seed, layers, width);
            const Extraction own = mustExtract(problem, "ilp", {.solver = "no-such-solver"});
            QVERIFY(own.proven);
            // The program knows no reductions.
            const Choice tree = mustExtract(problem, "tree").choice;
            const Result<Extraction> other = searchByProgram(problem, tree, "cbc", Deadline(60.0, {}));
            QVERIFY(other.ok());
            QVERIFY(other->proven);
            QCOMPARE(own.cost, check(problem, other->choice).cost);
        }
    }

    void withoutEnoughWorkNothingIsProven() {
        const Problem problem = withoutInfeasible(tangle(3, 36));
        const Choice start = mustExtract(problem, "tree").choice;
        const BranchingResult found = branchAndBound(problem, start, 400, Deadline(60.0, {}));
        QVERIFY(!found.isProven);
        QVERIFY(check(problem, found.choice).valid);
        QCOMPARE(check(problem, found.choice).cost, found.cost);
        QVERIFY(found.cost <= check(problem, start).cost);
    }

    void independentPartsAreSolvedOnTheirOwn() {
        // Two roots that share nothing, and a class that neither needs.
        const Problem problem =
            makeProblem({{{3.0, {}}, {1.0, {1}}}, {{1.0, {}}}, {{2.0, {3}}, {5.0, {}}}, {{4.0, {}}}}, {2, 0});
        const std::vector<Part> parts = independentParts(problem);
        QCOMPARE(parts.size(), std::size_t{2});
        QCOMPARE(parts[0].classes, (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(parts[1].classes, (std::vector<std::uint32_t>{2, 3}));
        QCOMPARE(parts[1].problem.roots, (std::vector<std::uint32_t>{0}));
        QCOMPARE(parts[1].problem.origin, (std::vector<std::uint32_t>{3, 4, 5}));
        Choice whole(4, None);
        insertPart(parts[0], {1, 2}, whole);
        insertPart(parts[1], {1, None}, whole);
        QCOMPARE(whole, (Choice{1, 2, 4, None}));
        QCOMPARE(restrictTo(parts[1], problem, whole), (Choice{1, None}));
    }

    void aMissingSolverIsNamed() {
        const Problem problem = hard();
        const Result<Extraction> found =
            extract::extract(problem, "ilp", {.solver = "no-such-solver", .branchWork = 0});
        QVERIFY(!found.ok());
        QVERIFY(found.error().message.find("no-such-solver") != std::string::npos);
        QVERIFY(found.error().hint.find("coinor-cbc") != std::string::npos);
        const Extraction best =
            mustExtract(problem, "best", {.seconds = 1.0, .solver = "no-such-solver", .branchWork = 0});
        QVERIFY(best.note.find("no exact search") != std::string::npos);
        QVERIFY(!best.proven);
        QVERIFY(best.cost <= mustExtract(problem, "dag").cost);
    }

    void aSolverThatHangsIsKilled() {
        const Problem problem = hard();
        const QTemporaryDir folder;
        const std::string solver = fakeSolver(folder, "trap '' TERM\nsleep 100");
        const Extraction found = mustExtract(problem, "ilp", {.seconds = 1.0, .solver = solver, .branchWork = 0});
        QVERIFY(found.seconds < 5.0);
        QVERIFY(!found.proven);
        QVERIFY(found.bound.has_value() && *found.bound <= found.cost);
        QCOMPARE(found.cost, mustExtract(problem, "dag").cost);
    }

    void aSolverThatIsStoppedLeavesTheAnswer() {
        const Problem problem = hard();
        const QTemporaryDir folder;
        const std::string solver = fakeSolver(folder, "sleep 100");
        for (const char* method : {"ilp", "best"}) {
            std::stop_source source;
            const std::jthread user([&source] {
                // Any moment is as good; by then the solver usually runs.
                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                source.request_stop();
            });
            const Result<Extraction> found = extract::extract(
                problem, method, {.seconds = 60.0, .solver = solver, .branchWork = 0}, source.get_token());
            QVERIFY(found.ok());
            QVERIFY(found->seconds < 10.0);
        }
    }

    /// The last argument is the solution's file, the first the problem's.
    void aSolverThatFailsIsNamed_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("said");
        const QByteArray file = "for f; do :; done\n";
        QTest::newRow("fails") << QByteArray("exit 3") << u"ended with status 3"_s;
        QTest::newRow("writes nothing") << QByteArray("exit 0") << u"without a solution"_s;
        QTest::newRow("is killed") << QByteArray("kill -9 $$") << u"without a solution"_s;
        QTest::newRow("garbage") << file + "head -c 4000 /dev/urandom | base64 > $f" << u"its answer begins with"_s;
        QTest::newRow("an empty file") << file + ": > $f" << u"its answer begins with"_s;
        QTest::newRow("infeasible, and a solution is known")
            << file + "echo 'Infeasible - objective value 0' > $f" << u"its answer begins with"_s;
        QTest::newRow("chooses nothing") << file + "echo 'Optimal - objective value 0' > $f" << u"breaks constraint"_s;
        QTest::newRow("chooses all") << file + "echo 'Optimal - objective value 1' > $f\nseq -f '0 x%g 1 0' 0 500 >> $f"
                                     << u"breaks constraint"_s;
        QTest::newRow("chooses twice")
            << file + "echo 'Optimal - objective value 1' > $f\necho '0 x0 1 0' >> $f\necho '0 x0 1 0' >> $f"
            << u"twice"_s;
        QTest::newRow("the start, at another cost")
            << file + "echo 'Optimal - objective value 0.5' > $f\ngrep ' 1$' \"$3\" >> $f" << u"it reports 0.5"_s;
        QTest::newRow("no cost") << file + "echo 'Optimal' > $f\ngrep ' 1$' \"$3\" >> $f" << u"report the cost"_s;
        QTest::newRow("a bound above what is known")
            << file + "echo 'Stopped on time - objective value 1' > $f\necho 'Lower bound: 1e9'"
            << u"no choice would cost less"_s;
    }
    void aSolverThatFailsIsNamed() {
        QFETCH(const QByteArray, script);
        QFETCH(const QString, said);
        const Problem problem = hard();
        const QTemporaryDir folder;
        const std::string solver = fakeSolver(folder, script);
        const Extraction found = mustExtract(problem, "ilp", {.seconds = 5.0, .solver = solver, .branchWork = 0});
        const QString note = QString::fromStdString(found.note);
        QVERIFY2(note.contains(said) && note.contains(QString::fromStdString(solver)), qPrintable(note));
        QCOMPARE(QString::fromStdString(found.method), u"dag"_s);
        QVERIFY(check(problem, found.choice).valid);
        QVERIFY(!found.proven);
        QCOMPARE(found.cost, mustExtract(problem, "dag").cost);
        const Extraction best = mustExtract(problem, "best", {.seconds = 5.0, .solver = solver, .branchWork = 0});
        QVERIFY2(QString::fromStdString(best.note).contains(said), best.note.c_str());
        QVERIFY(!best.proven);
    }

    /// The file of a solver that was stopped may hold its last attempt.
    void aSolverThatWritesNonsenseIsNotBelieved() {
        const Problem problem = hard();
        const QTemporaryDir folder;
        for (const char* const nodes : {"seq -f '0 x%g 1 0' 0 500", "seq -f '0 x%g 1 0' 0 3 9", "echo '0 x7 1 0'"}) {
            const std::string solver =
                fakeSolver(folder, QByteArray("for f; do :; done\necho 'Stopped on time - objective value 1' > $f\n") +
                                       nodes + " >> $f");
            const Extraction found = mustExtract(problem, "ilp", {.seconds = 2.0, .solver = solver, .branchWork = 0});
            QVERIFY(check(problem, found.choice).valid);
            QVERIFY(!found.proven);
        }
    }

    void randomKeysAreTheSameForASeed() {
        const Problem problem = tangle(3, 60);
        const Options options{.seconds = 60.0, .seed = 5, .generations = 10};
        const Extraction first = mustExtract(problem, "brkga", options);
        const Extraction second = mustExtract(problem, "brkga", options);
        QCOMPARE(first.choice, second.choice);
        QVERIFY(first.note.find("10 generations") != std::string::npos);
        QVERIFY(first.cost <= mustExtract(problem, "tree").cost);
    }

    void bestIsNeverWorseThanAnother() {
        QVERIFY2(m_hasSolver, "cbc (Debian package coinor-cbc) is not installed");
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            Random random(seed);
            const Problem problem = seed % 2 == 0 ? tangle(seed, 36) : sums(random, 6, 4);
            const Options options{.seconds = 3.0, .seed = seed, .generations = 10};
            const Extraction best = mustExtract(problem, "best", options);
            for (const MethodInfo& method : methods()) {
                QVERIFY2(best.cost <= mustExtract(problem, method.name, options).cost, method.name.data());
            }
            if (best.proven) QCOMPARE(best.bound, std::optional(best.cost));
        }
    }

private:
    bool m_hasSolver = false;
};

MITOS_TEST(TstExtractExact)

}  // namespace tst_extract_exact

#include "tst_extract_exact.moc"
