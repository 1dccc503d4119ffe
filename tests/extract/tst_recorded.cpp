// SPDX-License-Identifier: GPL-3.0-or-later
// Extractions recorded in e-graph files.
#include "core/egraph/json.h"
#include "core/extract/recorded.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_recorded {

using namespace mitos;
using egraph::Snapshot;

namespace {

Snapshot read(const std::string& text) {
    Result<egraph::LoadedSnapshot> loaded = egraph::readJson(SourceText("graph.json", text));
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return std::move(*loaded).snapshot;
}

/// Class 0 is f(1) or a constant of cost 5, or itself under g; class 1 is x. The data of class 0 is `data`.
Snapshot graph(const std::string& data) {
    return read(R"({"nodes": {
        "f": {"op": "f", "children": ["x"], "eclass": "0", "cost": 2},
        "c": {"op": "5", "eclass": "0", "cost": 5},
        "g": {"op": "g", "children": ["c"], "eclass": "0"},
        "s": {"op": "s", "eclass": "0", "subsumed": true},
        "x": {"op": "x", "eclass": "1"}}, "root_eclasses": ["0"], "class_data": {)" +
                data + "}}");
}

}  // namespace

class TestRecorded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFileKeepsTheChoice() {
        Snapshot snapshot = graph(R"("0": {"type": "T", "chosen": "c", "note": "kept"})");
        extract::record(snapshot, {0, 4});  // f(x) in place of c
        const Snapshot again = read(egraph::writeJson(snapshot));
        QVERIFY(again.classes[0].data ==
                (std::vector<std::pair<std::string, std::string>>{{"note", "kept"}, {"chosen", "f"}}));
        QCOMPARE(again.classes[0].type, std::string("T"));
        const auto recorded = extract::recordedChoice(again);
        QVERIFY(recorded && *recorded);
        QVERIFY((*recorded)->nodes == (egraph::NodeChoice{0, 4}));
        QCOMPARE((*recorded)->cost, 3.0);
        // A class that is not needed any more loses its entry.
        extract::record(snapshot, {1, Snapshot::None});
        QVERIFY(snapshot.classes[1].data.empty());
        QCOMPARE((*extract::recordedChoice(snapshot))->cost, 5.0);
    }

    void withoutARecordThereIsNone() {
        const auto recorded = extract::recordedChoice(graph(""));
        QVERIFY(recorded && !*recorded);
    }

    void invalidRecordsAreRefused_data() {
        QTest::addColumn<QString>("data");
        QTest::newRow("no such e-node") << QStringLiteral(R"("0": {"chosen": "nowhere"})");
        QTest::newRow("an e-node of another class") << QStringLiteral(R"("0": {"chosen": "x"})");
        QTest::newRow("a subsumed e-node") << QStringLiteral(R"("0": {"chosen": "s"})");
        QTest::newRow("an argument without an e-node") << QStringLiteral(R"("0": {"chosen": "f"})");
        QTest::newRow("a class that needs itself") << QStringLiteral(R"("0": {"chosen": "g"})");
        QTest::newRow("a root without an e-node") << QStringLiteral(R"("1": {"chosen": "x"})");
    }
    void invalidRecordsAreRefused() {
        QFETCH(const QString, data);
        const auto recorded = extract::recordedChoice(graph(data.toStdString()));
        QVERIFY(!recorded);
        QVERIFY(recorded.error().message.starts_with("the recorded extraction is not valid: "));
    }
};

MITOS_TEST(TestRecorded)

}  // namespace tst_recorded

#include "tst_recorded.moc"
