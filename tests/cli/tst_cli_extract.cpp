// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-cli extract: the fields scripts rely on, text for people, closing under congruence, bad input.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QJsonArray>

namespace tst_cli_extract {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

/// Two products over the same sum; each alone has a cheaper form without it.
const QByteArray Graph = R"({
  "nodes": {
    "top": {"op": "pair", "children": ["left", "right"], "eclass": "top", "cost": 1},
    "left": {"op": "f", "children": ["sum"], "eclass": "l", "cost": 1},
    "left2": {"op": "f2", "children": ["a"], "eclass": "l", "cost": 1},
    "right": {"op": "g", "children": ["sum"], "eclass": "r", "cost": 1},
    "right2": {"op": "g2", "children": ["b"], "eclass": "r", "cost": 1},
    "sum": {"op": "+", "eclass": "s", "cost": 10},
    "a": {"op": "a", "eclass": "a", "cost": 7},
    "b": {"op": "b", "eclass": "b", "cost": 7},
    "loop": {"op": "h", "children": ["loop"], "eclass": "endless"}
  },
  "root_eclasses": ["top"]
})";

QJsonObject extractJson(const QStringList& arguments, const QByteArray& graph) {
    const CliResult result = runCli(QStringList{u"extract"_s, u"-"_s, u"--json"_s} + arguments, graph);
    return result.status == 0 ? result.json() : QJsonObject{{u"failed"_s, QString::fromUtf8(result.errors)}};
}

}  // namespace

