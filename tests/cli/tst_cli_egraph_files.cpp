// SPDX-License-Identifier: GPL-3.0-or-later
// E-graph files as FILE of show, info and export, and extractions recorded in them.
#include "tests/cli/cli_process.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QJsonArray>

namespace tst_cli_egraph_files {

using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

/// Two uses of a sum: as trees other e-nodes are cheaper (17), shared the sum is (13).
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
  "root_eclasses": ["top"],
  "made_by": "hand"
})";

}  // namespace

class TestCliEGraphFiles : public QObject, private CliFolder {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_file = write(u"graph.json"_s, Graph); }

    void information() {
        const CliResult result = runCli({u"info"_s, m_file, u"--json"_s});
        QCOMPARE(result.status, 0);
        const QJsonObject info = result.json();
        QCOMPARE(info[u"nodes"_s].toInt(), 9);
        QCOMPARE(info[u"classes"_s].toInt(), 7);
        QCOMPARE(info[u"edges"_s].toInt(), 7);
        QCOMPARE(info[u"roots"_s].toArray(), QJsonArray{u"top"_s});
        QCOMPARE(info[u"acyclic"_s].toBool(), false);
        QCOMPARE(info[u"infeasible_classes"_s].toInt(), 1);
        QCOMPARE(info[u"largest_class"_s].toObject()[u"id"_s].toString(), u"l"_s);
        QCOMPARE(info[u"largest_class"_s].toObject()[u"nodes"_s].toInt(), 2);
        QCOMPARE(info[u"operators"_s].toObject()[u"pair"_s].toInt(), 1);
        QCOMPARE(info[u"least_cost"_s].toDouble(), 1.0);
        QCOMPARE(info[u"greatest_cost"_s].toDouble(), 10.0);
        QCOMPARE(info[u"extraction"_s].toObject()[u"cost"_s].toDouble(), 17.0);
        const CliResult text = runCli({u"info"_s, u"-"_s}, Graph);
        QCOMPARE(text.status, 0);
        QVERIFY2(text.output.contains("e-nodes   9\nclasses   7, 1 of them without a finite term\nedges     7\n"),
                 text.output.constData());
    }

    void lists() {
        const CliResult result = runCli({u"show"_s, m_file});
        QCOMPARE(result.status, 0);
        QVERIFY2(result.output.startsWith("9 e-nodes in 7 classes\nextraction by tree, cost 17\n"),
                 result.output.constData());
        QVERIFY(result.output.contains("\n* f2(a) ") && result.output.contains("\n  f(s) "));
        const CliResult shared = runCli({u"show"_s, m_file, u"--method"_s, u"dag"_s, u"--limit"_s, u"4"_s});
        QVERIFY2(shared.output.startsWith("4 of 9 e-nodes in 4 of 7 classes\nextraction by dag, cost 13\nleft out: 5 "
                                          "e-nodes, 3 classes entirely (the limit is 4 e-nodes)\n"),
                 shared.output.constData());
        QVERIFY(shared.output.contains("\n* f(s) ") && !shared.output.contains("f2"));
    }

    void drawings() {
        const CliResult dot = runCli({u"show"_s, m_file, u"--as"_s, u"dot"_s});
        QCOMPARE(dot.status, 0);
        QVERIFY(dot.output.contains("subgraph cluster6") && !dot.output.contains("subgraph cluster7"));
        QCOMPARE(dot.output.count("lhead="), 6);  // the edge of the loop stays within its class
        const CliResult svg = runCli({u"show"_s, m_file, u"--as"_s, u"svg"_s, u"--json"_s});
        QCOMPARE(svg.status, 0);
        const QString picture = svg.json()[u"text"_s].toString();
        QVERIFY(picture.contains(u"<svg"_s) && picture.contains(u">pair</text>"_s));
        QVERIFY(picture.contains(u"extraction by tree, cost 17"_s));
        const QString file = path(u"picture.svg"_s);
        QCOMPARE(runCli({u"export"_s, m_file, u"--to"_s, u"svg"_s, u"-o"_s, file}).status, 0);
        QCOMPARE(QString::fromUtf8(read(file)), picture);
    }

    /// The file that `extract -o` writes shows that extraction, and other readers find what they know.
    void extractionsAreRecorded() {
        const QString recorded = path(u"recorded.json"_s);
        QCOMPARE(runCli({u"extract"_s, m_file, u"--method"_s, u"dag"_s, u"-o"_s, recorded}).status, 0);
        const QJsonObject json = QJsonDocument::fromJson(read(recorded)).object();
        QCOMPARE(json[u"root_eclasses"_s].toArray(), QJsonArray{u"top"_s});
        QCOMPARE(json[u"made_by"_s].toString(), u"hand"_s);
        QCOMPARE(json[u"nodes"_s].toObject().size(), 9);
        const QJsonObject data = json[u"class_data"_s].toObject();
        QCOMPARE(data.keys(), (QStringList{u"l"_s, u"r"_s, u"s"_s, u"top"_s}));
        QCOMPARE(data[u"l"_s].toObject()[u"chosen"_s].toString(), u"left"_s);
        const QJsonObject info = runCli({u"info"_s, recorded, u"--json"_s}).json();
        QCOMPARE(info[u"extraction"_s].toObject()[u"method"_s].toString(), u"recorded"_s);
        QCOMPARE(info[u"extraction"_s].toObject()[u"cost"_s].toDouble(), 13.0);
        const CliResult shown = runCli({u"show"_s, recorded});
        QVERIFY2(
            shown.output.contains("extraction recorded in the file, cost 13") && shown.output.contains("\n* f(s) "),
            shown.output.constData());
        // A method that is named comes first.
        QVERIFY(runCli({u"show"_s, recorded, u"--method"_s, u"tree"_s}).output.contains("extraction by tree, cost 17"));
        // The same by export; without a method it records nothing.
        const QString exported = path(u"exported.json"_s);
        const QStringList exporting{u"export"_s, m_file, u"--to"_s, u"egraph-json"_s, u"-o"_s, exported};
        QCOMPARE(runCli(exporting + QStringList{u"--method"_s, u"dag"_s}).status, 0);
        QCOMPARE(read(exported), read(recorded));
        QCOMPARE(runCli(exporting).status, 0);
        QVERIFY(!read(exported).contains("chosen"));
    }

    void aRecordThatDoesNotFitIsReported() {
        QByteArray graph = Graph;
        graph.replace(R"("made_by": "hand")", R"("class_data": {"top": {"chosen": "left"}})");
        const CliResult result = runCli({u"show"_s, u"-"_s}, graph);
        QCOMPARE(result.status, 0);
        QVERIFY2(result.errors.contains("warning: the recorded extraction is not valid: class \"top\" has no e-node "
                                        "\"left\" that may be chosen"),
                 result.errors.constData());
        QVERIFY(result.output.contains("extraction by tree, cost 17"));
    }

    /// Without a finite term there is a drawing, but no extraction.
    void rootsWithoutATerm() {
        const QByteArray loop =
            R"({"nodes": {"l": {"op": "f", "children": ["l"], "eclass": "0"}}, "root_eclasses": ["0"]})";
        const CliResult result = runCli({u"show"_s, u"-"_s}, loop);
        QCOMPARE(result.status, 0);
        QVERIFY(result.output.contains("no extraction: the root \"0\" has no finite term"));
        QVERIFY(runCli({u"info"_s, u"-"_s, u"--json"_s}, loop).json()[u"extraction"_s].isNull());
        QCOMPARE(runCli({u"show"_s, u"-"_s, u"--as"_s, u"svg"_s}, loop).status, 0);
    }

    void saturationsAreShown() {
        const QString file = path(u"grown.json"_s);
        QCOMPARE(runCli({u"saturate"_s, u"--rules"_s, sample(u"egraphs/assoc-comm.rules"_s), u"--term"_s,
                         u"f(a, f(b, c))"_s, u"-o"_s, file})
                     .status,
                 0);
        const CliResult result = runCli({u"show"_s, file});
        // 3^3 - 2^4 + 1 + 3 e-nodes in 2^3 - 1 classes; the smallest term has 5 nodes.
        QVERIFY2(result.output.startsWith("15 e-nodes in 7 classes\nextraction recorded in the file, cost 5\n"),
                 result.output.constData());
    }

    void badInput_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const QStringList& arguments, const QByteArray& graph,
                            const char* message) { QTest::newRow(name) << arguments << graph << QByteArray(message); };
        const QStringList show{u"show"_s};
        const QStringList exported{u"export"_s, u"--to"_s};
        row("truncated", show, Graph.left(100), "truncated");
        row("truncated, info", {u"info"_s}, Graph.left(100), "truncated");
        row("a child that is none", show, R"({"nodes": {"a": {"op": "f", "children": ["b"], "eclass": "0"}}})",
            "there is no node \"b\"");
        row("no limit", {u"show"_s, u"--limit"_s, u"0"_s}, Graph, "--limit");
        row("a limit that is no number", {u"show"_s, u"--limit"_s, u"1e99"_s}, Graph, "--limit");
        row("unknown method", {u"show"_s, u"--method"_s, u"magic"_s}, Graph, "there is no extraction method \"magic\"");
        row("a form for programs", {u"show"_s, u"--as"_s, u"math"_s}, Graph, "an e-graph cannot be shown as math");
        row("a cost model", {u"show"_s, u"--cost"_s, u"size"_s}, Graph, "--cost is for programs");
        row("a function", {u"info"_s, u"--function"_s, u"f"_s}, Graph, "--function is for programs");
        row("nothing to extract", {u"show"_s, u"--method"_s, u"tree"_s}, R"({"nodes": {}})",
            "nothing can be extracted: there are no roots");
        row("C++", exported + QStringList{u"cpp"_s}, Graph, "an e-graph cannot be written as cpp");
        row("a thread", exported + QStringList{u"dot"_s, u"--steps"_s, u"t"_s}, Graph, "--steps is for programs");
        row("the wrong ending", exported + QStringList{u"egraph-json"_s, u"-o"_s, u"g.svg"_s}, Graph,
            "the ending is that of --to svg");
        row("the wrong ending of JSON", exported + QStringList{u"svg"_s, u"-o"_s, u"g.json"_s}, Graph,
            "the ending is that of --to egraph-json");
        row("a program's limit", {u"show"_s, u"--limit"_s, u"3"_s}, "(add x y)", "--limit is for e-graphs");
        row("a program's method", exported + QStringList{u"dot"_s, u"--method"_s, u"tree"_s}, "(add x y)",
            "--method is for e-graphs");
        row("a command for programs", {u"rewrites"_s}, Graph, "an e-graph is no program");
    }
    void badInput() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, graph);
        QFETCH(const QByteArray, message);
        const CliResult result = runCli(arguments + QStringList{u"-"_s}, graph);
        QCOMPARE(result.status, 2);
        QVERIFY2(result.errors.contains(message), result.errors.constData());
        QVERIFY(result.output.isEmpty());
    }

    void inputsAreNotOverwritten() {
        QCOMPARE(runCli({u"export"_s, m_file, u"--to"_s, u"egraph-json"_s, u"-o"_s, m_file}).status, 2);
        QCOMPARE(runCli({u"extract"_s, m_file, u"-o"_s, m_file}).status, 2);
        QCOMPARE(read(m_file), Graph);
        const QString empty = write(u"empty.json"_s, "");
        QVERIFY(runCli({u"show"_s, empty}).errors.contains("the file is empty"));
    }

private:
    QString m_file;
};

MITOS_TEST(TestCliEGraphFiles)

}  // namespace tst_cli_egraph_files

#include "tst_cli_egraph_files.moc"
