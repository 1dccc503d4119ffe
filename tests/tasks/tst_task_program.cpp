// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs as programs and as text: nothing is lost.
#include "core/dialects/dialects.h"
#include "core/ir/draw.h"
#include "core/ir/shared.h"
#include "core/tasks/files/any_graph.h"
#include "core/tasks/files/task_graph_json.h"
#include "core/tasks/program.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <set>
#include <string>

namespace tst_task_program {

using namespace mitos;
using tasks::TaskGraph;
using namespace Qt::StringLiterals;

namespace {

/// The graph of scheduling.md 1.3, with the sizes of the text in task_text.h.
TaskGraph small() {
    return {{{"a", 2.0}, {"b", 3.0}, {"c", 1.0}, {"a name", 2.5}},
            {{.bytes = 16, .producer = 0, .consumers = {1, 2}},
             {.bytes = 8, .producer = 1, .consumers = {3}},
             {.bytes = 8, .producer = 2, .consumers = {3}},
             {.bytes = 4, .producer = 2, .isOutput = true}},
            {{0, 3}, {1, 3}}};
}

const std::string SmallText =
    "tasks example\n"
    "  a() takes 2, makes 16\n"
    "  b(a) takes 3, makes 8\n"
    "  c(a) takes 1, makes 8, 4 result\n"
    "  %3 \"a name\"(b, c[0]) after a, b takes 2.5\n";

/// Fails the test unless the graph comes back from a program and from a text, and the text from the program.
void checkKept(const TaskGraph& graph, const std::string& name = "g") {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = tasks::programOf(bank, graph, name);
    QVERIFY2(program.ok(), program ? "" : program.error().message.c_str());
    const Result<TaskGraph> back = tasks::graphOf(bank, *program);
    QVERIFY2(back.ok(), back ? "" : back.error().message.c_str());
    QVERIFY(*back == graph);
    const std::string text = dialects::printProgram(bank, *program);
    QCOMPARE(text, tasks::printGraph(graph, name).text);
    const Result<ir::Program> again = dialects::parseProgram(bank, "again", text);
    QVERIFY2(again.ok(), again ? "" : again.error().render().c_str());
    QVERIFY(*again == *program);
    ir::TermBank other(dialects::makeRegistry());
    const Result<ir::Program> fresh = dialects::parseProgram(other, "fresh", text);
    QVERIFY(fresh.ok());
    QCOMPARE(other.function(fresh->function).name, name);
    QCOMPARE(dialects::printProgram(other, *fresh), text);
    QVERIFY(*tasks::graphOf(other, *fresh) == graph);
}

/// The same graph with tensors, consumers and edges in another order, which no line tells.
TaskGraph shuffled(TaskGraph graph, Random& random) {
    const auto shuffle = [&random](auto& list) {
        for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
    };
    shuffle(graph.tensors);
    shuffle(graph.controlEdges);
    for (tasks::Tensor& tensor : graph.tensors) shuffle(tensor.consumers);
    return graph;
}

/// Each operation waits for the one before it.
TaskGraph chain(std::uint32_t length) {
    TaskGraph graph;
    for (std::uint32_t i = 0; i < length; ++i) {
        graph.operations.push_back({"step " + std::to_string(i), 1.0});
        graph.tensors.push_back({.bytes = i, .producer = i, .consumers = {}});
        if (i > 0) graph.tensors[i - 1].consumers.push_back(i);
    }
    return graph;
}

ir::Program opened(ir::TermBank& bank, const std::string& text, const std::string& name = "graph") {
    const Result<ir::Program> program = dialects::parseProgram(bank, name, text);
    if (!program) qFatal("%s", program.error().render().c_str());
    return *program;
}

}  // namespace

class TestTaskProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isPrinted() {
        QCOMPARE(tasks::printGraph(small(), "example").text, SmallText);
        const Result<tasks::NamedGraph> read = tasks::readTaskText(SourceText("example", SmallText));
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        QVERIFY(read->graph == small());
        QCOMPARE(read->name, std::string("example"));
    }

