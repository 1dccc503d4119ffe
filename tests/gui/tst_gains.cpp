// SPDX-License-Identifier: GPL-3.0-or-later
// One number for the gain of a run: against the start of its program in every view, and second against the state where the run began.
#include "tests/gui/history_bench.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/compare/compare_model.h"
#include "views/compare/compare_view.h"
#include "views/compare/internal/compare_charts.h"
#include "views/cost_curve/internal/run_curves.h"
#include "views/history/history_filter.h"
#include "views/main_window/internal/result_banner.h"
#include "views/plot/qcustomplot_wrapper.h"
#include "views/search_dialog/compare_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeView>

namespace tst_gains {

using namespace mitos;
using namespace mitos::views;
using test::part;

namespace {

/// A window with a greedy run from the start (9 → 4), a step from the start that makes the program more expensive (11), and a greedy run
/// from there.
struct TwoRuns : test::ShownWindow {
    QTemporaryDir folder;
    rewrite::StateId later;  ///< where the second run began

    [[nodiscard]] Document& document() { return window.document(); }
    [[nodiscard]] bool prepare() {
        if (!open(test::writeText(folder, QStringLiteral("sum.ks"), test::SearchText)) || !search()) return false;
        document().checkout(document().history().start());
        const auto step = test::findStep(document(), "mul_by_add");
        if (!step) return false;
        document().apply(*step);
        later = document().history().current();
        return settle() && search();
    }
    [[nodiscard]] bool search() {
        auto* strategies = child<QComboBox>("strategy");
        strategies->setCurrentIndex(strategies->findData(QStringLiteral("greedy")));
        trigger("run");
        return settle();
    }
    [[nodiscard]] QString text(const char* label) { return child<QLabel>(label)->text(); }
    [[nodiscard]] HistoryFilter& history() {
        return *qobject_cast<HistoryFilter*>(child<QTreeView>("historyTree")->model());
    }
    [[nodiscard]] HistoryRow row(const QModelIndex& index) {
        return history().history().row(history().mapToSource(index));
    }
    /// The row of the run that found the state.
    [[nodiscard]] HistoryRow runRow(const Run& run) {
        const HistoryModel& model = history().history();
        return model.row(model.outermostIndexOf(run.resultState));
    }
    [[nodiscard]] const Run& run(int number) { return *document().run(number); }
    [[nodiscard]] QStringList curves(const char* name) {
        QStringList names;
        QCustomPlot& plot = part<PlotPanel>(window, name).plot();
        for (int i = 0; i < plot.graphCount(); ++i) {
            if (!plot.graph(i)->name().isEmpty()) names << plot.graph(i)->name();
        }
        return names;
    }
    /// The rows of Compare: strategy, best, change.
    [[nodiscard]] QStringList compared() {
        QStringList rows;
        const QAbstractItemModel& model = *child<QTreeView>("compareRows")->model();
        for (int row = 0; row < model.rowCount(); ++row) {
            const auto cell = [&](int column) { return model.index(row, column).data().toString(); };
            rows << QStringList{cell(CompareModel::StrategyColumn), cell(CompareModel::BestColumn),
                                cell(CompareModel::ChangeColumn)}
                        .join(QStringLiteral(" | "));
        }
        return rows;
    }
};

}  // namespace

class TestGains : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void oneNumberEverywhere() {
        TwoRuns shown;
        QVERIFY(shown.prepare());
        QCOMPARE(shown.document().runs().size(), std::size_t(2));
        QCOMPARE(shown.run(2).startState, shown.later.value);
        QCOMPARE(shown.run(1).bestCost, 4.0);
        QCOMPARE(shown.run(2).initialCost, 11.0);