class TestCliExtract : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyMethodHasTheFields_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<double>("cost");
        QTest::newRow("tree") << u"tree"_s << 17.0;
        QTest::newRow("paper") << u"paper"_s << 17.0;
        QTest::newRow("dag") << u"dag"_s << 13.0;
        QTest::newRow("brkga") << u"brkga"_s << 13.0;
        QTest::newRow("ilp") << u"ilp"_s << 13.0;
        QTest::newRow("best") << u"best"_s << 13.0;
    }
    void everyMethodHasTheFields() {
        QFETCH(const QString, method);
        QFETCH(const double, cost);
        const QJsonObject found = extractJson({u"--method"_s, method, u"--seconds"_s, u"5"_s}, Graph);
        QVERIFY2(!found.contains(u"failed"_s), qPrintable(found[u"failed"_s].toString()));
        for (const char* field : {"method", "cost", "valid", "proven", "bound", "seconds", "choices", "tree_cost",
                                  "predicted", "roots", "nodes", "classes", "infeasible_classes", "negative_costs"}) {
            QVERIFY2(found.contains(QLatin1String(field)), field);
        }
        QCOMPARE(found[u"method"_s].toString(), method);
        QCOMPARE(found[u"cost"_s].toDouble(), cost);
        QVERIFY(found[u"valid"_s].toBool());
        const QJsonObject verdict = found[u"verdict"_s].toObject();
        QCOMPARE(verdict[u"values"_s].toString(), u"not compared"_s);
        QCOMPARE(verdict[u"note"_s].toString(), u"an e-graph file has no values"_s);
        QCOMPARE(verdict[u"good"_s].toBool(true), false);
        QCOMPARE(found[u"infeasible_classes"_s].toInt(), 1);
        QVERIFY(!found[u"negative_costs"_s].toBool());
        QCOMPARE(found[u"roots"_s].toArray(), QJsonArray{u"top"_s});
        const QJsonObject choices = found[u"choices"_s].toObject();
        if (cost == 13.0) {
            const QJsonObject expected{
                {u"top"_s, u"top"_s}, {u"l"_s, u"left"_s}, {u"r"_s, u"right"_s}, {u"s"_s, u"sum"_s}};
            QCOMPARE(choices, expected);
            QCOMPARE(found[u"tree_cost"_s].toDouble(), 23.0);
        }
        QCOMPARE(found[u"predicted"_s].isDouble(), method == u"paper");
        if (method == u"ilp" || method == u"best") {
            QVERIFY(found[u"proven"_s].toBool());
            QCOMPARE(found[u"bound"_s].toDouble(), 13.0);
        }
    }

    void textIsForPeople() {
        const CliResult result = runCli({u"extract"_s, u"-"_s, u"--method"_s, u"paper"_s}, Graph);
        QCOMPARE(result.status, 0);
        QVERIFY(result.output.contains("paper: cost 17"));
        QVERIFY(result.output.contains("choice checked"));
        QVERIFY2(
            result.output.contains("\nno thread: an e-graph file has no rules; values not compared: an e-graph file "
                                   "has no values\n"),
            result.output.constData());
        QVERIFY(result.output.contains("predicted by the cost function: 17"));
        QVERIFY(result.output.contains("1 classes without a finite term"));
    }

    void otherRootsCanBeAskedFor() {
        const QJsonObject found =
            extractJson({u"--method"_s, u"tree"_s, u"--root"_s, u"l"_s, u"--root"_s, u"a"_s}, Graph);
        QCOMPARE(found[u"cost"_s].toDouble(), 8.0);
        QCOMPARE(found[u"roots"_s].toArray(), (QJsonArray{u"l"_s, u"a"_s}));
    }

    void rebuildingMergesEqualNodes() {
        const QByteArray graph = R"({"nodes": {
            "x": {"op": "x", "eclass": "1", "cost": 4}, "y": {"op": "x", "eclass": "2", "cost": 1},
            "f": {"op": "f", "children": ["x"], "eclass": "3"}}, "root_eclasses": ["3"]})";
        QCOMPARE(extractJson({u"--method"_s, u"tree"_s}, graph)[u"cost"_s].toDouble(), 5.0);
        const QJsonObject rebuilt = extractJson({u"--method"_s, u"tree"_s, u"--rebuild"_s}, graph);
        QCOMPARE(rebuilt[u"cost"_s].toDouble(), 2.0);
        QCOMPARE(rebuilt[u"merged_nodes"_s].toInt(), 1);
        QCOMPARE(rebuilt[u"merged_classes"_s].toInt(), 1);
    }

    void negativeCostsAreFlagged() {
        const QByteArray graph = R"({"nodes": {"x": {"op": "x", "eclass": "1", "cost": -4}}, "root_eclasses": ["1"]})";
        const QJsonObject found = extractJson({u"--method"_s, u"dag"_s}, graph);
        QVERIFY(found[u"negative_costs"_s].toBool());
        QVERIFY(found[u"note"_s].toString().contains(u"is not guaranteed"_s));
        QCOMPARE(found[u"cost"_s].toDouble(), -4.0);
        QCOMPARE(runCli({u"extract"_s, u"-"_s, u"--method"_s, u"ilp"_s}, graph).status, 2);
    }

    void badInputIsOneClearError_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QByteArray>("message");
        const QByteArray node = R"({"nodes": {"x": {"op": "x", "eclass": "1"}})";
        QTest::newRow("empty") << QStringList() << QByteArray() << QByteArray("the file is empty");
        QTest::newRow("truncated") << QStringList() << Graph.left(100) << QByteArray("truncated");
        QTest::newRow("not UTF-8") << QStringList() << QByteArray("{\"\xff\": 1}") << QByteArray("is not UTF-8 text");
        QTest::newRow("no roots") << QStringList() << node + "}" << QByteArray("there are no roots");
        QTest::newRow("stale root") << QStringList() << node + R"(, "root_eclasses": ["y"]})"
                                    << QByteArray("the root \"y\" is no class");
        QTest::newRow("unknown root") << QStringList{u"--root"_s, u"y"_s} << Graph
                                      << QByteArray("there is no class \"y\"");
        QTest::newRow("endless root") << QStringList{u"--root"_s, u"endless"_s} << Graph
                                      << QByteArray("the root \"endless\" has no finite term");
        QTest::newRow("unknown method") << QStringList{u"--method"_s, u"greedy"_s} << Graph
                                        << QByteArray("there is no extraction method \"greedy\"");
        QTest::newRow("no time") << QStringList{u"--seconds"_s, u"0"_s} << Graph << QByteArray("--seconds");
        QTest::newRow("a program") << QStringList() << QByteArray("(add x y)") << QByteArray("this is no JSON");
    }
    void badInputIsOneClearError() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, graph);
        QFETCH(const QByteArray, message);
        const CliResult result = runCli(QStringList{u"extract"_s, u"-"_s} + arguments, graph);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
        QVERIFY(result.output.isEmpty());
    }

    void filesThatCannotBeReadAreErrors() {
        for (const char* path : {"/no/such/file.json", "/"}) {
            const CliResult result = runCli({u"extract"_s, QLatin1String(path)});
            QCOMPARE(result.status, 2);
            QVERIFY(result.errors.contains(path));
        }
    }

    void littleTimeIsEnoughForAnAnswer() {
        QCOMPARE(extractJson({u"--method"_s, u"best"_s, u"--seconds"_s, u"0.01"_s}, Graph)[u"valid"_s].toBool(), true);
    }
};

MITOS_TEST(TestCliExtract)

}  // namespace tst_cli_extract

#include "tst_cli_extract.moc"
