// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings and lists of e-graphs, what they leave out, and counts.
#include "core/egraph/draw.h"
#include "core/egraph/json.h"
#include "core/egraph/statistics.h"
#include "tests/egraph/algebra.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_draw {

using namespace mitos;
using namespace mitos::egraph;

namespace {

/// x + y = x * x, for some reason.
const char* const Text = R"({"nodes": {
    "p": {"op": "+", "children": ["x", "y"], "eclass": "0"},
    "q": {"op": "*", "children": ["x", "x"], "eclass": "0", "cost": 2},
    "x": {"op": "x", "eclass": "1"},
    "y": {"op": "y", "eclass": "2"}},
    "root_eclasses": ["0"], "class_data": {"1": {"type": "Float"}}})";

Snapshot read(const std::string& text) {
    Result<LoadedSnapshot> loaded = readJson(SourceText("graph.json", text));
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return std::move(*loaded).snapshot;
}

const NodeChoice Sum{0, 2, 3};  // x + y

}  // namespace

class TestDraw : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aListHasEveryClass() {
        QCOMPARE(listText({read(Text), Sum, "extraction by hand", NoLimit}), std::string(R"(4 e-nodes in 3 classes
extraction by hand
* marks the e-nodes of the extraction

class 0, a root
* +(1, 2)                                           1
  *(1, 1)                                           2

class 1 : Float
* x                                                 1

class 2
* y                                                 1
)"));
    }

    void classesAreClusters() {
        const std::string dot = dotText({read(Text), Sum, "extraction by hand"});
        for (const char* const line :
             {"  compound=true;\n", "  n0 [label=\"+\\n1\" tooltip=\"e-node p, cost 1\" penwidth=2.2];\n",
              "  n1 [label=\"*\\n2\" tooltip=\"e-node q, cost 2\" color=\"#b4b4b4\" fontcolor=\"#808080\"];\n",
              "label=\"root 0\"; tooltip=\"class 0\"; n0; n1; }\n", "label=\"1 : Float\"; tooltip=\"class 1\"; n2; }\n",
              "  n0 -> n2 [penwidth=2.2 lhead=cluster1];\n  n0 -> n3 [penwidth=2.2 lhead=cluster2];\n",
              "  n1 -> n2 [color=\"#b4b4b4\" lhead=cluster1];\n  n1 -> n2 [color=\"#b4b4b4\" lhead=cluster1];\n",
              "  label=\"4 e-nodes in 3 classes\\nextraction by hand\";\n"}) {
            QVERIFY2(dot.find(line) != std::string::npos, (line + ("\nis missing in\n" + dot)).c_str());
        }
    }

    void withoutAnExtractionNothingIsFaint() {
        const std::string dot = dotText({read(Text), {}, "no extraction"});
        QVERIFY(dot.find("#b4b4b4") == std::string::npos);
        QVERIFY(dot.find("n0 -> n2 [lhead=cluster1]") != std::string::npos);
        QVERIFY(listText({read(Text), {}, "no extraction"}).find('*') ==
                listText({read(Text), {}, "no extraction"}).find("*(1, 1)"));
    }

    /// The extraction comes first, and the rest is counted.
    void limitsAreStated() {
        const Drawing two{read(Text), Sum, "extraction by hand", 2};
        const std::string list = listText(two);
        QVERIFY2(list.starts_with("2 of 4 e-nodes in 2 of 3 classes\nextraction by hand\n"
                                  "left out: 2 e-nodes, 1 class entirely (the limit is 2 e-nodes)\n"),
                 list.c_str());
        const std::string dot = dotText(two);
        QVERIFY2(dot.find("n0 [label=\"+ …\\n1\"") != std::string::npos, dot.c_str());  // y has no place
        QVERIFY2(dot.find("left out: 2 e-nodes, 1 class entirely (the limit is 2 e-nodes)\"") != std::string::npos,
                 dot.c_str());
        QVERIFY(dot.find("n2") == std::string::npos);
    }

    /// An edge into the class of its own e-node has no border to end at.
    void cycles() {
        const Snapshot loop = read(R"({"nodes": {"l": {"op": "f", "children": ["l"], "eclass": "0"}}})");
        QVERIFY(dotText({loop, {}, {}}).find("  n0 -> n0;\n") != std::string::npos);
        QVERIFY(!statisticsOf(loop).isAcyclic);
    }

    void textsOfFilesAreSafe() {
        const Snapshot odd = read("{\"nodes\": {\"n\\u001b\": {\"op\": \"\\\"\\\\\\u0007\\n\", \"eclass\": \"c\"}}}");
        const std::string dot = dotText({odd, {}, {}});
        QVERIFY2(dot.find("label=\"\\\"\\\\\\\\u0007\\n\"") != std::string::npos, dot.c_str());
        QVERIFY2(dot.find('\x1b') == std::string::npos && dot.find('\x07') == std::string::npos, dot.c_str());
    }

    void counts() {
        const Statistics found = statisticsOf(read(Text));
        QCOMPARE(found.edges, std::size_t(4));
        QCOMPARE(found.subsumed, std::size_t(0));
        QCOMPARE(found.largestClass, 0U);
        QCOMPARE(found.largestSize, std::size_t(2));
        QCOMPARE(found.operators, (std::map<std::string, std::size_t>{{"*", 1}, {"+", 1}, {"x", 1}, {"y", 1}}));
        QVERIFY(found.isAcyclic);
        QCOMPARE(found.leastCost, 1.0);
        QCOMPARE(found.greatestCost, 2.0);
        const Statistics none = statisticsOf(read(R"({"nodes": {}})"));
        QCOMPARE(none.largestClass, Snapshot::None);
        QVERIFY(none.isAcyclic);
    }
};

MITOS_TEST(TestDraw)

}  // namespace tst_draw

#include "tst_draw.moc"