    void isKept_data() {
        QTest::addColumn<QString>("json");
        const auto row = [](const char* name, const TaskGraph& graph) {
            QTest::newRow(name) << QString::fromStdString(tasks::toJson(graph));
        };
        row("example", small());
        row("one operation", {{{"alone", 4.0}}, {}, {}});
        row("one without a name", {{{"", 0.0}}, {{.bytes = 7, .producer = 0}}, {}});
        row("equal operations", {{{"x", 1.0}, {"x", 1.0}, {"x", 1.0}}, {}, {}});
        row("equal with inputs",
            {{{"p", 1.0}, {"", 2.0}, {"", 2.0}}, {{.bytes = 1, .producer = 0, .consumers = {1, 2}}}, {}});
        row("names like words",
            {{{"after", 1.0}, {"takes", 1.0}, {"%1", 1.0}, {"a$b%c", 1.0}, {"\"q\\\n", 1.0}}, {}, {}});
        row("no use of a tensor", {{{"a", 1.0}, {"b", 1.0}},
                                   {{.bytes = 5, .producer = 0}, {.bytes = 6, .producer = 0, .consumers = {1}}},
                                   {}});
        row("backwards", {{{"last", 1.0}, {"first", 2.0}}, {{.bytes = 3, .producer = 1, .consumers = {0}}}, {}});
        row("used twice", {{{"a", 1.0}, {"b", 1.0}, {"c", 1.0}},
                           {{.bytes = 5, .producer = 0, .consumers = {2, 1, 1}}},
                           {{0, 1}, {0, 1}, {1, 2}}});
        row("tensors out of order", {{{"a", 1.0}, {"b", 1.0}},
                                     {{.bytes = 5, .producer = 1}, {.bytes = 6, .producer = 0, .consumers = {1}}},
                                     {}});
        row("edges out of order", {{{"a", 1.0}, {"b", 1.0}, {"c", 1.0}}, {}, {{0, 2}, {0, 1}, {1, 2}}});
        row("fractions", {{{"a", 0.1}, {"b", 1e14}, {"c", 1e-300}}, {}, {}});
        row("large", {{{"a", 0.0}}, {{.bytes = std::uint64_t{1} << 61U, .producer = 0, .isOutput = true}}, {}});
    }
    void isKept() {
        QFETCH(QString, json);
        const Result<TaskGraph> graph = tasks::readTaskGraph(SourceText("graph.json", json.toStdString()));
        QVERIFY2(graph.ok(), graph ? "" : graph.error().render().c_str());
        checkKept(*graph);
    }

