// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Gradient: derivatives beside their functions, linked selection, the check, the gradient as a program and as a file.
#include "tests/gui/gradient_desk.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/common/widgets.h"
#include "views/gradient/gradient_view.h"
#include "views/program/code_view.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>
#include <algorithm>

namespace tst_gradient_view {

using namespace mitos;
using namespace mitos::views;
using test::showGradient;
using Shown = test::GradientDesk;

namespace {

constexpr const char* TwoFunctions =
    "(def wave Float (x : Float) (mul (sin x) (exp x)))\n"
    "(def f Float ((x : Float) (y : Float)) (mul (wave x) y))\n";
constexpr const char* Product = "(def f Float ((x : Float) (y : Float)) (mul (sin x) (exp y)))\n";
/// Without a derivative; the part that has none is in g.
constexpr const char* Refused =
    "(def g Float (x : Float) (mul 2.0 ($check (lam (y : Float) y) (lam (p : (Tuple Float Float)) (get$2$2 p)) "
    "x 1.0 1.0)))\n"
    "(def f Float (x : Float) (add x (g x)))\n";

}  // namespace

class TestGradientView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void aFunctionStandsBesideItsDerivative() {
        Shown shown;
        QVERIFY(shown.load(TwoFunctions));
        shown.showTexts(1);
        QVERIFY2(shown.function().text().contains(u"(mul (wave x) y)"), qPrintable(shown.function().text()));
        QVERIFY2(shown.derivative().text().startsWith(u"(def [rev [f (Tuple Float Float)]]"),
                 qPrintable(shown.derivative().text()));
        QCOMPARE(shown.child<QLabel>("gradientFunctionTextTitle").text(), QStringLiteral("f"));
        shown.choose("gradientDirection", QStringLiteral("forward"));
        QVERIFY(shown.settle());
        QVERIFY2(shown.derivative().text().contains(u"[fwd [wave Float]]"), qPrintable(shown.derivative().text()));
        QVERIFY(!shown.child<QComboBox>("gradientForm").isEnabled());
        // The functions that it calls can be chosen.
        QCOMPARE(shown.child<QComboBox>("gradientFunction").itemText(0), QStringLiteral("f"));
        shown.choose("gradientFunction", QStringLiteral("wave"));
        QVERIFY(shown.settle());
        QVERIFY2(shown.function().text().contains(u"(mul (sin x) (exp x))"), qPrintable(shown.function().text()));
        QVERIFY2(shown.derivative().text().startsWith(u"(def [fwd [wave Float]]"),
                 qPrintable(shown.derivative().text()));
        shown.showTexts(0);
        QVERIFY2(shown.function().text().contains(u"sin"), qPrintable(shown.function().text()));
        QVERIFY(!shown.function().text().contains(u"(mul"));
    }

    void theFormIsThatOfSums() {
        Shown shown;
        QVERIFY(
            shown.load("(def f Float (v : Vec Float) (sumbuild (size v) (lam (i : Integer) (sin (index i v)))))\n"));
        shown.showTexts(1);
        QVERIFY2(!shown.derivative().text().contains(u"deltaVec"), qPrintable(shown.derivative().text()));
        shown.choose("gradientForm", QStringLiteral("delta"));
        QVERIFY(shown.settle());
        QVERIFY2(shown.derivative().text().contains(u"deltaVec"), qPrintable(shown.derivative().text()));
    }

    void whatComesFromAPartIsMarked() {
        Shown shown;
        QVERIFY(shown.load(Product));
        shown.showTexts(1);
        Shown::clickOn(shown.function(), QStringLiteral("sin"));
        QCOMPARE(Shown::marked(shown.derivative()), QStringLiteral("(mul | (cos x)) | (sin x)"));
        QCOMPARE(shown.links(), QStringLiteral("(sin x): 2 parts of the derivative come from it"));
        QCOMPARE(shown.selection.subterm(), std::optional(ir::Path{0}));
        // Another click widens.
        Shown::clickOn(shown.function(), QStringLiteral("sin"));
        QCOMPARE(shown.selection.subterm(), std::optional(ir::Path{}));
        // A variable has no part of its own; its surroundings have.
        Shown::clickOn(shown.function(), QStringLiteral("x) (exp"));
        QCOMPARE(shown.links(),
                 QStringLiteral("x: no part comes from it alone; 2 parts of the derivative come from (sin x)"));
    }

