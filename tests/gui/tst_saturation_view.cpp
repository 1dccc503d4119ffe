// SPDX-License-Identifier: GPL-3.0-or-later
// Saturating a program from the window: growth, heatmap, iterations, the way to the smallest program, and why things
// are equal.
#include "core/dialects/dialects.h"
#include "search/saturation/saturation.h"
#include "tests/cli/cli_process.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_egraphs.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/egraph/class_list_model.h"
#include "views/egraph/egraph_view.h"
#include "views/main_window/internal/message_bar.h"
#include "views/saturation/internal/growth_chart.h"
#include "views/saturation/internal/heatmap_model.h"
#include "views/saturation/saturation_view.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QJsonArray>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolButton>

namespace tst_saturation_view {

using namespace mitos;
using namespace mitos::views;

namespace {

/// Two iterations of three rules, of which the second finds nothing and the third is banned in the end.
egraph::SaturationReport smallReport() {
    egraph::SaturationReport report;
    report.rules = {"early", "never", "late"};
    report.startNodes = 3;
    report.startClasses = 3;
    egraph::IterationReport first;
    first.nodes = 5;
    first.classes = 4;
    first.rules = {{.matches = 4, .applied = 2, .nodes = 1}, {}, {}};
    egraph::IterationReport second;
    second.nodes = 120;
    second.classes = 40;
    second.rules = {{.matches = 9, .applied = 0}, {}, {.matches = 100, .applied = 100, .nodes = 110, .banned = true}};
    report.iterations = {first, second};
    return report;
}

struct Window : test::ShownWindow {
    /// Opens a program and saturates it with the dialog's values.
    [[nodiscard]] bool saturate(const char* program, int iterations, const char* scheduler = "simple") {
        window.document().openText(QStringLiteral("test"), QLatin1String(program));
        if (!isOpen()) return false;
        trigger("saturate");
        auto* dialog = child<QDialog>("saturateDialog");
        if (dialog == nullptr) return false;
        dialog->findChild<QSpinBox*>(QStringLiteral("parameter.iterations"))->setValue(iterations);
        auto* box = dialog->findChild<QComboBox*>(QStringLiteral("parameter.scheduler"));
        box->setCurrentIndex(box->findText(QLatin1String(scheduler)));
        dialog->accept();
        return settle() && !window.egraph().isSaturating();
    }
    [[nodiscard]] QString label() { return child<QLabel>("iterationLabel")->text(); }
};

}  // namespace

class TestSaturationView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void aHeatmapCounts() {
        HeatmapModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setReport(smallReport());
        const auto at = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.unusedRules(), std::size_t(1));
        QCOMPARE(model.columnCount(), 2);
        QCOMPARE(model.ruleAt(0), QStringLiteral("late"));  // the most in total
        QCOMPARE(at(0, 1), QStringLiteral("100"));
        QCOMPARE(at(1, 0), QStringLiteral("2"));
        QCOMPARE(at(1, 1), QString());
        QCOMPARE(model.index(0, 1).data(HeatmapModel::ShareRole).toDouble(), 1.0);
        QVERIFY(std::abs(model.index(1, 0).data(HeatmapModel::ShareRole).toDouble() - std::log(2) / std::log(100)) <
                1e-9);
        QVERIFY(model.index(1, 1).data(HeatmapModel::ShareRole).toDouble() < 0);
        QVERIFY(model.index(0, 1).data(Qt::ToolTipRole).toString().contains(QLatin1String("banned")));
        model.setOrder(HeatmapModel::Order::FirstUse);
        QCOMPARE(model.ruleAt(0), QStringLiteral("early"));
        model.setCount(HeatmapModel::Count::Matches);
        QCOMPARE(at(0, 1), QStringLiteral("9"));
        model.setCount(HeatmapModel::Count::Nodes);
        model.setOrder(HeatmapModel::Order::Rules);
        QCOMPARE(at(1, 1), QStringLiteral("110"));
        model.setReport({});
        QCOMPARE(model.rowCount(), 0);
    }

    void gainsInTheHeatmap() {
        egraph::SaturationReport report = smallReport();
        HeatmapModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setReport(report);
        QVERIFY(!model.knowsGains());
        QVERIFY(!model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QLatin1String("gain")));
        report.startCost = 1600.0;
        report.iterations[0].cost = 1600.0;
        report.iterations[0].gain = 0.0;
        report.iterations[1].cost = 90.0;
        report.iterations[1].gain = 1510.0;
        report.iterations[1].rules[0].gain = 1500.0;
        report.iterations[1].rules[2].gain = 10.0;
        model.setReport(report);
        QVERIFY(model.knowsGains());
        model.setCount(HeatmapModel::Count::Gain);
        QCOMPARE(model.ruleAt(0), QStringLiteral("early"));  // the most gain in total
        QCOMPARE(model.index(0, 0).data().toString(), QString());
        QVERIFY(model.index(0, 0).data(HeatmapModel::ShareRole).toDouble() < 0);
        QCOMPARE(model.index(0, 1).data().toString(), QLocale().toString(1500));
        QCOMPARE(model.index(0, 1).data(HeatmapModel::ShareRole).toDouble(), 1.0);
        QCOMPARE(model.index(1, 1).data().toString(), QStringLiteral("10"));
        QVERIFY(std::abs(model.index(1, 1).data(HeatmapModel::ShareRole).toDouble() - (1.0 - std::log10(150.0) / 4)) <
                1e-9);
        const QString toolTip = model.index(1, 1).data(Qt::ToolTipRole).toString();
        QVERIFY2(toolTip.contains(QStringLiteral("gain 10 of %1").arg(QLocale().toString(1510))), qPrintable(toolTip));
        model.setOrder(HeatmapModel::Order::FirstUse);
        QCOMPARE(model.ruleAt(0), QStringLiteral("early"));
    }

    void theScaleGetsLighter() {
        double last = -1.0;
        for (int i = 0; i <= 20; ++i) {
            const double light = qGray(Theme::sequential(i / 20.0).rgb());
            QVERIFY(light > last);
            last = light;
        }
        QCOMPARE(Theme::sequential(7.0), Theme::sequential(1.0));
    }

    void aProgramIsSaturated() {
        Window shown;
        QVERIFY(!shown.child<QAction>("saturate")->isEnabled());
        QVERIFY(shown.saturate(test::CancelText, 4));
        QVERIFY(shown.child<QWidget>("egraphView")->isVisible());
        QVERIFY(shown.child<QWidget>("saturationView")->isVisible());
        EGraphDocument& egraph = shown.window.egraph();
        QVERIFY(egraph.hasReport());
        const egraph::SaturationReport& report = egraph.report();
        QCOMPARE(report.startNodes, std::uint64_t(4));  // x, 2, the product, the quotient
        QVERIFY(!report.iterations.empty());
        QCOMPARE(egraph.stepCount(), static_cast<int>(report.iterations.size()) + 1);
        QCOMPARE(egraph.snapshot()->nodes.size(), static_cast<std::size_t>(report.iterations.back().nodes));
        QCOMPARE(shown.child<GrowthChart>("growthChart")->points(), egraph.stepCount());
        QVERIFY2(shown.label().startsWith(QStringLiteral("Iteration %1 of %1").arg(report.iterations.size())),
                 qPrintable(shown.label()));
        // The quotient is x: its class holds x, and the smallest program is x itself.
        const auto& snapshot = *egraph.snapshot();
        const std::uint32_t root = snapshot.roots.front();
        QVERIFY(std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(),
                            [&](const auto& node) { return node.eclass == root && node.op == "x"; }));
        shown.trigger("perspectiveStep");
        QVERIFY(!shown.child<QWidget>("saturationView")->isVisible());
        shown.trigger("perspectiveSaturate");
        QVERIFY(shown.child<QWidget>("saturationView")->isVisible());
    }

    void iterationsAreWalked() {
        Window shown;
        QVERIFY(shown.saturate(test::FactorText, 3));
        EGraphDocument& egraph = shown.window.egraph();
        const int last = egraph.stepCount() - 1;
        QVERIFY(last >= 2);
        auto* slider = shown.child<QSlider>("iterationSlider");
        QCOMPARE(slider->maximum(), last);
        QCOMPARE(slider->value(), last);
        shown.window.activateWindow();
        shown.child<QTableView>("egraphClasses")->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QTest::keyClick(&shown.window, Qt::Key_BracketLeft);
        QCOMPARE(egraph.shownStep(), last - 1);
        QCOMPARE(slider->value(), last - 1);
        slider->setValue(0);
        QCOMPARE(egraph.shownStep(), 0);
        QVERIFY(shown.settle());
        QVERIFY2(shown.label().startsWith(QLatin1String("Before the first")), qPrintable(shown.label()));
        QCOMPARE(shown.child<QTableView>("egraphClasses")->model()->rowCount(),
                 static_cast<int>(egraph.report().startClasses));
        QVERIFY(!shown.child<QToolButton>("iterationBack")->isEnabled());
        QTest::keyClick(&shown.window, Qt::Key_BracketRight);
        QCOMPARE(egraph.shownStep(), 1);
        QVERIFY(shown.settle());
        // What is new in it stands out in the picture.
        const EGraphPicture& picture = shown.window.findChild<EGraphView*>()->picture();
        bool isNew = false;
        for (const GraphNode& box : picture.graph.nodes) {
            for (const GraphRow& row : box.rows) isNew = isNew || row.tag == QLatin1String("+");
        }
        QVERIFY(isNew);
        slider->setValue(0);
        QTest::mouseClick(shown.child<QToolButton>("iterationPlay"), Qt::LeftButton);
        QTRY_COMPARE(egraph.shownStep(), last);
        QTRY_COMPARE(shown.child<QToolButton>("iterationPlay")->text(), QStringLiteral("Play"));
    }

    /// What is hidden or collapsed stays so from iteration to iteration, also past those that do not have the class.
    void whatWasDoneToBoxesStays() {
        Window shown;
        QVERIFY(shown.saturate(test::FactorText, 3));
        EGraphDocument& egraph = shown.window.egraph();
        auto* view = shown.window.findChild<EGraphView*>();
        const int last = egraph.stepCount() - 1;
        const auto snapshot = egraph.snapshot();
        const std::uint32_t root = snapshot->roots.front();
        // Of the classes drawn: b, a product that was there from the start, and one that came later; by one of their e-nodes.
        std::string hidden;
        std::string product;
        std::string later;
        for (const ClassIndex which : view->picture().classes) {
            bool isOld = false;
            std::string id;
            for (const auto& node : snapshot->nodes) {
                if (node.eclass != which || which == root) continue;
                if (id.empty()) id = node.id;
                isOld = isOld || node.iteration == 0;
                if (node.iteration == 0 && node.op == "b") hidden = node.id;
                if (node.iteration == 0 && node.op == "mul") product = node.id;
            }
            if (!isOld && !id.empty()) later = id;
        }
        QVERIFY(!hidden.empty() && !product.empty() && !later.empty());
        const auto classOf = [&](const std::string& id) -> std::optional<ClassIndex> {
            for (const auto& node : egraph.snapshot()->nodes) {
                if (node.id == id) return node.eclass;
            }
            return std::nullopt;
        };
        const auto boxOf = [&](const std::string& id) { return view->picture().boxOf(*classOf(id)); };
        const auto act = [&](const std::string& id, const char* button) {
            view->select(classOf(id));
            QTest::mouseClick(shown.child<QToolButton>(button), Qt::LeftButton);
            QVERIFY(shown.settle());
        };
        act(product, "egraphCollapse");
        act(later, "egraphCollapse");
        act(hidden, "egraphHide");
        const auto isCollapsed = [&](const std::string& id) {
            return boxOf(id) && view->picture().graph.nodes[*boxOf(id)].rows.empty();
        };
        for (const int step : {last, 0, 1, last}) {
            egraph.showStep(step);
            QVERIFY(shown.settle());
            QVERIFY(isCollapsed(product));
            QVERIFY(!boxOf(hidden));
            if (step == 0) QVERIFY(!classOf(later));
            if (step == last) QVERIFY(isCollapsed(later));
        }
        // Until the user wants none of it.
        QTest::mouseClick(shown.child<QToolButton>("egraphReset"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QVERIFY(boxOf(hidden) && !isCollapsed(product) && !isCollapsed(later));
    }

    void theHeatmapFiltersTheList() {
        Window shown;
        QVERIFY(shown.saturate(test::FactorText, 2));
        auto* heatmap = shown.child<QTableView>("heatmap");
        QVERIFY(heatmap->model()->rowCount() > 0);
        const auto* model = qobject_cast<HeatmapModel*>(heatmap->model());
        // The rule that made the most e-nodes; the last iteration.
        shown.child<QComboBox>("heatmapCount")->setCurrentIndex(2);
        const QModelIndex cell = heatmap->model()->index(0, 1);
        QVERIFY(!cell.data().toString().isEmpty());
        QTest::mouseClick(heatmap->viewport(), Qt::LeftButton, {}, heatmap->visualRect(cell).center());
        QVERIFY(shown.settle());
        EGraphDocument& egraph = shown.window.egraph();
        QCOMPARE(egraph.rule(), model->ruleAt(0));
        QCOMPARE(egraph.iteration(), 2U);
        const int found = shown.child<QTableView>("egraphClasses")->model()->rowCount();
        const auto& snapshot = *egraph.snapshot();
        QSet<std::uint32_t> made;
        for (const auto& node : snapshot.nodes) {
            if (node.rule != egraph::Snapshot::None && snapshot.rules[node.rule] == egraph.rule().toStdString()) {
                made.insert(node.eclass);
            }
        }
        QVERIFY(!made.isEmpty());
        QCOMPARE(found, static_cast<int>(made.size()));
        QVERIFY(shown.child<QLabel>("egraphCount")->text().contains(egraph.rule()));
        QTest::mouseClick(shown.child<QToolButton>("egraphAllRules"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QCOMPARE(shown.child<QTableView>("egraphClasses")->model()->rowCount(),
                 static_cast<int>(egraph.snapshot()->classes.size()));
        QVERIFY(!shown.child<QToolButton>("egraphAllRules")->isVisible());
    }

    void gainsAreThoseOfTheRun() {
        Window shown;
        QFile gemm(QStringLiteral(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks"));
        QVERIFY(gemm.open(QIODevice::ReadOnly));
        QVERIFY(shown.saturate(gemm.readAll().constData(), 12, "backoff"));
        const egraph::SaturationReport& report = shown.window.egraph().report();
        QVERIFY(report.startCost.has_value() && report.iterations.back().cost.has_value());
        QVERIFY(shown.label().contains(QRegularExpression(QStringLiteral("cheapest program [^·]+ units ·"))));
        auto* count = shown.child<QComboBox>("heatmapCount");
        const int gain = count->findText(QStringLiteral("Gain"));
        const auto isOffered = [&] { return count->model()->index(gain, 0).flags().testFlag(Qt::ItemIsEnabled); };
        QVERIFY(gain > 0 && isOffered());
        count->setCurrentIndex(gain);
        auto* heatmap = shown.child<QTableView>("heatmap")->model();
        double sum = 0.0;
        for (int row = 0; row < heatmap->rowCount(); ++row) {
            for (int column = 0; column < heatmap->columnCount(); ++column) {
                sum += QLocale().toDouble(heatmap->index(row, column).data().toString());
            }
        }
        const double whole = *report.startCost - *report.iterations.back().cost;
        QVERIFY(whole > 0.0);
        QVERIFY2(std::abs(sum - whole) <= 0.01 * whole, qPrintable(QString::number(sum)));  // cells are rounded
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-saturate-gain")));
        // Where nothing is known about gains, they are not offered.
        const QTemporaryDir folder;
        shown.window.openPath(test::writeText(folder, QStringLiteral("shift.json"), test::ShiftText));
        QVERIFY(shown.settle());
        QTRY_VERIFY(!shown.window.egraph().hasReport());
        QVERIFY(!isOffered());
        QCOMPARE(count->currentIndex(), 0);
    }

    void theCheapestProgramJoinsTheHistory() {
        Window shown;
        QVERIFY(shown.saturate(test::CancelText, 4));
        Document& document = shown.window.document();
        QTest::mouseClick(shown.child<QToolButton>("takeCheapest"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QVERIFY(document.history().size() > 1);
        // x, over the program's parameter.
        QCOMPARE(document.bank().treeSize(document.current().root), std::uint64_t(1));
        const rewrite::HistoryState& end = document.history().state(document.history().current());
        QCOMPARE(end.origin, std::string("saturation #1"));
        QCOMPARE(std::optional(end.cost), shown.window.egraph().cheapestCost());
        shown.trigger("perspectiveStep");
        shown.trigger("toStart");
        QCOMPARE(document.history().current(), document.history().start());
        // There it is again, and nothing new comes.
        const std::size_t states = document.history().size();
        shown.trigger("perspectiveSaturate");
        QTest::mouseClick(shown.child<QToolButton>("takeCheapest"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QCOMPARE(document.history().size(), states);
        QTRY_COMPARE(
            shown.child<MessageBar>("messageBar")->text(),
            QStringLiteral("The history has the steps to this program already; its state is the current one now."));
    }

    /// Also of earlier iterations: the cost shown is that of the program that is taken.
    void whatIsPromisedIsTaken() {
        Window shown;
        QFile gemm(QStringLiteral(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks"));
        QVERIFY(gemm.open(QIODevice::ReadOnly));
        QVERIFY(shown.saturate(gemm.readAll().constData(), 12, "backoff"));
        Document& document = shown.window.document();
        EGraphDocument& egraph = shown.window.egraph();
        QVERIFY(egraph.stepCount() > 3);
        for (const int step : {egraph.stepCount() - 1, 2, 1, egraph.stepCount() - 2}) {
            egraph.showStep(step);
            const std::optional<double> promised = egraph.cheapestCost();
            QVERIFY(promised.has_value());
            QVERIFY2(shown.label().contains(costText(*promised)), qPrintable(shown.label()));
            const double start = document.history().state(document.history().start()).cost;
            if (document.history().current() != document.history().start()) {
                shown.trigger("perspectiveStep");
                shown.trigger("toStart");
                shown.trigger("perspectiveSaturate");
            }
            QTest::mouseClick(shown.child<QToolButton>("takeCheapest"), Qt::LeftButton);
            QVERIFY(shown.settle());
            QCOMPARE(document.history().state(document.history().current()).cost, *promised);
            QVERIFY(*promised <= start);
        }
    }

    void whyTwoNodesAreEqual() {
        Window shown;
        QVERIFY(shown.saturate(test::CancelText, 4));
        auto* view = shown.window.findChild<EGraphView*>();
        view->select(shown.window.egraph().snapshot()->roots.front());
        QVERIFY(shown.settle());
        auto* members = shown.child<QTableView>("egraphMembers");
        auto* why = shown.child<QToolButton>("egraphWhy");
        QVERIFY(why->isVisible() && !why->isEnabled());
        // The program itself, and x.
        const auto rowOf = [&](const QString& start) {
            for (int row = 0; row < members->model()->rowCount(); ++row) {
                const QString text = members->model()->index(row, MemberTableModel::NodeColumn).data().toString();
                const bool first =
                    members->model()->index(row, MemberTableModel::IterationColumn).data() == QLatin1String("0");
                if (first && text.startsWith(start)) return row;
            }
            return -1;
        };
        QVERIFY(rowOf(QStringLiteral("x")) >= 0 && rowOf(QStringLiteral("div(")) >= 0);
        members->selectRow(rowOf(QStringLiteral("x")));
        QVERIFY(!why->isEnabled());
        members->selectionModel()->select(members->model()->index(rowOf(QStringLiteral("div(")), 0),
                                          QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QVERIFY(why->isEnabled());
        QTest::mouseClick(why, Qt::LeftButton);
        QVERIFY(shown.settle());
        auto* dialog = shown.child<QDialog>("explanationDialog");
        QVERIFY(dialog != nullptr && dialog->isVisible());
        const auto* steps = dialog->findChild<QTableWidget*>(QStringLiteral("explanationSteps"));
        QVERIFY(steps->rowCount() >= 2);
        QVERIFY(!steps->item(1, 0)->text().isEmpty());
        // From the program on, whichever was selected first.
        QCOMPARE(steps->item(0, 2)->text(), QStringLiteral("(div (mul x 2.0) 2.0)"));
        QCOMPARE(steps->item(steps->rowCount() - 1, 2)->text(), QStringLiteral("x"));
        QVERIFY(test::takePictures(*dialog, QStringLiteral("explanation")));
        const auto states = static_cast<std::size_t>(steps->rowCount());
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("explanationTake")), Qt::LeftButton);
        QCOMPARE(shown.window.document().history().size(), states);
    }

    /// Two classes: the values differ, and the dialog says on which input; later they turn out to be one class.
    void whyTwoClassesAreNotEqual() {
        Window shown;
        QVERIFY(shown.saturate(test::CancelText, 4));
        auto* classes = shown.child<QTableView>("egraphClasses");
        auto* why = shown.child<QToolButton>("egraphWhyClasses");
        QVERIFY(why->isVisible() && !why->isEnabled());
        const auto rowOf = [&](const QString& operatorName) {
            for (int row = 0; row < classes->model()->rowCount(); ++row) {
                if (classes->model()
                        ->index(row, ClassListModel::ContentColumn)
                        .data()
                        .toString()
                        .startsWith(operatorName))
                    return row;
            }
            return -1;
        };
        const auto choose = [&](int first, int second) {
            classes->selectRow(first);
            classes->selectionModel()->select(classes->model()->index(second, 0),
                                              QItemSelectionModel::Select | QItemSelectionModel::Rows);
        };
        // The whole program and the number 2.
        const int program = rowOf(QStringLiteral("x"));
        const int number = rowOf(QStringLiteral("2"));
        QVERIFY(program >= 0 && number >= 0);
        choose(program, number);
        QVERIFY(why->isEnabled());
        QTest::mouseClick(why, Qt::LeftButton);
        QVERIFY(shown.settle());
        auto* dialog = shown.child<QDialog>("notEqualDialog");
        QVERIFY(dialog != nullptr && dialog->isVisible());
        const QString reason = dialog->findChild<QLabel*>(QStringLiteral("notEqualReason"))->text();
        QVERIFY2(
            reason.startsWith(QLatin1String("They have different values, so no sound rule makes them equal. x = ")),
            qPrintable(reason));
        const QStringList terms{dialog->findChild<QPlainTextEdit*>(QStringLiteral("notEqualFirst"))->toPlainText(),
                                dialog->findChild<QPlainTextEdit*>(QStringLiteral("notEqualSecond"))->toPlainText()};
        QVERIFY2(terms.contains(QStringLiteral("x")) && terms.contains(QStringLiteral("2.0")),
                 qPrintable(terms.join(u' ')));
        QVERIFY(test::takePictures(*dialog, QStringLiteral("not-equal")));
        dialog->close();
        // Before the first iteration the program and x are two classes; the run has made them one.
        shown.window.egraph().showStep(0);
        QVERIFY(shown.settle());
        const int quotient = rowOf(QStringLiteral("div"));
        const int variable = rowOf(QStringLiteral("x"));
        QVERIFY(quotient >= 0 && variable >= 0);
        choose(quotient, variable);
        QTest::mouseClick(why, Qt::LeftButton);
        QVERIFY(shown.settle());
        auto* explanation = shown.child<QDialog>("explanationDialog");
        QVERIFY(explanation != nullptr && explanation->isVisible());
    }

    void aRunIsStoppedAndKeepsWhatItFound() {
        Window shown;
        shown.window.document().openText(
            QStringLiteral("test"),
            QStringLiteral(
                "(mul a (mul b (mul c (mul d (mul e (mul f (mul g (mul h (add i (add j (add k l)))))))))))"));
        QVERIFY(shown.isOpen());
        EGraphDocument& egraph = shown.window.egraph();
        QVERIFY(egraph.saturate(shown.window.document(), test::saturation(10'000, 5'000'000, 600.0)));
        QTRY_VERIFY_WITH_TIMEOUT(egraph.stepCount() > 2, 20'000);
        QVERIFY(egraph.isSaturating());
        shown.trigger("stop");
        QTRY_VERIFY_WITH_TIMEOUT(!egraph.isSaturating(), 20'000);
        QCOMPARE(egraph.report().stop, egraph::StopReason::Stopped);
        QVERIFY(egraph.stepCount() > 2);
        QVERIFY(shown.label().contains(QLatin1String("stopped")));
        // Another e-graph: the old run's views are empty.
        shown.window.openPath(QStringLiteral("/no/such/file.json"));
        QVERIFY(shown.settle());
        QVERIFY(egraph.hasReport());
    }

    void theSameSettingsGiveTheSameProgram_data() {
        QTest::addColumn<QByteArray>("program");
        QFile gemm(QStringLiteral(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks"));
        QVERIFY(gemm.open(QIODevice::ReadOnly));
        QTest::newRow("ks") << gemm.readAll();
        QTest::newRow("tensor") << QByteArray(test::TwoBranches);
    }

    /// The strategy, `mitos-cli saturate` and the perspective run the same saturation.
    void theSameSettingsGiveTheSameProgram() {
        QFETCH(const QByteArray, program);
        constexpr int Iterations = 3;
        constexpr int Nodes = 1500;
        Window shown;
        const QTemporaryDir folder;
        const QString file = test::writeText(folder, QStringLiteral("program.txt"), program);
        QVERIFY(shown.open(file));
        const Document& document = shown.window.document();
        const auto textOf = [](const ir::TermBank& bank, const ir::Program& end) {
            const bool isGraph = bank.function(end.function).sharing == ir::Sharing::Graph;
            return QString::fromStdString(isGraph ? dialects::printProgram(bank, end) : ks::printTerm(bank, end.root));
        };

        const Snapshot start = document.snapshot(document.current());
        struct Unheard final : search::Observer {
            void onEvent(const search::SearchEvent&) override {}
        } unheard;
        search::Budget budget;
        budget.memoryBytes = search::DefaultMemoryBytes;
        const auto searched = search::makeSaturation()->run({.bank = *start.bank,
                                                             .program = start.program,
                                                             .rules = document.rules().directions(),
                                                             .cost = document.sharedCostModel(),
                                                             .budget = budget,
                                                             .parameters = {{"iterations", std::int64_t{Iterations}},
                                                                            {"nodes", std::int64_t{Nodes}},
                                                                            {"scheduler", std::string("simple")}}},
                                                            {}, unheard);
        QVERIFY(searched.ok() && searched->check.valid);
        QVERIFY(searched->bestCost < searched->initialCost);
        const QString expected = textOf(*searched->bank, searched->thread.end());

        const tests::CliResult printed =
            tests::runCli({QStringLiteral("saturate"), QStringLiteral("--program"), file, QStringLiteral("--rules"),
                           QString::fromStdString(document.rules().names()), QStringLiteral("--cost"),
                           QString::fromStdString(document.costModel().info().name), QStringLiteral("--iterations"),
                           QString::number(Iterations), QStringLiteral("--nodes"), QString::number(Nodes),
                           QStringLiteral("--scheduler"), QStringLiteral("simple"), QStringLiteral("--json")});
        QCOMPARE(printed.errors, QByteArray());
        const QJsonObject term = printed.json()[QStringLiteral("terms")].toArray().first().toObject();
        QCOMPARE(term[QStringLiteral("cost")].toDouble(), searched->bestCost);
        QCOMPARE(term[QStringLiteral("smallest")].toString(), expected);

        EGraphDocument& egraph = shown.window.egraph();
        shown.window.saturate(test::saturation(Iterations, Nodes, {}));
        QVERIFY(shown.settle());
        QCOMPARE(egraph.cheapestCost(), std::optional(searched->bestCost));
        QString taken;
        connect(&egraph, &EGraphDocument::threadFound, this,
                [&](const FoundThread& found) { taken = textOf(*found.bank, found.thread.end()); });
        egraph.takeCheapest(document.sharedCostModel());
        QVERIFY(shown.settle());
        QCOMPARE(taken, expected);
    }

    /// A saturation is a run of the session: its report, its thread and its verdict are there again.
    void aStoredSaturationIsShownAgain() {
        QString session;
        egraph::SaturationReport report;
        std::optional<double> cheapest;
        {
            Window shown;
            QVERIFY(shown.saturate(test::CancelText, 4));
            session = shown.window.document().sessionPath();
            report = shown.window.egraph().report();
            cheapest = shown.window.egraph().cheapestCost();
            QVERIFY(!report.iterations.empty() && cheapest);
        }
        Window shown;
        shown.window.openSession(session);
        QVERIFY(shown.isOpen());
        const Document& document = shown.window.document();
        QCOMPARE(document.runs().size(), std::size_t(1));
        const Run& run = document.runs().front();
        QCOMPARE(run.strategy, std::string("saturation"));
        QVERIFY(run.verdict->isGood());
        QCOMPARE(document.history().state(run.resultState).cost, *cheapest);
        EGraphDocument& egraph = shown.window.egraph();
        QVERIFY(egraph.hasReport() && !egraph.isOpen() && !egraph.canExplain());
        QCOMPARE(egraph.cheapestCost(), cheapest);
        QCOMPARE(egraph.report().rules, report.rules);
        QCOMPARE(egraph.report().stop, report.stop);
        QCOMPARE(egraph.report().startCost, report.startCost);
        QCOMPARE(egraph.report().iterations.size(), report.iterations.size());
        for (std::size_t i = 0; i < report.iterations.size(); ++i) {
            QCOMPARE(egraph.report().iterations[i].nodes, report.iterations[i].nodes);
            QCOMPARE(egraph.report().iterations[i].cost, report.iterations[i].cost);
            for (std::size_t rule = 0; rule < report.rules.size(); ++rule) {
                QCOMPARE(egraph.report().iterations[i].rules[rule].applied, report.iterations[i].rules[rule].applied);
                QCOMPARE(egraph.report().iterations[i].rules[rule].gain, report.iterations[i].rules[rule].gain);
            }
        }
        shown.trigger("perspectiveSaturate");
        QVERIFY(shown.settle());
        QCOMPARE(shown.child<GrowthChart>("growthChart")->points(), static_cast<int>(report.iterations.size()) + 1);
        QVERIFY(shown.child<QTableView>("heatmap")->model()->rowCount() > 0);
        QVERIFY2(shown.label().contains(QLatin1String("its e-graphs were not stored")), qPrintable(shown.label()));
        QVERIFY(!shown.child<QToolButton>("takeCheapest")->isVisible());
    }

    void pictures() {
        Window shown;
        QVERIFY(shown.saturate("(div (mul (add a b) (mul x 2.0)) (mul 2.0 (add b a)))", 6, "backoff"));
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("window-saturate")));
        shown.trigger("saturate");
        auto* dialog = shown.child<QDialog>("saturateDialog");
        QVERIFY(test::takePictures(*dialog, QStringLiteral("saturateDialog")));
        dialog->close();
    }
};

MITOS_TEST(TestSaturationView)

}  // namespace tst_saturation_view

#include "tst_saturation_view.moc"
