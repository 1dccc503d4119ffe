// SPDX-License-Identifier: GPL-3.0-or-later
// Coarsening in the perspective Gradient: the region tree, the steps to the closed forms, gradients in chosen parameters.
#include "tests/gui/gradient_desk.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTableWidget>
#include <QTreeWidget>
#include <algorithm>

namespace tst_gradient_coarsening {

using namespace mitos;
using namespace mitos::views;
using test::showGradient;
using Shown = test::GradientDesk;

namespace {

/// The state is multiplied and added to in each iteration: a power and a geometric sum.
constexpr const char* Loop =
    "(def f Float ((x : Float) (a : Float) (n : Integer)) (let (s (fold (lam (p : (Tuple Float Integer)) (add (mul a "
    "(get$1$2 p)) x)) x (build n (lam (i : Integer) i)))) (mul (sin s) (exp a))))\n";
constexpr const char* Product = "(def g Float ((x : Float) (y : Float)) (mul (sin x) (exp y)))\n";

enum Page { Derivative, Regions, Steps };

void coarsen(Shown& shown) {
    QTest::mouseClick(&shown.child<QCheckBox>("gradientCoarsen"), Qt::LeftButton, {}, {8, 8});
}
void showPage(Shown& shown, int page) { shown.child<QTabBar>("gradientPages").setCurrentIndex(page); }

/// The rows of the region tree: kind, size, verdict, segment, definitions.
QStringList rowsOf(const QTreeWidget& tree) {
    QStringList rows;
    for (QTreeWidgetItemIterator it(const_cast<QTreeWidget*>(&tree)); *it != nullptr; ++it) {
        QStringList texts;
        for (int column = 0; column < tree.columnCount(); ++column) texts << (*it)->text(column);
        rows << texts.join(QStringLiteral(" | "));
    }
    return rows;
}

}  // namespace

class TestGradientCoarsening : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void withoutCoarseningThereAreNoRegions() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        showPage(shown, Regions);
        auto& empty = shown.child<EmptyState>("gradientNotCoarsened");
        QVERIFY(empty.isVisible());
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-not-coarsened")));
        empty.findChild<QPushButton*>()->click();
        QVERIFY(shown.settle());
        QVERIFY(shown.child<QCheckBox>("gradientCoarsen").isChecked());
        QVERIFY(shown.child<QTreeWidget>("gradientRegions").isVisible());
    }

    void theWholeFunctionIsOneSegment() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        QVERIFY(shown.settle());
        QVERIFY2(!shown.derivative().text().contains(u"fold"), qPrintable(shown.derivative().text()));
        showPage(shown, Regions);
        auto& tree = shown.child<QTreeWidget>("gradientRegions");
        QCOMPARE(rowsOf(tree), (QStringList{QStringLiteral("function | 17 of 600 | small | 1 | s, result"),
                                            QStringLiteral("loop | 14 of 600 | small | 1 | s"),
                                            QStringLiteral("block | 2 of 600 | small | 1 | result"),
                                            QStringLiteral("block | 0 of 600 | small | 1 | result"),
                                            QStringLiteral("block | 3 of 600 | small | 1 | result")}));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-regions")));
    }

    void theSizeLimitMakesSegments() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        shown.child<QSpinBox>("gradientSizeLimit").setValue(5);
        QVERIFY(shown.settle());
        showPage(shown, Regions);
        auto& tree = shown.child<QTreeWidget>("gradientRegions");
        QCOMPARE(rowsOf(tree), (QStringList{QStringLiteral("function | – | large | – | s, result"),
                                            QStringLiteral("loop | 14 of 5 | large | – | s"),
                                            QStringLiteral("block | 2 of 5 | small | 1 | result"),
                                            QStringLiteral("block | 0 of 5 | small | – | result"),
                                            QStringLiteral("block | 3 of 5 | small | 2 | result")}));
        // The definitions of a region are marked in the function, and a click there selects the region.
        auto& text = shown.child<CodeView>("gradientRegionText");
        shown.showTexts(1);
        const auto block = tree.findItems(QStringLiteral("block"), Qt::MatchExactly | Qt::MatchRecursive);
        QCOMPARE(block.size(), 3);
        tree.setCurrentItem(block.back());
        QCOMPARE(Shown::marked(text), QStringLiteral("(mul (sin s) (exp a))"));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-segments")));
        Shown::clickOn(text, QStringLiteral("fold"));
        QVERIFY(tree.currentItem() != nullptr);
        QCOMPARE(tree.currentItem()->text(0), QStringLiteral("loop"));
        // Enter shows the steps of the region's segment.
        tree.setCurrentItem(block.back());
        QTest::keyClick(&tree, Qt::Key_Return);
        QCOMPARE(shown.child<QTabBar>("gradientPages").currentIndex(), static_cast<int>(Steps));
        QCOMPARE(shown.child<QComboBox>("gradientSegment").currentText(), QStringLiteral("2, 0 steps"));
        QVERIFY(shown.settle());
        QVERIFY(!shown.child<QPushButton>("gradientOpenSteps").isEnabled());
    }

    void theStepsToTheClosedFormAreWalked() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        QVERIFY(shown.settle());
        showPage(shown, Steps);
        auto& steps = shown.child<QTableWidget>("gradientSteps");
        QVERIFY(steps.rowCount() > 1);
        QStringList rules;
        for (int row = 1; row < steps.rowCount(); ++row) rules << steps.item(row, 0)->text();
        QVERIFY2(rules.contains(QStringLiteral("loop_of_affine")), qPrintable(rules.join(QLatin1Char(' '))));
        QCOMPARE(steps.currentRow(), 1);
        // The change is marked on both sides.
        const int closing = static_cast<int>(rules.indexOf(QStringLiteral("loop_of_affine"))) + 1;
        steps.setCurrentCell(closing, 0);
        QVERIFY(shown.settle());
        shown.showTexts(1);
        auto& before = shown.child<CodeView>("gradientBefore");
        auto& after = shown.child<CodeView>("gradientAfter");
        QVERIFY(before.text().contains(u"fold") && !after.text().contains(u"fold"));
        QVERIFY(!before.marks(CodeView::Mark::Removed).empty());
        QVERIFY(!after.marks(CodeView::Mark::Added).empty());
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-steps")));
        shown.click("gradientNext");
        QVERIFY(shown.settle());
        QCOMPARE(steps.currentRow(), std::min(closing + 1, steps.rowCount() - 1));
        while (shown.child<QPushButton>("gradientPrevious").isEnabled()) shown.click("gradientPrevious");
        QVERIFY(shown.settle());
        QCOMPARE(steps.currentRow(), 0);
        QVERIFY(after.isHidden() || !after.isVisible());
    }

    void theStepsJoinTheHistory() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        QVERIFY(shown.settle());
        showPage(shown, Steps);
        const int steps = shown.child<QTableWidget>("gradientSteps").rowCount() - 1;
        const std::size_t states = shown.document.history().size();
        shown.click("gradientOpenSteps");
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.document.history().size(), states + static_cast<std::size_t>(steps));
        QCOMPARE(shown.failures, QStringList());
        // Undo leads back, and the derivative follows.
        shown.document.undo();
        QVERIFY(shown.settle());
        QCOMPARE(shown.failures, QStringList());
        QVERIFY(!shown.derivative().text().isEmpty());
    }

    void aGradientInChosenParametersIsMadeAndChecked() {
        Shown shown;
        QVERIFY(shown.load(Product));
        shown.showTexts(1);
        const auto actions = shown.child<QMenu>("gradientParametersMenu").actions();
        const auto y = std::ranges::find(actions, QStringLiteral("y"), &QAction::text);
        QVERIFY(y != actions.end());
        (*y)->trigger();
        QCoreApplication::processEvents();
        QVERIFY(shown.settle());
        QVERIFY2(shown.derivative().text().startsWith(u"(def g_gradient Float"), qPrintable(shown.derivative().text()));
        QVERIFY(!shown.derivative().text().contains(u"cos"));
        Shown::clickOn(shown.function(), QStringLiteral("exp"));
        QVERIFY2(shown.links().contains(u"come"), qPrintable(shown.links()));
        shown.click("gradientCheck");
        QTRY_VERIFY2(shown.result().startsWith(u"✓"), qPrintable(shown.result()));
        QVERIFY2(shown.result().contains(u"the gradient in the chosen parameters deviates from reverse by 0"),
                 qPrintable(shown.result()));
    }

    void aCoarsenedGradientIsChecked() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        QVERIFY(shown.settle());
        shown.click("gradientCheck");
        QTRY_VERIFY2(shown.result().startsWith(u"✓"), qPrintable(shown.result()));
    }

    void aWidthLaysOutAnewAndKeepsTheStep() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        QVERIFY(shown.settle());
        showPage(shown, Steps);
        QVERIFY(shown.settle());
        auto& steps = shown.child<QTableWidget>("gradientSteps");
        steps.setCurrentCell(4, 0);
        QVERIFY(shown.settle());
        showPage(shown, Derivative);
        shown.showTexts(1);
        const QString wide = shown.derivative().text();
        shown.view.resize(900, 600);
        QTRY_VERIFY(shown.derivative().text() != wide);
        QVERIFY(shown.settle());
        showPage(shown, Steps);
        QCOMPARE(steps.currentRow(), 4);
    }

    void whatHasNoDerivativeIsShownWithItsPlace() {
        Shown shown;
        QVERIFY(shown.load(
            "(def g Float (x : Float) (mul 2.0 ($check (lam (y : Float) y) (lam (p : (Tuple Float Float)) (get$2$2 p)) "
            "x 1.0 1.0)))\n(def f Float (x : Float) (add x (g x)))\n"));
        coarsen(shown);
        QVERIFY(shown.settle());
        QVERIFY2(shown.problem().startsWith(u"g has no derivative"), qPrintable(shown.problem()));
        showPage(shown, Regions);
        auto& empty = shown.child<EmptyState>("gradientNotCoarsened");
        QVERIFY2(empty.text().startsWith(u"g has no derivative"), qPrintable(empty.text()));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-regions-problem")));
        empty.findChild<QPushButton*>()->click();
        auto* show = shown.child<EmptyState>("gradientProblem").findChild<QPushButton*>();
        QVERIFY(show->isVisible());
        QCOMPARE(show->text(), QStringLiteral("Show g"));
    }

    void aCoarseningIsStopped() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        QVERIFY(shown.child<QPushButton>("gradientStop").isVisible());
        shown.click("gradientStop");
        QVERIFY(shown.settle());
        QVERIFY(!shown.child<QPushButton>("gradientStop").isVisible());
        // It may have ended before.
        auto* again = shown.child<EmptyState>("gradientProblem").findChild<QPushButton*>();
        if (again->isVisible()) {
            QCOMPARE(shown.problem(), QStringLiteral("Stopped."));
            again->click();
            QVERIFY(shown.settle());
        }
        QVERIFY2(!shown.derivative().text().contains(u"fold"), qPrintable(shown.derivative().text()));
    }

    void anotherProgramIsOpenedAfterCoarsening() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        coarsen(shown);
        QVERIFY(shown.settle());
        showPage(shown, Regions);
        QVERIFY(shown.load(Product));
        QVERIFY(!shown.child<QCheckBox>("gradientCoarsen").isChecked());
        QCOMPARE(shown.child<QTabBar>("gradientPages").currentIndex(), 0);
        QCOMPARE(shown.child<QTreeWidget>("gradientRegions").topLevelItemCount(), 0);
    }

    void aProgramIsClosedDuringCoarsening() {
        Shown shown;
        QVERIFY(shown.load(Loop));
        showPage(shown, Steps);
        coarsen(shown);
        shown.document.leave();
        QVERIFY(shown.settle());
        QVERIFY(shown.child<EmptyState>("gradientEmpty").isVisible());
        QVERIFY(shown.load(Product));
        QCOMPARE(shown.function().text().isEmpty(), false);
    }

    // --- the window ---

    void aSegmentIsOpenedAsAProgram() {
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("gradients/descent.ks")));
        QVERIFY(showGradient(shown));
        QTest::mouseClick(shown.child<QCheckBox>("gradientCoarsen"), Qt::LeftButton, {}, {8, 8});
        shown.child<QSpinBox>("gradientSizeLimit")->setValue(30);
        QVERIFY(shown.settle());
        shown.child<QTabBar>("gradientPages")->setCurrentIndex(Steps);
        QVERIFY(shown.settle());
        for (const QSize size : {QSize(1280, 800), QSize(1024, 640)}) {
            shown.window.resize(size);
            QVERIFY(shown.settle());
            for (const int page : {Derivative, Regions, Steps}) {
                shown.child<QTabBar>("gradientPages")->setCurrentIndex(page);
                QVERIFY(shown.settle());
                QVERIFY(test::takePictures(shown.window,
                                           QStringLiteral("gradient-descent-%1-%2").arg(page).arg(size.width())));
            }
        }
        auto* steps = shown.child<QTableWidget>("gradientSteps");
        const int count = steps->rowCount() - 1;
        QVERIFY(count > 0);
        QTest::mouseClick(shown.child<QPushButton>("gradientOpenSteps"), Qt::LeftButton);
        QTRY_VERIFY2(shown.window.document().title().contains(u"segment"), qPrintable(shown.window.document().title()));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.window.document().history().size(), static_cast<std::size_t>(count) + 1);
        QVERIFY(shown.settle());
        // The session has the steps, whose rules are not those in force.
        const QString session = shown.window.document().sessionPath();
        QVERIFY(shown.open(test::sample("gradients/gmm.ks")));
        QTRY_VERIFY(shown.window.document().title().contains(u"gmm"));
        QVERIFY(shown.open(session));
        QTRY_VERIFY(shown.window.document().title().contains(u"segment"));
        QCOMPARE(shown.window.document().history().size(), static_cast<std::size_t>(count) + 1);
    }
};

MITOS_TEST(TestGradientCoarsening)

}  // namespace tst_gradient_coarsening

#include "tst_gradient_coarsening.moc"