    void anyGraphIsKept() {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            Random random(seed);
            TaskGraph graph = tests::randomGraph(random, 1 + static_cast<std::uint32_t>(random.below(40)));
            for (tasks::Operation& operation : graph.operations) {
                if (random.chance(0.2)) operation.name.clear();
            }
            for (tasks::Tensor& tensor : graph.tensors) tensor.isOutput = random.chance(0.2);
            checkKept(graph, "a \"name\"");
            checkKept(shuffled(graph, random));
        }
    }

    void deepGraphsAreKept() {
        const TaskGraph graph = chain(10'000);
        checkKept(graph);
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = *tasks::programOf(bank, graph, "deep");
        QCOMPARE(bank.depth(program.root), std::uint32_t{10'001});
        QCOMPARE(ir::sharedSize(bank, program.root), std::size_t{10'001});
        const ir::PrintedText printed = dialects::printWithSpans(bank, program);
        QCOMPARE(printed.spans.size(), std::size_t{10'001});
        QVERIFY(!ir::dotText(bank, program.root, ir::Sharing::Graph, ir::MostDrawn, ir::labelOf).empty());
    }

    void equalOperationsAreDifferentNodes() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = *tasks::programOf(bank, {{{"x", 1.0}, {"x", 1.0}}, {}, {}}, "twins");
        QCOMPARE(bank.childCount(program.root), std::size_t{2});
        QVERIFY(bank.child(program.root, 0) != bank.child(program.root, 1));
    }

    void nodesHavePlacesAndLabels() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = opened(bank, SmallText);
        QCOMPARE(bank.dialect(program.function).name, std::string("tasks"));
        const ir::PrintedText printed = dialects::printWithSpans(bank, program);
        std::set<std::string> lines;
        std::size_t next = 0;
        ir::forEachShared(bank, program.root, [&](const ir::Path&, ir::TermId node) {
            const ir::PrintedSpan span = printed.spans[next++];
            lines.insert(ir::labelOf(bank, node) + ": " + printed.text.substr(span.begin, span.end - span.begin));
            return true;
        });
        const std::set<std::string> expected{
            "end: tasks example",       "a: a() takes 2, makes 16",
            "b: b(a) takes 3, makes 8", "c: c(a) takes 1, makes 8, 4 result",
            "output 1 of 2: 8",         "a name: %3 \"a name\"(b, c[0]) after a, b takes 2.5"};
        QVERIFY(lines == expected);
        QCOMPARE(dialects::printTermAt(bank, program, {0}, bank.child(program.root, 0)),
                 std::string("a name(b, c[0], a, b) takes 2.5"));
    }

    void everyFormIsRecognized_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("dialect");
        const auto row = [](const char* name, const char* text, const char* dialect) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(dialect);
        };
        row("text", "# a comment\n\ntasks t\n a() takes 1\n", "tasks");
        row("json", " {\"control\": [], \"operations\": [{\"duration\": 1}]}", "tasks");
        row("stg", "1\n0 0 0\n1 4 1 0\n2 0 1 1\n", "tasks");
        row("stg behind a comment", "# made by hand\n1\n0 0 0\n1 4 1 0\n2 0 1 1\n", "tasks");
        row("cost graph", "# two\nnode { name: \"a\" }", "tasks");
        row("a number of ks", "3", "ks");
        row("a number with a point", "2.0", "ks");
        row("a variable of ks", "node", "ks");
        row("ks", "(add tasks 2.0)", "ks");
        row("listing", "graph tasks(x: f32[2])\n  return Relu(x)\n", "tensor");
    }
    void everyFormIsRecognized() {
        QFETCH(QString, text);
        QFETCH(QString, dialect);
        const auto registry = dialects::makeRegistry();
        QCOMPARE(QString::fromStdString(ir::recognized(*registry, text.toStdString()).name), dialect);
        ir::TermBank bank(registry);
        if (dialect == u"tasks"_s) QCOMPARE(bank.opName(opened(bank, text.toStdString()).root), tasks::FinishName);
    }

    void theFileNamesTheGraph() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = opened(bank, "1\n0 0 0\n1 4 1 0\n2 0 1 1\n", "some/folder/rand0001.stg");
        QCOMPARE(bank.function(program.function).name, std::string("rand0001"));
        QCOMPARE(dialects::printProgram(bank, program),
                 std::string("tasks rand0001\n  0() takes 0, makes 0\n  1(0) takes 4, makes 0\n  2(1) takes 0\n"));
    }

    void theEndingDecidesWhereTheTextDoesNot() {
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = dialects::parseProgram(bank, "cut.stg", "12\n0 0");
        QVERIFY(!program.ok());
        QCOMPARE(program.error().message,
                 std::string("the first line announces 12 tasks, but the file is too short for them"));
    }

    void textsAreRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, const char* text, const char* error) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(error);
        };
        row("no name", "tasks\n", "file:1:6: expected the name of the graph, found the end of the line");
        row("no operation", "tasks t\n", "the graph has no operations");
        row("no parenthesis", "tasks t\n  a takes 2\n", "file:2:5: expected '(', found 't'");
        row("no duration", "tasks t\n  a()\n",
            "file:2:6: expected 'takes' and the duration, found the end of the line");
        row("a word as duration", "tasks t\n  a() takes long\n", "file:2:13: expected a duration, found 'long'");
        row("negative", "tasks t\n  a() takes -1\n", "a has the duration -1");
        row("unknown", "tasks t\n  a(b) takes 1\n", "file:2:5: there is no operation b");
        row("twice", "tasks t\n  a() takes 1\n  a() takes 1\n", "file:3:3: two operations have the name a");
        row("number", "tasks t\n  %1() takes 1\n", "file:2:3: this is operation 0, found %1");
        row("makes nothing", "tasks t\n  a() takes 1\n  b(a) takes 1\n", "file:3:5: a makes nothing");
        row("which tensor", "tasks t\n  a() takes 1, makes 1, 2\n  b(a) takes 1\n", "file:3:5: a makes 2 tensors");
        row("no such tensor", "tasks t\n  a() takes 1, makes 1\n  b(a[1]) takes 1\n", "file:3:5: a has no tensor 1");
        row("negative bytes", "tasks t\n  a() takes 1, makes -1\n",
            "file:2:22: expected a number of bytes, found '-1'");
        row("more", "tasks t\n  a() takes 1 unit\n", "file:2:15: expected the end of the line, found 'u'");
        row("quotes", "tasks \"t\n", "file:1:8: the quotes are not closed");
        row("order", "tasks t\n  a() takes 1, makes 1 @1, 2 @1\n",
            "file:2:3: the numbers of the tensors behind @ are not those from 0 on, each once");
        row("cycle", "tasks t\n  a(b) takes 1, makes 1\n  b(a) takes 1, makes 1\n", "the graph has a cycle: a → b → a");
        row("consumers", "tasks t\n  a() takes 1, makes 1 to (a)\n",
            "file:2:28: `to` lists other operations than those that use the tensor");
    }
    void textsAreRefused() {
        QFETCH(QString, text);
        QFETCH(QString, error);
        const Result<tasks::NamedGraph> read = tasks::readTaskText(SourceText("file", text.toStdString()));
        QVERIFY(!read.ok());
        QCOMPARE(QString::fromStdString(read.error().oneLine()), error);
        QVERIFY(!read.error().hint.empty());
    }

    void commentsAndOrderOfInputsAreFree() {
        const Result<tasks::NamedGraph> read =
            tasks::readTaskText(SourceText("file",
                                           "# first\ntasks t # second\n\n  sum( c , b ) takes 1e0  # third\n b() takes "
                                           "1,makes 2\n\tc() takes 1, makes 3"));
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        QCOMPARE(tasks::printGraph(read->graph, read->name).text,
                 std::string("tasks t\n  sum(b, c) takes 1\n  b() takes 1, makes 2\n  c() takes 1, makes 3\n"));
    }

    void otherTermsAreRefused() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = opened(bank, "(mul x 2.0)");
        const Result<TaskGraph> graph = tasks::graphOf(bank, program);
        QVERIFY(!graph.ok());
        QVERIFY(graph.error().message.ends_with("is no part of a task graph"));
    }
};

MITOS_TEST(TestTaskProgram)

}  // namespace tst_task_program

#include "tst_task_program.moc"