    void wherePartsComeFromIsMarked() {
        Shown shown;
        QVERIFY(shown.load(Product));
        shown.showTexts(1);
        Shown::clickOn(shown.derivative(), QStringLiteral("cos"));
        QCOMPARE(Shown::marked(shown.function()), QStringLiteral("(sin x)"));
        QVERIFY(!shown.selection.subterm());
        QCOMPARE(shown.links(), QStringLiteral("(cos x): comes from (sin x)"));
        shown.view.widen();
        QVERIFY2(shown.links().startsWith(u"(mul "), qPrintable(shown.links()));
        shown.view.narrow();
        QVERIFY(!shown.links().isEmpty());
        Shown::clickOn(shown.derivative(), QStringLiteral("tuple dx"));
        QVERIFY2(shown.links().endsWith(u"belongs to the function as a whole"), qPrintable(shown.links()));
    }

    void theSelectionOfOtherViewsIsFollowed() {
        Shown shown;
        QVERIFY(shown.load(Product));
        shown.showTexts(1);
        shown.selection.setSubterm(ir::Path{1});
        QCOMPARE(shown.links(), QStringLiteral("(exp y): 2 parts of the derivative come from it"));
        shown.selection.setSubterm(std::nullopt);
        QVERIFY2(shown.links().startsWith(u"Click a part"), qPrintable(shown.links()));
    }

    void theCurrentStateIsDifferentiated() {
        Shown shown;
        QVERIFY(shown.load("(def f Float ((a : Float) (b : Float) (c : Float)) (add (mul a b) (mul a c)))\n"));
        shown.showTexts(1);
        const auto step = test::findStep(shown.document, "add_of_muls");
        QVERIFY(step.has_value());
        shown.document.apply(*step);
        QVERIFY(shown.settle());
        QVERIFY2(shown.function().text().contains(u"(mul a (add b c))"), qPrintable(shown.function().text()));
        QVERIFY2(shown.derivative().text().contains(u"(add b c)"), qPrintable(shown.derivative().text()));
        shown.click("gradientCheck");
        QTRY_VERIFY(shown.result().startsWith(u"✓"));
        // The result belongs to the state that was checked.
        shown.document.undo();
        QVERIFY(shown.result().isEmpty());
        QVERIFY(shown.settle());
        QVERIFY2(shown.function().text().contains(u"(add (mul a b) (mul a c))"), qPrintable(shown.function().text()));
    }

    void theGradientIsChecked() {
        Shown shown;
        QVERIFY(shown.load(Product));
        shown.click("gradientCheck");
        QVERIFY(shown.child<QPushButton>("gradientStop").isVisible());
        QTRY_VERIFY(shown.result().startsWith(u"✓ The derivatives agree"));
        QVERIFY2(shown.result().contains(u"checked at 20 points"), qPrintable(shown.result()));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-checked")));
        QVERIFY(!shown.child<QPushButton>("gradientStop").isVisible());
        QVERIFY(shown.child<QPushButton>("gradientCheck").isVisible());
    }

    void aCheckIsStopped() {
        Shown shown;
        // Each evaluation takes seconds.
        QVERIFY(
            shown.load("(def f Float (x : Float) (sumbuild 3000 (lam (i : Integer) (sumbuild 1000 (lam (j : Integer) "
                       "(mul x (to_float (add i j))))))))\n"));
        shown.click("gradientCheck");
        shown.click("gradientStop");
        QTRY_COMPARE(shown.result(), QStringLiteral("The check was stopped."));
        QVERIFY(shown.settle());
    }

    void aProgramIsClosedDuringACheck() {
        Shown shown;
        QVERIFY(
            shown.load("(def f Float (x : Float) (sumbuild 3000 (lam (i : Integer) (sumbuild 1000 (lam (j : Integer) "
                       "(mul x (to_float (add i j))))))))\n"));
        shown.click("gradientCheck");
        shown.document.leave();
        QVERIFY(shown.result().isEmpty());
        QVERIFY(shown.function().text().isEmpty());
        // The check goes on in the Jobs view, where it is stopped.
        QCOMPARE(shown.jobs.runningVisible(), 1);
        for (const JobInfo& job : std::vector<JobInfo>(shown.jobs.jobs())) shown.jobs.stop(job.id);
        QVERIFY(shown.settle());
        QVERIFY(shown.load(Product));
        QVERIFY(shown.result().isEmpty());
        QVERIFY(shown.child<QPushButton>("gradientCheck").isEnabled());
    }

