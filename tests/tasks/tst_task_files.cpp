// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of task graphs, and what they refuse.
#include "core/tasks/files/cost_graph.h"
#include "core/tasks/files/stg.h"
#include "core/tasks/files/task_graph_json.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <string>

namespace tst_task_files {

using namespace mitos::schedule;
using namespace mitos::tasks;
using namespace mitos::tests;
using mitos::Result;
using mitos::SourceText;

namespace {

const std::string SmallStg = R"(3
0 0 0
1 4 1 0
2 7 1 0
3 5 2 1 2
4 0 1 3
# Standard Task Graph: 3 tasks
)";

const std::string SmallCostGraph = R"(# two devices
node { name: "_SOURCE" output_info { size: 70 shape { dim { size: 2 } } } output_info { size: 5 } }
node {
  name: "a" id: 1 compute_cost: 58 device: "/cpu:0"
  input_info { preceding_node: 0 preceding_port: 1 }
  output_info { size: 52, alias_input_port: -1 }
}
node { name: "b" id: 7 compute_cost: 47 input_info { preceding_node: 1 } control_input: 0 is_final: true output_info { size: 3 } }
node { name: "c" id: 8 input_info {} }
node { name: "d" id: 9 input_info { preceding_node: 8 } }
)";

template <typename Read>
void checkRefusal(Read read, const QString& text, const QString& error) {
    const Result<TaskGraph> graph = read(SourceText("file", text.toStdString()));
    QVERIFY(!graph.ok());
    QCOMPARE(QString::fromStdString(graph.error().oneLine()), error);
    QVERIFY(!graph.error().hint.empty());
}

void addRows() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
}
void row(const char* name, const std::string& text, const char* error) {
    QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(error);
}

}  // namespace

class TestTaskFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsStandardTaskGraphs() {
        const Result<TaskGraph> graph = readStg(SourceText("small.stg", SmallStg));
        QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message.c_str());
        const TaskGraph expected{{{"0", 0.0}, {"1", 4.0}, {"2", 7.0}, {"3", 5.0}, {"4", 0.0}},
                                 {{.producer = 0, .consumers = {1, 2}},
                                  {.producer = 1, .consumers = {3}},
                                  {.producer = 2, .consumers = {3}},
                                  {.producer = 3, .consumers = {4}}},
                                 {}};
        QVERIFY(*graph == expected);
        QCOMPARE(runtimeBounds(mustMake(*graph, equalDevices(2))).best(), 12.0);
    }

    void refusesStandardTaskGraphs_data() {
        addRows();
        row("empty", "", "file:1:1: expected the number of tasks, found the end");
        row("words", "three", "file:1:1: expected the number of tasks, found 'three'");
        row("too many", "4000000000\n0 0 0\n",
            "file:1:1: the first line announces 4000000000 tasks, but the file is too short for them");
        row("ends", "1\n0 0 0\n1 2 1 0\n2 0 1", "file:4:6: expected predecessor 1 of 1 of task 2, found the end");
        row("negative", "1\n0 0 0\n1 -2 1 0\n2 0 1 1", "file:3:3: expected the time of task 1, found '-2'");
        row("number", "1\n0 0 0\n2 2 1 0\n2 0 1 1", "file:3:1: expected task 1, found 2");
        row("predecessor", "1\n0 0 0\n1 2 1 9\n2 0 1 1", "file:3:7: task 1 has the predecessor 9, but tasks end at 2");
        row("more", "1\n0 0 0\n1 2 1 0\n2 0 1 1\n3 0 0", "file:5:1: found '3' after the last of 3 tasks");
    }
    void refusesStandardTaskGraphs() {
        QFETCH(const QString, text);
        QFETCH(const QString, error);
        checkRefusal(readStg, text, error);
    }

    void aCycleInAFileIsNamed() {
        const Result<TaskGraph> graph = readStg(SourceText("file", "1\n0 0 0\n1 2 1 2\n2 0 1 1\n"));
        QCOMPARE(QString::fromStdString(graph.error().message), QStringLiteral("the graph has a cycle: 1 → 2 → 1"));
    }

    void readsCostGraphs() {
        const Result<TaskGraph> graph = readCostGraph(SourceText("graph", SmallCostGraph));
        QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().oneLine().c_str());
        const TaskGraph expected{{{"_SOURCE", 0.0}, {"a", 58.0}, {"b", 47.0}, {"c", 0.0}, {"d", 0.0}},
                                 {{.bytes = 70, .producer = 0, .consumers = {3}},
                                  {.bytes = 5, .producer = 0, .consumers = {1}},
                                  {.bytes = 52, .producer = 1, .consumers = {2}},
                                  {.bytes = 3, .producer = 2, .isOutput = true}},
                                 {{0, 2}, {3, 4}}};
        QVERIFY(*graph == expected);
    }

    void refusesCostGraphs_data() {
        addRows();
        row("another text", "graph {}", "file:1:1: expected 'node', found 'graph'");
        row("open", "node { name: \"a\"", "file:1:17: a message is not closed with '}'");
        row("no text", "node {\n name: a }", "file:2:8: expected a text in quotes, found 'a'");
        row("no number", "node {\n id: x }", "file:2:6: expected a number, found 'x'");
        row("negative size", "node { output_info {\n size: -7 } }", "file:2:8: expected a number, found '-7'");
        row("twice", "node { id: 1 }\nnode { id: 1 }", "file:2:1: two nodes have the id 1");
        row("no such node", "node { id: 1\n input_info { preceding_node: 5 } }", "file:2:13: no node has the id 5");
        row("no such port", "node { output_info { size: 1 } }\nnode { id: 1 input_info { preceding_port: 2 } }",
            "file:2:25: node 0 has no output 2");
        std::string deep = "node { ";
        for (int i = 0; i < 100; ++i) deep += "x { ";
        row("deep", deep, "file:1:142: messages are nested too deeply");
    }
    void refusesCostGraphs() {
        QFETCH(const QString, text);
        QFETCH(const QString, error);
        checkRefusal(readCostGraph, text, error);
    }

    void writesAndReadsJson() {
        mitos::Random random(4);
        TaskGraph graph = randomGraph(random, 9);
        graph.tensors[1].isOutput = true;
        const Result<TaskGraph> read = readTaskGraph(SourceText("graph.json", toJson(graph)));
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
        QVERIFY(*read == graph);
        const Result<TaskGraph> small = readTaskGraph(SourceText(
            "graph.json",
            R"({"operations": [{"duration": 1.5}, {"name": "b", "duration": 2}], "tensors": [{"producer": 0, "consumers": [1]}]})"));
        QVERIFY((*small == TaskGraph{{{"", 1.5}, {"b", 2.0}}, {{.producer = 0, .consumers = {1}}}, {}}));
    }

    void refusesJson_data() {
        addRows();
        row("no JSON", "{\"operations\": [\n}", "file:2:1: the text is not JSON here");
        row("a list", "[]", "file: the text is not an object");
        row("nothing", "{}", "file: the text has no member 'operations'");
        row("unknown", R"({"operations": [], "operation": 1})", "file: the text has an unknown member 'operation'");
        row("no duration", R"({"operations": [{"name": "a"}]})", "file: operations[0] has no member 'duration'");
        row("text", R"({"operations": [{"duration": "2"}]})", "file: operations[0].duration is not a number");
        row("negative bytes", R"({"operations": [{"duration": 2}], "tensors": [{"producer": 0, "bytes": -1}]})",
            "file: tensors[0].bytes is not a whole number of 0 or more");
        row("consumer", R"({"operations": [{"duration": 2}], "tensors": [{"producer": 0, "consumers": [0.5]}]})",
            "file: tensors[0].consumers[0] is not a whole number of 0 or more");
        row("control", R"({"operations": [{"duration": 2}], "control": [[0]]})",
            "file: control[0] is not a pair of operations");
        row("deep", std::string(100'000, '['), "file:1:1: the text is nested too deeply for a task graph");
    }
    void refusesJson() {
        QFETCH(const QString, text);
        QFETCH(const QString, error);
        checkRefusal(readTaskGraph, text, error);
    }
};

MITOS_TEST(TestTaskFiles)

}  // namespace tst_task_files

#include "tst_task_files.moc"
