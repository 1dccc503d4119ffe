// SPDX-License-Identifier: GPL-3.0-or-later
// Checked extraction: every best program has a thread and the cost that was stated.
#include "core/base/random.h"
#include "core/eval/testing/random_terms.h"
#include "core/extract/checked.h"
#include "tests/extract/grown_program.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_checked_extraction {

using namespace mitos;
using namespace mitos::tests;
using extract::CheckedExtraction;

namespace {

/// Describes the problem with the best program; empty if there is none.
QString problemOf(World& world, const ir::Program& start, const CheckedExtraction& extraction) {
    const CheckedExtraction::Found& best = extraction.best();
    const rewrite::ThreadReport report = rewrite::check(world.bank, best.thread);
    if (!report.valid) return QString::fromStdString(report.reason);
    if (best.thread.start.root != start.root) return QStringLiteral("it begins elsewhere");
    if (best.thread.end().root != best.term) return QStringLiteral("it ends elsewhere");
    if (world.cost(best.term) != best.cost) return QStringLiteral("it costs something else");
    if (best.cost > world.cost(start.root)) return QStringLiteral("it costs more than the start");
    return {};
}

}  // namespace

class TestCheckedExtraction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsPromisedCanBeTaken_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"size", "ks-2021", "ks-sized"}) QTest::newRow(model) << QString::fromUtf8(model);
    }
    void whatIsPromisedCanBeTaken() {
        QFETCH(const QString, model);
        Random random(5);
        int cheaper = 0;
        for (int i = 0; i < 25; ++i) {
            World world("ks-simple,ks-extended", std::string(Header) + "x)", model.toUtf8().constData());
            eval::TermScope scope;
            scope.free = world.bank.function(world.program.function).parameters;
            world.program.root = eval::randomTerm(world.bank, world.bank.types().floating(), scope, random, 24);
            world.root = world.graph.add(world.program.root);
            world.graph.rebuild();
            CheckedExtraction extraction(world.graph, *world.costs, {world.program});
            double promised = world.cost(world.program.root);
            QString problem;
            const egraph::SaturationReport report = world.grow(4, 600, [&](egraph::SaturationReport& soFar) {
                if (extraction.follow(soFar)) promised = world.cost(world.program.root);
                const std::size_t nodes = world.graph.nodeCount();
                extraction.update(always);
                extraction.extract("tree");
                if (world.graph.nodeCount() != nodes) problem = QStringLiteral("the graph is another one");
                if (extraction.best().cost > promised) problem = QStringLiteral("it became more expensive");
                promised = extraction.best().cost;
                if (problem.isEmpty()) problem = problemOf(world, world.program, extraction);
            });
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
            extraction.follow(report);
            extraction.update(always);
            for (const char* const method : {"tree", "dag", "paper"}) {
                extraction.extract(method);
                const QString wrong = problemOf(world, world.program, extraction);
                QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            }
            if (extraction.best().cost < world.cost(world.program.root)) ++cheaper;
        }
        QVERIFY2(cheaper > 8, qPrintable(QString::number(cheaper)));
    }

    /// A union without a reason has no thread: the program is refused, with its cost, and the start stays.
    void withoutAThreadItIsNoResult() {
        World world("ks-simple", std::string(Header) + "(mul (exp x) (exp y)))", "size");
        const ir::Program cheap =
            *ks::parseProgram(world.bank, "cheap", std::string("(def g Float ((x : Float)) (exp x))"));
        world.graph.unite(world.root, world.graph.add(cheap.root));
        world.graph.rebuild();
        CheckedExtraction extraction(world.graph, *world.costs, {world.program});
        extraction.update(always);
        extraction.extract("tree");
        QCOMPARE(extraction.best().term, world.program.root);
        QVERIFY(extraction.best().thread.steps.empty());
        QVERIFY(extraction.refused().has_value());
        QCOMPARE(extraction.refused()->cost, 2.0);
        QVERIFY(extraction.refused()->cost < extraction.best().cost);
    }

    /// The limits on threads name what ended, and what they leave out may be found later.
    void threadsHaveLimits() {
        World world("ks-simple", std::string(Header) + "(add (mul x 1.0) 0.0))", "size");
        CheckedExtraction extraction(world.graph, *world.costs, {world.program});
        extraction.follow(world.grow(4, 200));
        extraction.update(always);
        std::stop_source stop;
        stop.request_stop();
        extraction.extract("tree", {}, stop.get_token());
        QCOMPARE(extraction.best().term, world.program.root);
        QVERIFY(extraction.refused().has_value());
        QCOMPARE(extraction.refused()->toString(),
                 std::string("what costs 1 is left out, as no thread leads to it: the search for one was stopped"));
        extraction.extract("tree", {.threadSeconds = 0.0});
        QCOMPARE(extraction.best().cost, 5.0);
        extraction.extract("tree", {.threadBytes = 1});
        QCOMPARE(extraction.best().cost, 5.0);
        extraction.extract("tree");
        QCOMPARE(extraction.best().cost, 1.0);
        QVERIFY(!extraction.refused().has_value());
    }
    void theLimitIsNamed_data() {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("time") << 0.0 << 1'000'000'000 << QStringLiteral("finding one takes more time than there is");
        QTest::newRow("memory") << 1e6 << 1 << QStringLiteral("finding one takes more memory than there is");
    }
    void theLimitIsNamed() {
        QFETCH(const double, seconds);
        QFETCH(const int, bytes);
        QFETCH(const QString, says);
        World world("ks-simple", std::string(Header) + "(add (mul x 1.0) 0.0))", "size");
        CheckedExtraction extraction(world.graph, *world.costs, {world.program});
        extraction.follow(world.grow(4, 200));
        extraction.update(always);
        extraction.extract("tree", {.threadSeconds = seconds, .threadBytes = static_cast<std::uint64_t>(bytes)});
        QVERIFY(extraction.refused().has_value());
        QCOMPARE(QString::fromStdString(extraction.refused()->why.message), says);
    }

    /// The cheapest term has a logarithm where the program has none; another one, as cheap, has not.
    void theNextChoiceIsTried() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("some.rules")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("use ks\nrule partial [domain]: log(a) => a * a * a\nrule other [exact]: log(a) => exp(a)\n");
        file.close();
        World world(file.fileName().toStdString(),
                    std::string(Header) + "(add (mul (mul x x) x) (if (gt x y) (log x) 1.0)))", "size");
        CheckedExtraction extraction(world.graph, *world.costs, {world.program});
        extraction.follow(world.grow(4, 200));
        extraction.update(always);
        QCOMPARE(world.cost(world.program.root), 13.0);
        extraction.extract("tree");
        QCOMPARE(extraction.best().cost, 10.0);
        QCOMPARE(ks::printTerm(world.bank, world.bank.child(extraction.best().term, 0)), std::string("(exp x)"));
        const QString wrong = problemOf(world, world.program, extraction);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// A method that fails is named, and another one stands in for it.
    void aMethodThatFailsIsSaid() {
        World world("ks-simple", std::string(Header) + "(add (mul 1.0 x) 0.0))", "size");
        CheckedExtraction extraction(world.graph, *world.costs, {world.program});
        extraction.follow(world.grow(4, 200));
        extraction.update(always);
        extraction.extract("nonsense");
        QVERIFY(extraction.note().find("nonsense") != std::string::npos);
        QCOMPARE(extraction.best().cost, 1.0);
    }
};

MITOS_TEST(TestCheckedExtraction)

}  // namespace tst_checked_extraction

#include "tst_checked_extraction.moc"
