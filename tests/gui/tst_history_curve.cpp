// SPDX-License-Identifier: GPL-3.0-or-later
// The history tree and the cost curve: what they show, and that clicks and keys walk the history.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "views/common/empty_state.h"
#include "views/cost_curve/cost_curve_view.h"
#include "views/cost_curve/path_curve.h"
#include "views/cost_curve/qcustomplot_wrapper.h"
#include "views/cost_curve/run_curves.h"
#include "views/history/history_view.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>

using namespace mitos;
using namespace mitos::views;
using rewrite::StateId;

namespace {

/// Two steps make it cheaper one after the other, so that every search finds a way.
constexpr const char* SearchText = "(add (mul a b) (add (mul a c) (mul 1.0 (add 0.0 d))))\n";

struct Bench : test::Desk {
    HistoryView history{document, selection};
    CostCurveView curve{document, selection};

    Bench() {
        history.resize(420, 420);
        curve.resize(760, 300);
        history.show();
        curve.show();
    }
    [[nodiscard]] bool load(const char* text) { return open(QString::fromUtf8(text)); }
    [[nodiscard]] bool step(const char* rule) {
        const auto found = test::findStep(document, rule);
        if (!found) return false;
        document.apply(*found);
        return settle();
    }
    [[nodiscard]] RunNumber search(const char* strategy, std::uint64_t evaluations = 400) {
        SearchSettings settings;
        settings.strategy = QString::fromUtf8(strategy);
        settings.budget.evaluations = evaluations;
        settings.seed = 5;
        const RunNumber run = document.startSearch(settings);
        return settle(60'000) ? run : 0;
    }
    template <typename T>
    [[nodiscard]] static T& part(QWidget& view, const char* name) {
        T* found = view.findChild<T*>(QString::fromUtf8(name));
        if (found == nullptr) qFatal("no %s", name);
        return *found;
    }
    [[nodiscard]] QTreeView& tree() { return part<QTreeView>(history, "historyTree"); }
    [[nodiscard]] HistoryModel& model() { return *qobject_cast<HistoryModel*>(tree().model()); }
    /// The rows below one as "text", indented by level.
    [[nodiscard]] QStringList outline(const QModelIndex& parent = {}, int level = 0) {
        QStringList lines;
        for (int row = 0; row < model().rowCount(parent); ++row) {
            const QModelIndex index = model().index(row, HistoryModel::StateColumn, parent);
            lines << QString(level * 2, QLatin1Char(' ')) + index.data().toString();
            lines += outline(index, level + 1);
        }
        return lines;
    }
    [[nodiscard]] StateId current() const { return document.history().current(); }
    [[nodiscard]] PathCurve& path() { return part<PathCurve>(curve, "pathCurve"); }
    [[nodiscard]] RunCurves& runs() { return part<RunCurves>(curve, "runCurves"); }
};

void click(QTreeView& tree, const QModelIndex& index) {
    const QPoint place = tree.visualRect(index).center();
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, place);
    QTest::mouseDClick(tree.viewport(), Qt::LeftButton, {}, place);
}

}  // namespace

