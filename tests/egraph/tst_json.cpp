// SPDX-License-Identifier: GPL-3.0-or-later
// The egraph-serialize format: what is read, what is kept, what is refused and in which words; closing under congruence.
#include "core/base/random.h"
#include "core/egraph/congruence.h"
#include "core/egraph/json.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QDir>
#include <QElapsedTimer>
#include <QTest>
#include <map>
#include <set>

namespace tst_json {

using namespace mitos;
using namespace mitos::egraph;
using namespace Qt::StringLiterals;

namespace {

QString referenceFolder() { return QStringLiteral(MITOS_SOURCE_DIR "/../shared/data/egraphs"); }

Result<LoadedSnapshot> read(std::string text) { return readJson(SourceText("graph.json", std::move(text))); }

Snapshot mustRead(std::string text) {
    Result<LoadedSnapshot> loaded = read(std::move(text));
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return std::move(*loaded).snapshot;
}

/// `count` nodes, each over the two before it, in classes of their own.
std::string largeFile(std::size_t count) {
    std::string text = "{\"nodes\": {";
    for (std::size_t i = 0; i < count; ++i) {
        text +=
            fmt::format("{}\"node {}\": {{\"op\": \"operator {}\", \"children\": [", i == 0 ? "" : ",\n", i, i % 17);
        if (i > 1) text += fmt::format("\"node {}\", \"node {}\"", i - 1, i - 2);
        text += fmt::format("], \"eclass\": \"the class of node {}\", \"cost\": {}.5, \"subsumed\": false}}", i, i % 5);
    }
    return text + fmt::format("}}, \"root_eclasses\": [\"the class of node {}\"]}}", count - 1);
}

}  // namespace

class TstJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEverythingTheFormatHas() {
        const Result<LoadedSnapshot> loaded = read(R"({
            "comment": {"tool": "x", "tries": [1, 2.50, true, null]},
            "nodes": {
                "z": {"op": "f g, [λ]", "children": ["a", "b", "a"], "eclass": "top", "cost": 0.1, "more": [1]},
                "b": {"op": "2", "eclass": "leaf"},
                "a": {"op": "-7", "eclass": "leaf", "cost": -3, "subsumed": true, "children": []}
            },
            "class_data": {"leaf": {"type": "Math", "shape": "[2, 3]", "rank": 2}, "top": {"type": null}, "gone": {}},
            "root_eclasses": ["top", "leaf", "top"]
        })");
        QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().render().c_str());
        const Snapshot& graph = loaded->snapshot;
        QCOMPARE(graph.nodes.size(), 3U);
        QCOMPARE(graph.nodes[0].id, "z");
        QCOMPARE(graph.nodes[0].op, "f g, [λ]");
        QCOMPARE(graph.nodes[0].cost, 0.1);
        QCOMPARE(graph.children, (std::vector<std::uint32_t>{2, 1, 2}));
        QCOMPARE(graph.nodes[1].cost, 1.0);
        QVERIFY(!graph.nodes[1].subsumed);
        QCOMPARE(graph.nodes[2].cost, -3.0);
        QVERIFY(graph.nodes[2].subsumed);
        QCOMPARE(graph.nodes[2].childCount, 0U);
        QCOMPARE(graph.classes.size(), 2U);
        QCOMPARE(graph.classes[0].id, "top");
        QCOMPARE(graph.classes[1].id, "leaf");
        QCOMPARE(graph.classes[1].type, "Math");
        const std::vector<std::pair<std::string, std::string>> data{{"shape", "[2, 3]"}, {"rank", "2"}};
        QCOMPARE(graph.classes[1].data, data);
        QCOMPARE(graph.roots, (std::vector<std::uint32_t>{0, 1, 0}));
        QCOMPARE(graph.otherKeys.size(), 1U);
        QCOMPARE(graph.otherKeys[0].first, "comment");
        QCOMPARE(graph.otherKeys[0].second, R"({"tool":"x","tries":[1,2.50,true,null]})");
        QCOMPARE(loaded->warnings.size(), 2U);
        QVERIFY(loaded->warnings[0].find("\"more\" of node \"z\"") != std::string::npos);
        QVERIFY(loaded->warnings[1].find("\"gone\"") != std::string::npos);
    }

    void rootsAndChildrenAndCostsHaveDefaults() {
        const Snapshot graph = mustRead(R"({"nodes": {"n": {"op": "x", "eclass": "c"}}})");
        QVERIFY(graph.roots.empty());
        QCOMPARE(graph.nodes[0].childCount, 0U);
        QCOMPARE(graph.nodes[0].cost, 1.0);
        QVERIFY(mustRead(R"({"nodes": {}})").classes.empty());
    }

    void refusesWithNodeAndPlace_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("message");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const QByteArray& text, const QString& message, int line = 1) {
            QTest::newRow(name) << text << message << line;
        };
        const auto node = [](const QByteArray& members) {
            return QByteArray("{\"nodes\": {\n\"n\": {" + members + "}\n}}");
        };
        row("empty", "", u"the file is empty"_s);
        row("blank", " \n\t\n", u"the file is empty"_s);
        row("no JSON", "nodes: 3", u"this is no JSON"_s);
        row("an array", "[]", u"an e-graph is a JSON object, not an array"_s);
        row("a number", "12", u"an e-graph is a JSON object, not a number"_s);
        row("without nodes", R"({"root_eclasses": []})", u"there is no key \"nodes\""_s);
        row("truncated", "{\"nodes\": {\n\"n\": {\"op\": \"x\", \"ecl", u"the file is truncated"_s, 2);
        row("truncated after a value", R"({"nodes": {"n": {"op": "x")", u"the file is truncated"_s);
        row("two files in one", "{\"nodes\": {}}\n{}", u"this is no JSON"_s, 2);
        row("nodes is an array", R"({"nodes": []})", u"\"nodes\" must be an object, not an array"_s);
        row("roots is a text", R"({"nodes": {}, "root_eclasses": "c"})",
            u"must be an array of class ids, not a text"_s);
        row("a root is a number", R"({"nodes": {}, "root_eclasses": [3]})",
            u"roots are ids of classes, not a number"_s);
        row("a node is null", R"({"nodes": {"n": null}})", u"node \"n\": must be an object, not null"_s);
        row("op is missing", node(R"("eclass": "c")"), u"node \"n\": the key \"op\" is missing"_s, 2);
        row("eclass is missing", node(R"("op": "x")"), u"node \"n\": the key \"eclass\" is missing"_s, 2);
        row("op is a number", node(R"("op": 2, "eclass": "c")"), u"node \"n\": \"op\" must be a text, not a number"_s,
            2);
        row("eclass is an object", node(R"("op": "x", "eclass": {})"),
            u"node \"n\": \"eclass\" must be a text, not an object"_s, 2);
        row("cost is null", node(R"("op": "x", "eclass": "c", "cost": null)"),
            u"node \"n\": \"cost\" must be a number, not null"_s, 2);
        row("cost is NaN", node(R"("op": "x", "eclass": "c", "cost": NaN)"),
            u"node \"n\": JSON has no NaN and no infinity"_s, 2);
        row("cost is minus infinity", node(R"("op": "x", "eclass": "c", "cost": -Infinity)"),
            u"node \"n\": JSON has no NaN and no infinity"_s, 2);
        row("cost is too large", node(R"("op": "x", "eclass": "c", "cost": 1e999)"), u"node \"n\": this is no JSON"_s,
            2);
        row("subsumed is a number", node(R"("op": "x", "eclass": "c", "subsumed": 1)"),
            u"node \"n\": \"subsumed\" must be true or false, not a number"_s, 2);
        row("children is a text", node(R"("op": "x", "eclass": "c", "children": "n")"),
            u"node \"n\": \"children\" must be an array of node ids, not a text"_s, 2);
        row("a child is a number", node(R"("op": "x", "eclass": "c", "children": [0])"),
            u"node \"n\": children are ids of nodes, not a number"_s, 2);
        row("a dangling child", node("\"op\": \"x\",\n\"eclass\": \"c\", \"children\": [\"c\"]"),
            u"node \"n\": there is no node \"c\", which is one of its children"_s, 3);
        row("two nodes of one id", "{\"nodes\": {\"n\": {\"op\": \"x\", \"eclass\": \"c\"},\n\"n\": {}}}",
            u"there are two nodes \"n\""_s, 2);
        row("a key of a node twice", node(R"("op": "x", "op": "y", "eclass": "c")"),
            u"node \"n\": the key \"op\" stands there twice"_s, 2);
        row("nodes twice", "{\"nodes\": {},\n\"nodes\": {}}", u"the key \"nodes\" stands here twice"_s, 2);
        row("a stale root", "{\"nodes\": {\"n\": {\"op\": \"x\", \"eclass\": \"c\"}},\n\"root_eclasses\": [\"n\"]}",
            u"the root \"n\" is no class"_s, 2);
        row("class data twice", R"({"nodes": {}, "class_data": {"c": {}, "c": {}}})", u"class_data has \"c\" twice"_s);
        row("a type that is a number", R"({"nodes": {}, "class_data": {"c": {"type": 2}}})",
            u"class_data of \"c\": \"type\" must be a text, not a number"_s);
        row("not UTF-8", "{\"nodes\": {\"\xff\": {}}}", u"this is no JSON"_s);
    }

    void refusesWithNodeAndPlace() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, message);
        QFETCH(const int, line);
        const Result<LoadedSnapshot> loaded = read(text.toStdString());
        QVERIFY(!loaded.ok());
        const QString found = QString::fromStdString(loaded.error().message);
        QVERIFY2(found.contains(message), qPrintable(found));
        QVERIFY(loaded.error().place.has_value());
        QCOMPARE(loaded.error().place->line, line);
    }

    void everyTruncationIsRefused() {
        const std::string whole = writeJson(mustRead(R"({"nodes": {"a": {"op": "é", "eclass": "1"},
            "b": {"op": "g", "children": ["a"], "eclass": "2", "cost": 2.5}}, "root_eclasses": ["2"]})"));
        for (std::size_t length = 0; length < whole.size() - 2; ++length) {
            QVERIFY2(!read(whole.substr(0, length)).ok(), whole.substr(0, length).c_str());
        }
    }

    void damagedBytesNeverCrash() {
        const std::string whole = writeJson(mustRead(R"({"nodes": {"a": {"op": "f", "eclass": "1", "subsumed": true},
            "b": {"op": "g", "children": ["a"], "eclass": "2", "cost": 2.5}}, "root_eclasses": ["2"], "x": [{}]})"));
        Random random(7);
        int refused = 0;
        for (int round = 0; round < 20'000; ++round) {
            std::string damaged = whole;
            for (std::size_t i = 0; i < 1 + random.below(3); ++i) {
                damaged[random.below(damaged.size())] = "\"{}[],:0-e\x80\n ab"[random.below(15)];
            }
            if (!read(damaged).ok()) ++refused;
        }
        QVERIFY(refused > 10'000);
    }

    void roundTripKeepsEverything() {
        const std::string text = writeJson(mustRead(R"({"nodes": {
            "n\u00221": {"op": "a\\b\n\u0001", "eclass": "c", "cost": 0.1},
            "n2": {"op": "f", "children": ["n3", "n\u00221"], "eclass": "d", "cost": 1e-300, "subsumed": true},
            "n3": {"op": "f", "eclass": "d", "cost": 123456789012345680}},
            "class_data": {"d": {"type": "T", "k": "v"}}, "root_eclasses": ["d"], "comment": "x", "n": 1.25e3})"));
        QCOMPARE(writeJson(mustRead(text)), text);
        const Snapshot again = mustRead(text);
        QCOMPARE(again.nodes[0].id, "n\"1");
        QCOMPARE(again.nodes[0].op, "a\\b\n\x01");
        QCOMPARE(again.nodes[0].cost, 0.1);
        QCOMPARE(again.nodes[1].cost, 1e-300);
        QVERIFY(again.nodes[1].subsumed);
        QCOMPARE(again.nodes[2].cost, 123456789012345680.0);
        QCOMPARE(again.otherKeys[1].second, "1.25e3");
        QVERIFY(text.find("\"cost\": 0.1\n") != std::string::npos || text.find("\"cost\": 0.1,") != std::string::npos);
    }

    void referenceFilesKeepTheirContent() {
        const QDir folder(referenceFolder());
        if (!folder.exists()) QSKIP("the reference e-graphs (../shared/data/egraphs) are not on this machine");
        const QStringList files = folder.entryList({u"*.json"_s});
        QVERIFY(files.size() >= 8);
        for (const QString& file : files) {
            const Result<SourceText> source = readSourceFile(folder.filePath(file).toStdString());
            QVERIFY(source.ok());
            const Result<LoadedSnapshot> loaded = readJson(*source);
            QVERIFY2(loaded.ok(), qPrintable(file));
            const std::string written = writeJson(loaded->snapshot);
            const Snapshot again = mustRead(written);
            QCOMPARE(writeJson(again), written);
            QCOMPARE(again.nodes.size(), loaded->snapshot.nodes.size());
            for (std::size_t i = 0; i < again.nodes.size(); ++i) {
                QCOMPARE(again.nodes[i].cost, loaded->snapshot.nodes[i].cost);
                QCOMPARE(again.nodes[i].eclass, loaded->snapshot.nodes[i].eclass);
            }
            QCOMPARE(again.children, loaded->snapshot.children);
        }
    }

    void aLargeFileIsRead() {
        const Snapshot graph = mustRead(largeFile(57'800));
        QCOMPARE(graph.nodes.size(), 57'800U);
        QCOMPARE(graph.classes.size(), 57'800U);
        QCOMPARE(graph.children.size(), 2U * 57'798U);
        QCOMPARE(graph.roots, std::vector<std::uint32_t>{57'799});
    }

    void congruenceMergesToTheFixpoint() {
        // f(a) and f(b) in different classes, a = b: then they are equal, and so are g(f(a)) and g(f(b)).
        const Snapshot before = mustRead(R"({"nodes": {
            "a": {"op": "a", "eclass": "ab"}, "b": {"op": "b", "eclass": "ab"},
            "gfb": {"op": "g", "children": ["fb"], "eclass": "4"},
            "fa": {"op": "f", "children": ["a"], "eclass": "1", "cost": 5},
            "fb": {"op": "f", "children": ["b"], "eclass": "2", "cost": 3},
            "gfa": {"op": "g", "children": ["fa"], "eclass": "3"},
            "c": {"op": "c", "eclass": "2"}},
            "class_data": {"2": {"type": "T"}}, "root_eclasses": ["3", "4"]})");
        const auto [after, report] = closeUnderCongruence(before);
        QCOMPARE(after.nodes.size(), 5U);
        QCOMPARE(after.classes.size(), 3U);
        QCOMPARE(report.nodes.size(), 2U);
        QCOMPARE(report.classes.size(), 2U);
        QCOMPARE(before.nodes[report.nodes[0].kept].id, "fa");
        QCOMPARE(before.nodes[report.nodes[0].dropped].id, "fb");
        QCOMPARE(before.nodes[report.nodes[1].kept].id, "gfb");
        QCOMPARE(after.nodes[3].id, "fa");
        QCOMPARE(after.nodes[3].cost, 3.0);  // the least of the two
        QCOMPARE(after.roots, (std::vector<std::uint32_t>{1, 1}));
        QCOMPARE(after.classes[2].id, "1");
        QCOMPARE(after.classes[2].type, "T");
        QVERIFY(closeUnderCongruence(after).report.nodes.empty());
    }

    /// Against the definition: repeat "equal operator and equal classes of children" over all pairs until nothing changes.
    void congruenceAgreesWithTheDefinition() {
        Random random(3);
        for (int round = 0; round < 200; ++round) {
            const std::size_t count = 3 + random.below(25);
            std::string text;
            for (std::size_t i = 0; i < count; ++i) {
                text += fmt::format("{}\"n{}\": {{\"op\": \"{}\", \"eclass\": \"{}\", \"children\": [",
                                    i == 0 ? "" : ",", i, random.below(3), random.below(count));
                const std::size_t arity = random.below(3);
                for (std::size_t k = 0; k < arity; ++k)
                    text += fmt::format("{}\"n{}\"", k == 0 ? "" : ",", random.below(count));
                text += "]}";
            }
            const Snapshot before = mustRead("{\"nodes\": {" + text + "}}");
            std::vector<std::uint32_t> naive;
            for (const Snapshot::Node& node : before.nodes) naive.push_back(node.eclass);
            std::set<std::size_t> dropped;
            for (bool changed = true; changed;) {
                changed = false;
                for (std::size_t i = 0; i < count; ++i) {
                    for (std::size_t j = 0; j < i; ++j) {
                        const Snapshot::Node& a = before.nodes[i];
                        const Snapshot::Node& b = before.nodes[j];
                        bool same = a.op == b.op && a.childCount == b.childCount;
                        for (std::uint32_t k = 0; same && k < a.childCount; ++k) {
                            same = naive[before.children[a.firstChild + k]] == naive[before.children[b.firstChild + k]];
                        }
                        if (!same) continue;
                        dropped.insert(i);
                        if (naive[i] == naive[j]) continue;
                        changed = true;
                        const std::uint32_t from = naive[i];
                        for (std::uint32_t& eclass : naive) eclass = eclass == from ? naive[j] : eclass;
                    }
                }
            }
            const auto [after, report] = closeUnderCongruence(before);
            QCOMPARE(after.nodes.size(), count - dropped.size());
            QCOMPARE(report.nodes.size(), dropped.size());
            QCOMPARE(after.classes.size(), std::set<std::uint32_t>(naive.begin(), naive.end()).size());
            std::map<std::uint32_t, std::uint32_t> classOf;
            for (const Snapshot::Node& node : after.nodes) {
                const std::uint32_t old = naive[std::stoul(node.id.substr(1))];
                QCOMPARE(classOf.try_emplace(old, node.eclass).first->second, node.eclass);
            }
        }
    }
};

MITOS_TEST(TstJson)

}  // namespace tst_json

#include "tst_json.moc"
