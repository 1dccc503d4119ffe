// SPDX-License-Identifier: GPL-3.0-or-later
// The e-graph view: what is chosen to be drawn, the list of all classes, files, mouse and keys.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/small_egraphs.h"
#include "tests/support/test_program.h"
#include "views/egraph/class_list_model.h"
#include "views/egraph/egraph_view.h"
#include "views/graph/graph_pane.h"
#include "views/main_window/appearance.h"
#include "views/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

namespace tst_egraph {

using namespace mitos;
using namespace mitos::views;
using test::ids;

namespace {

struct Shown {
    JobRunner jobs;
    EGraphDocument document{jobs};
    EGraphView view{document, jobs};
    QTemporaryDir folder;

    Shown() {
        view.resize(1100, 700);
        view.setReducedMotion(true);
        view.show();
    }
    bool settle() {
        return QTest::qWaitFor([this] { return jobs.isIdle(); }, 30'000);
    }
    bool open(const QByteArray& text, const char* name = "graph.json") {
        document.openFile(test::writeText(folder, QLatin1String(name), text));
        return settle() && document.isOpen();
    }
    template <typename Widget>
    Widget* child(const char* name) {
        return view.findChild<Widget*>(QLatin1String(name));
    }
    [[nodiscard]] GraphView& graph() { return view.findChild<GraphPane*>()->view(); }
    /// Ids of the boxes, sorted.
    [[nodiscard]] QString boxes() const { return ids(*document.snapshot(), view.picture().classes); }
    [[nodiscard]] QString footer() { return child<QLabel>("graphFooter")->text(); }
    [[nodiscard]] std::vector<QString> listed() {
        auto* table = child<QTableView>("egraphClasses");
        std::vector<QString> rows;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            rows.push_back(table->model()->index(row, ClassListModel::IdColumn).data().toString());
        }
        return rows;
    }
    void click(const char* name) {
        auto* button = child<QToolButton>(name);
        QVERIFY2(button->isEnabled(), name);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(settle());
    }
    void check(const char* name, bool on) {
        child<QCheckBox>(name)->setChecked(on);
        QVERIFY(settle());
    }
    void choose(const char* id) { view.select(test::classOf(*document.snapshot(), id)); }
};

}  // namespace

class TestEGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QSettings().clear(); }

    void anIndexKnowsUsersAndCheapestTerms() {
        const EGraphIndex index(test::snapshotOf(test::ShiftText));
        const auto at = [&](const char* id) { return test::classOf(index.snapshot(), id); };
        // (a * 2) / 2 with a * 2 = a << 1 and the quotient = a * (2 / 2) = a * 1 = a.
        QCOMPARE(index.members(at("a")).size(), std::size_t(3));
        QCOMPARE(index.parents(at("2")).size(), std::size_t(3));
        QCOMPARE(index.bestCost(at("a")), 1.0);
        QCOMPARE(index.nodeText(index.best(at("a"))), QStringLiteral("a"));
        QCOMPARE(index.bestCost(at("p")), 4.0);  // a << 1: 2 + 1 + 1
        QCOMPARE(index.nodeText(index.best(at("p"))), QStringLiteral("<<(a, 1)"));
        QCOMPARE(index.starts(), (std::vector<ClassIndex>{at("a")}));
        QVERIFY(index.isLeaf(at("2")) && !index.isLeaf(at("1")));
    }

    void classesWithoutAFiniteTermAreNoTrouble() {
        const EGraphIndex index(test::snapshotOf(
            R"({"nodes": {"f": {"op": "f", "children": ["f"], "eclass": "loop"}}, "root_eclasses": ["loop"]})"));
        QCOMPARE(index.best(0), EGraphIndex::None);
        QVERIFY(std::isinf(index.bestCost(0)));
        const EGraphPicture picture = makeEGraphPicture(index, {}, {});
        QCOMPARE(picture.classes.size(), std::size_t(1));
        QCOMPARE(picture.graph.edges.size(), std::size_t(1));
        QVERIFY(!picture.graph.nodes[0].rows[0].strong);
    }

    void withoutRootsLookingBeginsAtTheTop() {
        const EGraphIndex index(test::snapshotOf(
            R"({"nodes": {"x": {"op": "x", "eclass": "x"}, "f": {"op": "f", "children": ["x"], "eclass": "f"}}})"));
        QCOMPARE(ids(index.snapshot(), index.starts()), QStringLiteral("f"));
        QVERIFY(EGraphIndex(test::snapshotOf(R"({"nodes": {}})")).starts().empty());
        // Where each class is used, the largest one; drawing on the command line begins there, too.
        const auto ring = test::snapshotOf(R"({"nodes": {"f": {"op": "f", "children": ["g"], "eclass": "small"},
            "g": {"op": "g", "children": ["f"], "eclass": "large"},
            "h": {"op": "h", "children": ["f"], "eclass": "large"}}})");
        QCOMPARE(ids(*ring, EGraphIndex(ring).starts()), QStringLiteral("large"));
        QCOMPARE(ids(*ring, egraph::startClasses(*ring)), QStringLiteral("large"));
    }

    void hopsGrowAroundTheExtraction() {
        const EGraphIndex index(test::snapshotOf(test::chainText(20)));
        // Class i holds f(i + 1) and the cheap leaf that the extraction takes.
        EGraphScope scope;
        scope.hops = 0;
        QCOMPARE(ids(index.snapshot(), makeEGraphPicture(index, scope, {}).classes), QStringLiteral("0"));
        scope.hops = 3;
        const EGraphPicture three = makeEGraphPicture(index, scope, {});
        QCOMPARE(ids(index.snapshot(), three.classes), QStringLiteral("0 1 2 3"));
        QCOMPARE(three.graph.nodes[3].hidden, std::uint64_t(1));
        scope.extractionOnly = true;
        QCOMPARE(makeEGraphPicture(index, scope, {}).classes.size(), std::size_t(1));
        scope.extractionOnly = false;
        scope.hops = 1;
        scope.centre = test::classOf(index.snapshot(), "7");
        QCOMPARE(ids(index.snapshot(), makeEGraphPicture(index, scope, {}).classes), QStringLiteral("6 7 8"));
        scope.hidden.insert(test::classOf(index.snapshot(), "8"));
        QCOMPARE(ids(index.snapshot(), makeEGraphPicture(index, scope, {}).classes), QStringLiteral("6 7"));
    }

    void aPictureHasAtMostSoManyBoxes() {
        const EGraphIndex index(test::snapshotOf(test::fanText(1'000)));
        const EGraphPicture picture = makeEGraphPicture(index, {}, {});
        QCOMPARE(picture.classes.size(), EGraphScope::UsualLimit);
        QVERIFY(picture.cut);
        // One box of a thousand e-nodes has a few rows, and says how many more.
        QCOMPARE(picture.graph.nodes[0].rows.size(), EGraphScope::UsualRows + 1);
        QCOMPARE(picture.graph.nodes[0].rows.back().text, QStringLiteral("… 992 more"));
        QCOMPARE(picture.graph.nodes[0].hidden, std::uint64_t(1'001 - EGraphScope::UsualLimit));
        EGraphScope scope;
        scope.expanded.insert(picture.classes[0]);
        QCOMPARE(makeEGraphPicture(index, scope, {}).classes.size(),
                 EGraphScope::UsualLimit + EGraphScope::ExpansionLimit);
    }

    void leavesStandInRows() {
        const EGraphIndex index(test::snapshotOf(test::ShiftText));
        EGraphScope scope;
        scope.inlineLeaves = true;
        scope.hops = 4;
        const EGraphPicture picture = makeEGraphPicture(index, scope, {});
        QCOMPARE(ids(index.snapshot(), picture.classes), QStringLiteral("1 a p"));
        QCOMPARE(picture.inlined, std::size_t(1));
        const GraphNode& product = picture.graph.nodes[*picture.boxOf(test::classOf(index.snapshot(), "p"))];
        QCOMPARE(product.rows.size(), std::size_t(2));
        QCOMPARE(product.rows[1].text, QStringLiteral("*(·, 2)"));
        QCOMPARE(product.rows[1].detail, QStringLiteral("6"));  // 5, and 1 of the literal
    }

    void newAndMergedStandOutWithoutColour() {
        auto made = std::make_shared<egraph::Snapshot>(*test::snapshotOf(test::ShiftText));
        const ClassIndex product = test::classOf(*made, "p");
        made->nodes[test::nodeOf(*made, "shl")].iteration = 2;
        made->classes[product].iteration = 2;
        const EGraphIndex index(made);
        EGraphScope scope;
        scope.hops = 4;
        const EGraphPicture picture = makeEGraphPicture(index, scope, {.extractions = {}, .iteration = 2});
        const GraphNode& box = picture.graph.nodes[*picture.boxOf(product)];
        QCOMPARE(box.rows[0].tag, QStringLiteral("+"));
        QCOMPARE(box.rows[0].frame, Qt::DotLine);
        QCOMPARE(box.rows[1].frame, Qt::NoPen);
        QVERIFY(box.doubleFrame && box.detail.contains(QLatin1String("merged")));
    }

    void edgesLeaveTheirRows() {
        const EGraphIndex index(test::snapshotOf(test::ShiftText));
        EGraphScope scope;
        scope.hops = 4;
        const EGraphPicture picture = makeEGraphPicture(index, scope, {});
        QVERIFY(picture.graph.arrows);
        for (const GraphEdge& edge : picture.graph.edges) {
            QVERIFY(edge.fromRow >= 0);
            const ENodeIndex node = picture.rows[edge.from][static_cast<std::size_t>(edge.fromRow)];
            const auto& made = index.snapshot().nodes[node];
            bool joins = false;
            for (std::uint32_t i = 0; i < made.childCount; ++i) {
                joins = joins || index.snapshot().childClass(made, i) == picture.classes[edge.to];
            }
            QVERIFY(joins);
        }
        // 2 / 2 names its argument twice: one edge.
        const GraphIndex one = *picture.boxOf(test::classOf(index.snapshot(), "1"));
        const auto fromOne = std::count_if(picture.graph.edges.begin(), picture.graph.edges.end(),
                                           [&](const GraphEdge& edge) { return edge.from == one; });
        QCOMPARE(fromOne, std::ptrdiff_t(1));
        EGraphScope boxes = scope;
        for (const ClassIndex which : picture.classes) boxes.collapsed.insert(which);
        const EGraphPicture collapsed = makeEGraphPicture(index, boxes, {});
        QVERIFY(collapsed.graph.nodes[0].rows.empty());
        QCOMPARE(collapsed.graph.edges.size(), std::size_t(8));  // 4 of a, 3 of p, 1 of 1
    }

    void whatIsNotExtractedFades() {
        const EGraphIndex index(test::snapshotOf(test::ShiftText));
        EGraphScope scope;
        scope.hops = 4;
        const auto edges = [&](const EGraphPicture& picture) {
            QStringList texts;
            for (const GraphEdge& edge : picture.graph.edges) {
                const ENodeIndex node = picture.rows[edge.from][static_cast<std::size_t>(edge.fromRow)];
                texts << QStringLiteral("%1 %2%3").arg(
                    QString::fromStdString(index.snapshot().nodes[node].id),
                    QString::fromStdString(index.snapshot().classes[picture.classes[edge.to]].id),
                    edge.strong  ? QStringLiteral(" strong")
                    : edge.faint ? QStringLiteral(" faint")
                                 : QString());
            }
            texts.sort();
            return texts.join(QStringLiteral(", "));
        };
        // The root's cheapest term is a leaf: nothing to emphasize, so nothing fades.
        QCOMPARE(edges(makeEGraphPicture(index, scope, {})),
                 QStringLiteral("div 2, div p, mul 2, mul a, ones 2, shl 1, shl a, times 1, times a"));
        scope.centre = test::classOf(index.snapshot(), "p");
        QCOMPARE(edges(makeEGraphPicture(index, scope, {})),
                 QStringLiteral("div 2 faint, div p faint, mul 2 faint, mul a faint, ones 2 faint, shl 1 strong, "
                                "shl a strong, times 1 faint, times a faint"));
    }

    void fadedEdgesAreSeenInBothThemes() {
        for (const Appearance appearance : {Appearance::Light, Appearance::Dark}) {
            applyAppearance(*qApp, appearance);
            const Theme theme(QApplication::palette());
            const int base = qGray(QApplication::palette().color(QPalette::Base).rgb());
            const int faint = std::abs(qGray(theme.faintEdge().rgb()) - base);
            const int usual = std::abs(qGray(theme.faintText().rgb()) - base);
            QVERIFY2(faint >= 30 && 2 * faint <= usual, qPrintable(QStringLiteral("%1 %2").arg(faint).arg(usual)));
        }
        applyAppearance(*qApp, Appearance::Light);
    }

    void theListFindsAndSorts() {
        const EGraphIndex index(test::snapshotOf(test::ShiftText));
        const auto find = [&](const char* text, int column = -1, bool ascending = true) {
            ClassQuery query;
            query.text = QLatin1String(text);
            query.column = column;
            query.ascending = ascending;
            QStringList found;
            for (const ClassIndex which : findClasses(index, query, {})) {
                found << QString::fromStdString(index.snapshot().classes[which].id);
            }
            return found.join(QLatin1Char(' '));
        };
        QCOMPARE(find(""), QStringLiteral("a 2 p 1"));
        QCOMPARE(find("<<"), QStringLiteral("p"));
        QCOMPARE(find("/ a"), QStringLiteral("a"));
        QCOMPARE(find("nothing"), QString());
        QCOMPARE(find("", ClassListModel::NodesColumn, false), QStringLiteral("a p 1 2"));
        QCOMPARE(find("", ClassListModel::UsesColumn, false), QStringLiteral("a 2 1 p"));
        QCOMPARE(find("", ClassListModel::IdColumn), QStringLiteral("1 2 a p"));
        QCOMPARE(find("", ClassListModel::CostColumn, false), QStringLiteral("p a 2 1"));
    }

    void modelsKeepTheirPromises() {
        const auto index = std::make_shared<const EGraphIndex>(test::snapshotOf(test::ShiftText));
        ClassListModel classes;
        MemberTableModel members;
        const QAbstractItemModelTester testClasses(&classes, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester testMembers(&members, QAbstractItemModelTester::FailureReportingMode::QtTest);
        classes.setRows(index, {2, 0});
        QCOMPARE(classes.rowOf(0), 1);
        QCOMPARE(classes.rowOf(1), -1);
        members.setClass(index, 2, {});
        QCOMPARE(members.rowCount(), 2);
        members.setClass(nullptr, 0, {});
        QCOMPARE(members.rowCount(), 0);
    }

    void aFileIsOpenedAndShown() {
        Shown shown;
        QVERIFY(shown.child<QWidget>("emptyState")->isVisible());
        QVERIFY(shown.open(test::ShiftText));
        QVERIFY(!shown.child<QWidget>("emptyState")->isVisible());
        QCOMPARE(shown.listed().size(), std::size_t(4));
        QCOMPARE(shown.child<QLabel>("egraphCount")->text(), QStringLiteral("All 4 classes"));
        // The root's cheapest term is itself; one hop shows what its e-nodes use.
        QCOMPARE(shown.boxes(), QStringLiteral("1 2 a p"));
        QCOMPARE(shown.footer(), QStringLiteral("All 4 classes"));
        shown.click("egraphLessHops");
        QCOMPARE(shown.boxes(), QStringLiteral("a"));
        QCOMPARE(shown.footer(),
                 QStringLiteral("1 of 4 classes: the roots and their extraction, 0 hops; the list has all"));
        QVERIFY(!shown.child<QToolButton>("egraphLessHops")->isEnabled());
    }

    void badFilesSayWhatIsWrong() {
        Shown shown;
        QVERIFY(shown.open(test::ShiftText));
        QSignalSpy failed(&shown.document, &EGraphDocument::failed);
        for (const char* text : {"", "{", "[]", R"({"nodes": {"a": {"op": "a"}}})",
                                 R"({"nodes": {"a": {"op": "a", "eclass": "a", "children": ["b"]}}})"}) {
            failed.clear();
            QVERIFY(shown.open(text, "bad.json"));
            QCOMPARE(failed.size(), 1);
            QCOMPARE(failed[0][0].toString(), QStringLiteral("Could not open bad.json"));
            QVERIFY(failed[0][1].toString().contains(QLatin1String("bad.json")));
        }
        failed.clear();
        shown.document.openFile(QStringLiteral("/no/such/file.json"));
        QVERIFY(shown.settle());
        QCOMPARE(failed.size(), 1);
        // The old one stays.
        QCOMPARE(shown.document.title(), QStringLiteral("graph.json"));
        QCOMPARE(shown.listed().size(), std::size_t(4));
        QVERIFY(shown.open(R"({"nodes": {}})", "empty.json"));
        QCOMPARE(shown.listed().size(), std::size_t(0));
        QCOMPARE(shown.footer(), QStringLiteral("All 0 classes"));
    }

    void pictureAndListFollowEachOther() {
        Shown shown;
        QVERIFY(shown.open(test::chainText(300)));
        auto* table = shown.child<QTableView>("egraphClasses");
        GraphView& graph = shown.graph();
        QCOMPARE(shown.boxes(), QStringLiteral("0 1"));
        QTest::mouseClick(graph.viewport(), Qt::LeftButton, {}, graph.rectOf(1).center());
        QCOMPARE(table->currentIndex().data().toString(), QStringLiteral("1"));
        QVERIFY(shown.child<QLabel>("egraphAbout")->text().startsWith(QStringLiteral("Class 1 · 2 e-nodes")));
        QCOMPARE(shown.child<QTableView>("egraphMembers")->model()->rowCount(), 2);
        // What is not drawn is gone to.
        table->setFocus();
        shown.child<QLineEdit>("egraphSearch")->setText(QStringLiteral("leaf200"));
        QTRY_COMPARE(shown.listed(), std::vector<QString>{QStringLiteral("200")});
        QTest::keyClick(table, Qt::Key_Down);
        QVERIFY(shown.settle());
        QCOMPARE(shown.boxes(), QStringLiteral("199 200 201"));
        QVERIFY(graph.selected().has_value());
        QVERIFY2(shown.footer().startsWith(QLatin1String("3 of 300 classes: those around 200")),
                 qPrintable(shown.footer()));
        shown.click("egraphReset");
        QCOMPARE(shown.boxes(), QStringLiteral("0 1"));
    }

    void boxesAreExpandedHiddenAndIsolated() {
        Shown shown;
        QVERIFY(shown.open(test::chainText(30)));
        GraphView& graph = shown.graph();
        graph.setFocus();
        shown.choose("1");
        QTest::keyClick(&graph, Qt::Key_Return);
        QVERIFY(shown.settle());
        QCOMPARE(shown.boxes(), QStringLiteral("0 1 2"));
        QTest::keyClick(&graph, Qt::Key_Return);
        QVERIFY(shown.settle());
        QCOMPARE(shown.boxes(), QStringLiteral("0 1"));
        QTest::keyClick(&graph, Qt::Key_C);
        QVERIFY(shown.settle());
        QVERIFY(shown.view.picture().graph.nodes[1].rows.empty());
        QTest::keyClick(&graph, Qt::Key_S);
        QVERIFY(shown.settle());
        QCOMPARE(shown.boxes(), QStringLiteral("0"));
        QVERIFY2(shown.footer().contains(QLatin1String("1 hidden by you")), qPrintable(shown.footer()));
        QTest::keyClick(&graph, Qt::Key_U);
        QVERIFY(shown.settle());
        QCOMPARE(shown.boxes(), QStringLiteral("0 1 2"));
        QTest::keyClick(&graph, Qt::Key_R);
        QVERIFY(shown.settle());
        QCOMPARE(shown.boxes(), QStringLiteral("0 1"));
        shown.check("egraphExtractionOnly", true);
        QCOMPARE(shown.boxes(), QStringLiteral("0"));
        QVERIFY(!shown.child<QToolButton>("egraphMoreHops")->isEnabled());
    }

    void subsumedNodesAreCrossedOutOrLeftOut() {
        Shown shown;
        QVERIFY(shown.open(R"({"nodes": {"a": {"op": "a", "eclass": "c"},
                                         "b": {"op": "b", "eclass": "c", "cost": 0, "subsumed": true}}})"));
        QCOMPARE(shown.view.picture().graph.nodes[0].rows.size(), std::size_t(2));
        QVERIFY(shown.view.picture().graph.nodes[0].rows[1].faint);
        QVERIFY(shown.view.picture().graph.nodes[0].rows[0].strong);
        shown.check("egraphHideSubsumed", true);
        QCOMPARE(shown.view.picture().graph.nodes[0].rows.size(), std::size_t(1));
    }

    void twoExtractionsAreCompared() {
        // Alone, u and v are cheapest without q; together they are cheapest when they share it.
        Shown shown;
        QVERIFY(shown.open(R"({"nodes": {
            "f": {"op": "f", "children": ["u", "v"], "eclass": "r"},
            "u": {"op": "u", "children": ["q"], "eclass": "u"}, "u2": {"op": "u2", "eclass": "u", "cost": 5},
            "v": {"op": "v", "children": ["q"], "eclass": "v"}, "v2": {"op": "v2", "eclass": "v", "cost": 5},
            "q": {"op": "q", "eclass": "q", "cost": 6}}, "root_eclasses": ["r"]})"));
        const auto pick = [&](const char* name, const char* method) {
            auto* box = shown.child<QComboBox>(name);
            QVERIFY2(box->findData(QLatin1String(method)) >= 0, method);
            box->setCurrentIndex(box->findData(QLatin1String(method)));
        };
        pick("extractA", "tree");
        pick("extractB", "dag");
        QVERIFY(!shown.child<QToolButton>("extractNext")->isVisible());
        shown.click("extractRun");
        const auto* table = shown.child<QTableWidget>("extractTable");
        QVERIFY(table->isVisible());
        QCOMPARE(table->item(0, 0)->text(), QStringLiteral("11"));  // f, u2, v2
        QCOMPARE(table->item(1, 0)->text(), QStringLiteral("9"));   // f, u, v, q once
        QCOMPARE(table->item(1, 1)->text(), QStringLiteral("15"));  // q twice
        QCOMPARE(shown.child<QLabel>("extractSummary")->text(), QStringLiteral("A and B differ in 3 classes."));
        const auto row = [&](const char* id, std::size_t at) {
            const auto box = shown.view.picture().boxOf(test::classOf(*shown.document.snapshot(), id));
            return shown.view.picture().graph.nodes[*box].rows[at];
        };
        QCOMPARE(row("r", 0).tag, QStringLiteral("AB"));
        QCOMPARE(row("r", 0).frame, Qt::NoPen);
        QCOMPARE(row("u", 0).tag, QStringLiteral("B"));
        QCOMPARE(row("u", 0).frame, Qt::DashLine);
        QCOMPARE(row("u", 1).tag, QStringLiteral("A"));
        QCOMPARE(row("u", 1).frame, Qt::SolidLine);
        QVERIFY(test::takePictures(shown.view, QStringLiteral("egraph-compared")));
        QStringList visited;
        for (int i = 0; i < 4; ++i) {
            shown.click("extractNext");
            visited << QString::fromStdString(shown.document.snapshot()->classes[*shown.view.selected()].id);
        }
        QCOMPARE(visited.join(QLatin1Char(' ')), QStringLiteral("u v q u"));
        shown.click("extractClear");
        QVERIFY(row("u", 0).tag.isEmpty());
        QVERIFY(!table->isVisible());
    }

    void extractionThatCannotBeSaysWhy() {
        Shown shown;
        QVERIFY(shown.open(
            R"({"nodes": {"f": {"op": "f", "children": ["f"], "eclass": "loop"}}, "root_eclasses": ["loop"]})"));
        shown.click("extractRun");
        QVERIFY2(shown.child<QLabel>("extractSummary")->text().startsWith(QLatin1String("tree: ")),
                 qPrintable(shown.child<QLabel>("extractSummary")->text()));
    }

    void headersSortTheList() {
        Shown shown;
        QVERIFY(shown.open(test::ShiftText));
        auto* table = shown.child<QTableView>("egraphClasses");
        table->sortByColumn(ClassListModel::IdColumn, Qt::DescendingOrder);
        QVERIFY(shown.settle());
        QCOMPARE(shown.listed().front(), QStringLiteral("p"));
    }

    void realFilesWhereTheyAre_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(MITOS_SOURCE_DIR "/../shared/data/egraphs"));
        for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("*.json")}, QDir::Files)) {
            QTest::newRow(qPrintable(file.fileName())) << file.absoluteFilePath();
        }
        if (!folder.exists()) QTest::newRow("none") << QString();
    }
    void realFilesWhereTheyAre() {
        QFETCH(QString, path);
        if (path.isEmpty()) QSKIP("the published e-graphs are not on this machine");
        Shown shown;
        shown.document.openFile(path);
        QVERIFY(shown.settle());
        QVERIFY(shown.document.isOpen());
        QCOMPARE(shown.listed().size(), shown.document.snapshot()->classes.size());
        QVERIFY(!shown.view.picture().classes.empty());
        QVERIFY(shown.view.picture().classes.size() <= EGraphScope::UsualLimit);
        QVERIFY(test::takePictures(shown.view, QStringLiteral("egraph-") + QFileInfo(path).completeBaseName()));
    }

    void pictures() {
        Shown shown;
        QVERIFY(shown.open(test::ShiftText));
        shown.choose("p");
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.view, QStringLiteral("egraph-small")));
    }
};

MITOS_TEST(TestEGraph)

}  // namespace tst_egraph

#include "tst_egraph.moc"