class TestHistoryCurve : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QApplication::setPalette(Theme::lightPalette());
    }

    void init() { QDir(Document::sessionFolder()).removeRecursively(); }

    // --- history ---

    void stepsStandInALineAndBranchesBelow() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.model());
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(Bench::part<QLabel>(bench.history, "historyHint").isVisible());
        QVERIFY(bench.step("commute_add"));
        QVERIFY(bench.step("add_of_muls"));
        bench.document.checkout(StateId(1));
        QVERIFY(bench.step("commute_add"));  // back to the start: a branch that is a link
        QCOMPARE(bench.outline(), QStringList({QStringLiteral("start"), QStringLiteral("commute_add → @ /"),
                                               QStringLiteral("  ↳ commute_add → @ /  ↺ same as #0"),
                                               QStringLiteral("★ add_of_muls → @ /")}));
        QVERIFY(!Bench::part<QLabel>(bench.history, "historyHint").isVisible());
        const QModelIndex best = bench.model().indexOf(StateId(2));
        QVERIFY(best.siblingAtColumn(HistoryModel::DeltaColumn).data().toString().startsWith(QStringLiteral("▼ −")));
    }

    void doubleClickAndEnterCheckOut() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(bench.step("commute_add"));
        QVERIFY(bench.step("add_of_muls"));
        click(bench.tree(), bench.model().indexOf(StateId(0)));
        QCOMPARE(bench.current(), StateId(0));
        QVERIFY(bench.model().indexOf(StateId(0)).data(Qt::FontRole).value<QFont>().bold());
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), bench.model().indexOf(StateId(0)));

        bench.tree().setFocus();
        QTest::keyClick(&bench.tree(), Qt::Key_Down);
        QTest::keyClick(&bench.tree(), Qt::Key_Return);
        QCOMPARE(bench.current(), StateId(1));
    }

    void buttonsWalk() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        auto& undo = Bench::part<QToolButton>(bench.history, "historyUndo");
        auto& redo = Bench::part<QToolButton>(bench.history, "historyRedo");
        auto& best = Bench::part<QToolButton>(bench.history, "historyBest");
        QVERIFY(!undo.isEnabled() && !redo.isEnabled() && !best.isEnabled());
        QVERIFY(bench.step("add_of_muls"));
        QVERIFY(undo.isEnabled() && !redo.isEnabled() && !best.isEnabled());
        QTest::mouseClick(&undo, Qt::LeftButton);
        QCOMPARE(bench.current(), StateId(0));
        QVERIFY(!undo.isEnabled() && redo.isEnabled() && best.isEnabled());
        QTest::mouseClick(&redo, Qt::LeftButton);
        QCOMPARE(bench.current(), StateId(1));
        QTest::mouseClick(&undo, Qt::LeftButton);
        QTest::mouseClick(&best, Qt::LeftButton);
        QCOMPARE(bench.current(), StateId(1));
    }

    void f2Renames() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(bench.step("add_of_muls"));
        bench.tree().setFocus();
        bench.tree().setCurrentIndex(bench.model().indexOf(StateId(1)));
        QTest::keyClick(&bench.tree(), Qt::Key_F2);
        auto* editor = bench.tree().findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        editor->setText(QStringLiteral("factored"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(bench.document.history().state(StateId(1)).marks.name),
                     QStringLiteral("factored"));
        QVERIFY(bench.model().indexOf(StateId(1)).data().toString().contains(QStringLiteral("factored")));
    }

    void aRunFoldsUnderOneRowAndGrowingKeepsWhatWasOpen() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.model());
        QVERIFY(bench.load(SearchText));
        const RunNumber run = bench.search("astar");
        QVERIFY(run != 0);
        const Run* found = bench.document.run(run);
        QVERIFY(found != nullptr && found->resultState.isValid());
        const auto steps = bench.document.history().size() - 1;
        QVERIFY(steps > 0);

        const QModelIndex row = bench.model().outermostIndexOf(found->resultState);
        QVERIFY(bench.model().isRun(row));
        QCOMPARE(bench.model().rowCount(row), static_cast<int>(steps));
        QVERIFY(row.data().toString().startsWith(QStringLiteral("★ astar #1: %1 steps").arg(steps)));
        QVERIFY(!bench.tree().isExpanded(row));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), row);  // its end is current, so it stays folded

        bench.tree().expand(row);
        bench.document.checkout(StateId(0));
        QVERIFY(bench.step("commute_mul"));
        QVERIFY(bench.tree().isExpanded(bench.model().outermostIndexOf(found->resultState)));
        QVERIFY(test::takePictures(bench.history, QStringLiteral("history")));

        click(bench.tree(), bench.model().outermostIndexOf(found->resultState));
        QCOMPARE(bench.current(), found->resultState);
    }

    // --- cost curve ---

    void pathShowsTheWayAndClicksWalkIt() {
        Bench bench;
        QVERIFY(Bench::part<EmptyState>(bench.curve, "emptyState").isVisible());
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(bench.step("new_bind"));
        QVERIFY(bench.step("delete_let") || bench.step("inline_let"));
        QVERIFY(bench.step("add_of_muls"));
        QTRY_VERIFY(bench.path().replots() > 0);
        QCOMPARE(bench.path().states().size(), std::size_t{4});
        QCOMPARE(bench.path().currentStep(), std::size_t{3});
        QTest::qWait(80);
        QVERIFY(test::takePictures(bench.curve, QStringLiteral("curve-path")));

        const QPoint second = bench.path().placeOf(1).toPoint();
        QTest::mouseClick(&bench.path().plot(), Qt::LeftButton, {}, second);
        QCOMPARE(bench.current(), StateId(1));
        QCOMPARE(bench.path().states().size(), std::size_t{4});  // the way ahead stays visible
        QTest::mouseClick(&bench.path().plot(), Qt::LeftButton, {}, second + QPoint(0, 60));
        QCOMPARE(bench.current(), StateId(1));

        QTest::keyClick(&bench.path().plot(), Qt::Key_Right);
        QCOMPARE(bench.current(), StateId(2));
        QTest::keyClick(&bench.path().plot(), Qt::Key_Left);
        QTest::keyClick(&bench.path().plot(), Qt::Key_Left);
        QTest::keyClick(&bench.path().plot(), Qt::Key_Left);  // nothing before the start
        QCOMPARE(bench.current(), StateId(0));
    }

    void runsAreDrawnWhileTheySearch() {
        Bench bench;
        QVERIFY(bench.load(SearchText));
        Bench::part<QComboBox>(bench.curve, "curveWhat").setCurrentIndex(1);
        QCOMPARE(Bench::part<EmptyState>(bench.curve, "emptyState").text(),
                 QStringLiteral("Run a search to see cost over time."));
        QVERIFY(!Bench::part<QPushButton>(bench.curve, "emptyStateAction").isVisible());  // nobody would answer it

        SearchSettings settings;
        settings.strategy = QStringLiteral("random");
        settings.budget.seconds = 600;
        const int before = bench.runs().replots();
        QElapsedTimer clock;
        clock.start();
        const RunNumber live = bench.document.startSearch(settings);
        QTRY_VERIFY(bench.runs().pointCount(live) > 0);
        QTest::qWait(500);
        const int replots = bench.runs().replots() - before;
        QVERIFY2(replots <= 3 + clock.elapsed() / 50, qPrintable(QString::number(replots)));
        bench.document.stopRun(live);
        QVERIFY(bench.settle());

        bench.document.checkout(StateId(0));
        const RunNumber best = bench.search("astar");
        QVERIFY(best != 0);
        bench.document.checkout(StateId(0));
        QVERIFY(bench.search("greedy") != 0);
        QCOMPARE(bench.runs().curveCount(), std::size_t{3});
        auto& logarithmic = Bench::part<QCheckBox>(bench.curve, "curveLogarithmic");
        QVERIFY(logarithmic.isEnabled());
        QVERIFY(test::takePictures(bench.curve, QStringLiteral("curve-runs")));
        logarithmic.setChecked(true);
        QTest::qWait(120);
        QCOMPARE(bench.runs().plot().yAxis->scaleType(), QCPAxis::stLogarithmic);
        QVERIFY(test::takePictures(bench.curve, QStringLiteral("curve-runs-log")));
        Bench::part<QComboBox>(bench.curve, "curveAxis").setCurrentIndex(1);
        QTest::qWait(120);
        QCOMPARE(bench.runs().plot().xAxis->label(), QStringLiteral("seconds"));
        QCOMPARE(bench.runs().curveCount(), std::size_t{3});

        // The end of a curve belongs to its run, and a click goes to what it found.
        Bench::part<QComboBox>(bench.curve, "curveAxis").setCurrentIndex(0);
        logarithmic.setChecked(false);
        QTest::qWait(120);
        bench.document.checkout(StateId(0));
        QCustomPlot& plot = bench.runs().plot();
        const QCPGraph& graph = *plot.graph(1);
        const QPointF end(plot.xAxis->coordToPixel(graph.dataMainKey(graph.dataCount() - 1)),
                          plot.yAxis->coordToPixel(graph.dataMainValue(graph.dataCount() - 1)));
        const RunNumber clicked = bench.runs().runAt(end);
        QVERIFY(clicked != 0);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, end.toPoint());
        QCOMPARE(bench.selection.run(), clicked);
        QCOMPARE(bench.current(), bench.document.run(clicked)->resultState);

        bench.document.discardRun(live);
        QCOMPARE(bench.runs().curveCount(), std::size_t{2});
    }
};

QTEST_MAIN(TestHistoryCurve)
#include "tst_history_curve.moc"