        // The banner is about the second run.
        QCOMPARE(shown.text("resultCosts"), QStringLiteral("9 → 4 units"));
        QCOMPARE(shown.text("resultChange"), QStringLiteral("▼ −55.6 %"));
        QVERIFY2(shown.text("resultHow").contains(QStringLiteral("from state 6, 11 (▼ −63.6 %)")),
                 qPrintable(shown.text("resultHow")));
        // The history.
        QCOMPARE(shown.runRow(shown.run(1)).change, QStringLiteral("▼ −55.6 %"));
        QCOMPARE(shown.runRow(shown.run(1)).detail, QStringLiteral("5 steps"));
        QCOMPARE(shown.runRow(shown.run(2)).change, QStringLiteral("▼ −55.6 %"));
        QVERIFY2(shown.runRow(shown.run(2)).detail.endsWith(QStringLiteral(", from state 6, 11 (▼ −63.6 %)")),
                 qPrintable(shown.runRow(shown.run(2)).detail));
        // The curves.
        QCOMPARE(shown.curves("runCurves"), (QStringList{QStringLiteral("#1 greedy: 4, ▼ −55.6 %"),
                                                         QStringLiteral("#2 greedy: 4, ▼ −55.6 %, from state 6, 11")}));
        // The status bar.
        QVERIFY2(shown.text("sessionStatus").contains(QStringLiteral("best 4 (▼ −5  −55.6 %)")),
                 qPrintable(shown.text("sessionStatus")));
        // Compare shows the runs of one beginning at a time.
        shown.window.showPerspective(QStringLiteral("compare"));
        auto* from = shown.child<QComboBox>("compareFrom");
        QTRY_COMPARE(from->count(), 2);
        QVERIFY(from->isVisible());
        QCOMPARE(from->itemText(0), QStringLiteral("From the start"));
        QCOMPARE(from->itemText(1), QStringLiteral("From state 6, 11"));
        QTRY_COMPARE(shown.compared(), QStringList{QStringLiteral("Greedy | 4 units | ▼ −55.6 %")});
        QCOMPARE(shown.child<BandChart>("bandChart")->entries().size(), std::size_t(1));
        from->setCurrentIndex(1);
        Q_EMIT from->activated(1);
        QTRY_COMPARE(shown.compared(), QStringList{QStringLiteral("Greedy | 4 units | ▼ −55.6 %")});
        QCOMPARE(shown.child<BandChart>("bandChart")->entries().size(), std::size_t(1));
        QVERIFY(shown.text("compareTitle").contains(QStringLiteral("1 from other states not shown")));
        // The report of what is shown.
        const QString page = shown.folder.filePath(QStringLiteral("report.html"));
        shown.child<CompareView>("compareView")->saveReport(page);
        QVERIFY(shown.settle());
        QFile file(page);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString report = QString::fromUtf8(file.readAll());
        QVERIFY(report.contains(
            QStringLiteral("▼ 55.6 % below the start</span> of <span title=\"9 units\">9 units</span>")));
        QVERIFY(report.contains(QStringLiteral(" and 63.6 % below state 6, <span title=\"11 units\">11 units</span>")));
        QVERIFY(!report.contains(QStringLiteral("no. 1")));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("gains-compare")));
        shown.trigger("perspectiveStep");
        shown.child<QDockWidget>("dockCostCurve")->raise();
        part<QComboBox>(shown.window, "curveWhat").setCurrentIndex(1);
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("gains-window")));
        part<QComboBox>(shown.window, "curveWhat").setCurrentIndex(2);
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("gains-paths")));
    }

    /// The state is chosen in the dialog, where states are named as everywhere else.
    void aComparisonBeginsAtTheStateOfTheDialog() {
        TwoRuns shown;
        QVERIFY(shown.prepare());
        shown.document().mark(shown.later, {.name = "twice x", .note = {}});
        QVERIFY(shown.settle());
        shown.trigger("compareSearches");
        QPointer<QDialog> dialog = shown.child<QDialog>("compareDialog");
        QVERIFY(dialog != nullptr);
        auto& from = part<QComboBox>(*dialog, "compareDialogFrom");
        QCOMPARE(from.itemText(0), QStringLiteral("The start, 9"));
        QVERIFY2(from.itemText(1).startsWith(QStringLiteral("The current state, state ")),
                 qPrintable(from.itemText(1)));
        QCOMPARE(from.itemText(2), QStringLiteral("twice x, 11"));
        QCOMPARE(from.count(), 3);
        QVERIFY(test::takePictures(*dialog, QStringLiteral("compare-dialog-from")));
        auto& list = part<QListWidget>(*dialog, "compareStrategies");
        for (int row = 0; row < list.count(); ++row) {
            const bool isGreedy = list.item(row)->text() == QLatin1String("Greedy");
            list.item(row)->setCheckState(isGreedy ? Qt::Checked : Qt::Unchecked);
        }
        from.setCurrentIndex(2);
        part<QDialogButtonBox>(*dialog, "compareButtons").button(QDialogButtonBox::Ok)->click();
        QTRY_COMPARE(shown.document().runs().size(), std::size_t(3));
        QVERIFY(shown.settle());
        QCOMPARE(shown.run(3).startState, shown.later.value);
        QCOMPARE(shown.run(3).initialCost, 11.0);
        // Compare shows what was just asked, and names the state.
        QTRY_COMPARE(shown.child<QComboBox>("compareFrom")->currentText(), QStringLiteral("From twice x, 11"));
    }

    /// Costs of two models have no common axis: runs under another one are listed beside the curves, with their model.
    void runsUnderAnotherModelAreListedBesideTheCurves() {
        TwoRuns shown;
        QVERIFY(shown.prepare());
        shown.document().setCostModel(QStringLiteral("size"));
        QVERIFY(shown.settle());
        shown.document().checkout(shown.document().history().start());
        shown.child<QDockWidget>("dockCostCurve")->raise();
        part<QComboBox>(shown.window, "curveWhat").setCurrentIndex(1);
        auto& others = part<QLabel>(shown.window, "curveOthers");
        QVERIFY(others.isHidden());  // there is no curve to list them beside
        QVERIFY(shown.search());
        QCOMPARE(shown.curves("runCurves").size(), 1);
        QVERIFY2(shown.curves("runCurves").front().startsWith(QStringLiteral("#3 greedy: ")),
                 qPrintable(shown.curves("runCurves").front()));
        QVERIFY(others.isVisible());
        QCOMPARE(others.text(), QStringLiteral("Searched under another cost model, so not drawn: #1 greedy (ks-2021), "
                                               "#2 greedy (ks-2021)"));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("gains-two-models")));
        shown.document().setCostModel(QStringLiteral("ks-2021"));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.curves("runCurves").size(), 2);
        QVERIFY2(others.text().endsWith(QStringLiteral(": #3 greedy (size)")), qPrintable(others.text()));
    }
};

MITOS_TEST(TestGains)

}  // namespace tst_gains

#include "tst_gains.moc"