    void whatHasNoDerivativeIsShownWithItsPlace() {
        Shown shown;
        QVERIFY(shown.load(Refused));
        shown.showTexts(1);
        QVERIFY2(shown.problem().contains(u"g has no derivative"), qPrintable(shown.problem()));
        QVERIFY(!shown.child<QPushButton>("gradientCheck").isEnabled());
        QVERIFY(!shown.child<QPushButton>("gradientOpen").isEnabled());
        // The place is in another function.
        auto* show = shown.child<EmptyState>("gradientProblem").findChild<QPushButton*>();
        QCOMPARE(show->text(), QStringLiteral("Show g"));
        show->click();
        QVERIFY(shown.settle());
        QCOMPARE(shown.child<QComboBox>("gradientFunction").currentText(), QStringLiteral("g"));
        QCOMPARE(show->text(), QStringLiteral("Show the Place"));
        show->click();
        QVERIFY2(shown.links().startsWith(u"($check"), qPrintable(shown.links()));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-problem")));
    }

    void theGradientIsSaved() {
        const QTemporaryDir folder;
        Shown shown;
        QVERIFY(shown.load(Product));
        shown.click("gradientSave");
        auto* dialog = shown.view.findChild<QFileDialog*>(QStringLiteral("gradientSaveDialog"));
        QVERIFY(dialog != nullptr);
        dialog->close();
        const QString path = folder.filePath(QStringLiteral("gradient.ks"));
        shown.view.saveTo(path);
        QTRY_COMPARE(shown.notices.size(), 1);
        shown.document.openFile(path);
        QTRY_COMPARE(shown.document.title(), QStringLiteral("gradient.ks · [rev [f (Tuple Float Float)]]"));
        QVERIFY(shown.settle());
        shown.view.saveTo(folder.filePath(QStringLiteral("none/gradient.ks")));
        QTRY_COMPARE(shown.failures.size(), 1);
    }

    // --- the window ---

    void theWindowOpensTheGradient() {
        test::ShownWindow shown;
        QVERIFY(shown.open(test::sample("gradients/gmm.ks")));
        QVERIFY(showGradient(shown));
        for (const QSize size : {QSize(1280, 800), QSize(1024, 640)}) {
            shown.window.resize(size);
            QVERIFY(shown.settle());
            shown.window.selection().setSubterm(ir::Path{0});
            QVERIFY(test::takePictures(shown.window, QStringLiteral("gradient-%1").arg(size.width())));
        }
        QTest::mouseClick(shown.child<QPushButton>("gradientOpen"), Qt::LeftButton);
        QTRY_VERIFY2(shown.window.document().title().startsWith(u"[rev gmm]"),
                     qPrintable(shown.window.document().title()));
        QVERIFY(shown.settle());
        QVERIFY(shown.window.document().isOpen());
    }

    void anotherProgramHasItsOwnGradient() {
        QTemporaryDir folder;
        const QString first = test::writeText(folder, QStringLiteral("first.ks"), TwoFunctions);
        const QString second = test::writeText(folder, QStringLiteral("second.ks"), Product);
        test::ShownWindow shown;
        QVERIFY(shown.open(first));
        QVERIFY(showGradient(shown));
        auto* function = shown.child<QComboBox>("gradientFunction");
        function->setCurrentText(QStringLiteral("wave"));
        Q_EMIT function->activated(function->currentIndex());
        shown.child<QTabBar>("gradientTexts")->setCurrentIndex(1);
        QVERIFY(shown.settle());
        const QString session = shown.window.document().sessionPath();
        QVERIFY(shown.open(second));
        QTRY_COMPARE(shown.window.document().title(), QStringLiteral("second.ks · f"));
        QVERIFY(showGradient(shown));
        QCOMPARE(function->currentText(), QStringLiteral("f"));
        QCOMPARE(function->count(), 1);
        // Back in the first one everything is as it was left, the perspective too.
        shown.trigger("nextProgram");
        QTRY_COMPARE(shown.window.document().title(), QStringLiteral("first.ks · f"));
        QTRY_VERIFY(shown.child<CodeView>("gradientText")->text().contains(u"wave"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.window.document().sessionPath(), session);
        QVERIFY(shown.child<GradientView>("gradientView")->isVisible());
        QCOMPARE(function->currentText(), QStringLiteral("wave"));
        QCOMPARE(shown.child<QTabBar>("gradientTexts")->currentIndex(), 1);
        QVERIFY(shown.child<CodeView>("gradientText")->text().startsWith(u"(def [rev [wave Float]]"));
    }
};

MITOS_TEST(TestGradientView)

}  // namespace tst_gradient_view

#include "tst_gradient_view.moc"
