// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Gradient on networks: training graphs, their check, the graph as a program and as a file.
#include "tests/gui/gradient_desk.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>

namespace tst_gradient_networks {

using namespace mitos;
using namespace mitos::views;
using test::showGradient;
using Shown = test::GradientDesk;

namespace {

constexpr const char* Layer = R"(graph layer(x: f32[4,3])
  weight w: f32[3,2]
  weight b: f32[2]
  m = MatMul(x, w)
  a = Add(m, b)
  y = Tanh(a)
  return y
)";
constexpr const char* Determinant = R"(graph volume(x: f32[3,3])
  weight w: f32[3,3]
  m = MatMul(x, w)
  d = Det(m)
  return d
)";

CodeView& network(Shown& shown) { return shown.child<CodeView>("trainingNetwork"); }
CodeView& training(Shown& shown) { return shown.child<CodeView>("trainingGraph"); }
QString result(Shown& shown) { return shown.child<QLabel>("trainingResult").text(); }
QString links(Shown& shown) { return shown.child<QLabel>("trainingLinks").text(); }

}  // namespace

class TestGradientNetworks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void aNetworkStandsBesideItsTrainingGraph() {
        Shown shown;
        QVERIFY(shown.load(Layer));
        shown.child<QTabBar>("trainingTexts").setCurrentIndex(1);
        QVERIFY2(network(shown).text().startsWith(u"graph layer"), qPrintable(network(shown).text()));
        QVERIFY2(training(shown).text().startsWith(u"graph layer_gradient(x: f32[4,3], w: f32[3,2], b: f32[2], "
                                                   u"cotangent: f32[4,2])"),
                 qPrintable(training(shown).text()));
        QCOMPARE(shown.child<QLabel>("trainingGraphTitle").text(),
                 QStringLiteral("Training graph: the loss, and the gradients in 2 arrays"));
        // Other arrays, another loss.
        shown.choose("trainingArrays", QStringLiteral("inputs"));
        shown.choose("trainingLoss", QStringLiteral("mean square error"));
        QVERIFY(shown.settle());
        QVERIFY2(training(shown).text().contains(u"target: f32[4,2]"), qPrintable(training(shown).text()));
        QVERIFY(training(shown).text().contains(u"weight w"));
        QVERIFY2(links(shown).startsWith(u"Loss: mean square error of output_0"), qPrintable(links(shown)));
    }

    void namedArraysAreChosen() {
        Shown shown;
        QVERIFY(shown.load(Layer));
        QVERIFY(!shown.child<QLineEdit>("trainingNames").isVisible());
        shown.choose("trainingArrays", QStringLiteral("named arrays"));
        QVERIFY(shown.settle());
        auto& names = shown.child<QLineEdit>("trainingNames");
        QVERIFY(names.isVisible());
        QTest::keyClicks(&names, QStringLiteral("b"));
        QTest::keyClick(&names, Qt::Key_Return);
        QVERIFY(shown.settle());
        QCOMPARE(shown.child<QLabel>("trainingGraphTitle").text(),
                 QStringLiteral("Training graph: the loss, and the gradient in 1 array"));
        QTest::keyClicks(&names, QStringLiteral(",nothing"));
        QTest::keyClick(&names, Qt::Key_Return);
        QVERIFY(shown.settle());
        QVERIFY2(shown.child<QLabel>("trainingProblem").text().contains(u"nothing"),
                 qPrintable(shown.child<QLabel>("trainingProblem").text()));
        QVERIFY(!shown.child<QPushButton>("trainingCheck").isEnabled());
    }

    void theNodesOfBothAreLinked() {
        Shown shown;
        QVERIFY(shown.load(Layer));
        shown.child<QTabBar>("trainingTexts").setCurrentIndex(1);
        Shown::clickOn(network(shown), QStringLiteral("a = Add"));
        QVERIFY(shown.selection.subterm().has_value());
        QVERIFY2(Shown::marked(training(shown)).startsWith(u"a = Add(m, b)"),
                 qPrintable(Shown::marked(training(shown))));
        QVERIFY2(links(shown).startsWith(u"a: "), qPrintable(links(shown)));
        // An array has its gradient.
        Shown::clickOn(network(shown), QStringLiteral("w: f32"));
        QVERIFY2(Shown::marked(training(shown)).contains(u"MatMul(m_grad, y_grad_3)"),
                 qPrintable(Shown::marked(training(shown))));
        Shown::clickOn(training(shown), QStringLiteral("a = Add"));
        QCOMPARE(links(shown), QStringLiteral("a: made for a"));
        QVERIFY2(Shown::marked(network(shown)).startsWith(u"a = Add"), qPrintable(Shown::marked(network(shown))));
    }

    void theGradientsAreChecked() {
        Shown shown;
        QVERIFY(shown.load(Layer));
        shown.click("trainingCheck");
        QVERIFY(shown.child<QPushButton>("trainingStop").isVisible());
        QTRY_VERIFY2(result(shown).startsWith(u"✓ The gradients agree"), qPrintable(result(shown)));
        QVERIFY2(result(shown).contains(u"checked at 3 points: the gradients of 2 arrays"), qPrintable(result(shown)));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-network-checked")));
        // The result belongs to the graph that was checked.
        shown.choose("trainingArrays", QStringLiteral("inputs"));
        QVERIFY(result(shown).isEmpty());
        QVERIFY(shown.settle());
    }

    void aCheckIsStoppedOrItsProgramClosed() {
        Shown shown;
        QVERIFY(shown.load(Layer));
        shown.click("trainingCheck");
        shown.click("trainingStop");
        QTRY_VERIFY(result(shown) == QStringLiteral("The check was stopped.") || result(shown).startsWith(u"✓"));
        shown.click("trainingCheck");
        shown.document.leave();
        QVERIFY(shown.settle());
        QVERIFY(result(shown).isEmpty());
        QVERIFY(network(shown).text().isEmpty());
        QVERIFY(shown.child<EmptyState>("gradientEmpty").isVisible());
    }

    void operatorsWithoutADerivativeAreListedWithTheirPlaces() {
        Shown shown;
        QVERIFY(shown.load(Determinant));
        shown.child<QTabBar>("trainingTexts").setCurrentIndex(1);
        auto& obstacles = shown.child<QListWidget>("trainingObstacles");
        QVERIFY(obstacles.isVisible());
        QCOMPARE(obstacles.count(), 1);
        QVERIFY2(obstacles.item(0)->text().contains(u"Det"), qPrintable(obstacles.item(0)->text()));
        QVERIFY(!shown.child<QPushButton>("trainingOpen").isEnabled());
        obstacles.setCurrentRow(0);
        QCOMPARE(links(shown), QStringLiteral("d"));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("gradient-network-problem")));
    }

    void theTrainingGraphIsSaved() {
        const QTemporaryDir folder;
        Shown shown;
        QVERIFY(shown.load(Layer));
        shown.click("trainingSave");
        auto* dialog = shown.view.findChild<QFileDialog*>(QStringLiteral("trainingSaveDialog"));
        QVERIFY(dialog != nullptr);
        const QString path = folder.filePath(QStringLiteral("training.onnx"));
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        QTRY_COMPARE(shown.notices.size(), 1);
        shown.document.openFile(path);
        QTRY_COMPARE(shown.document.title(), QStringLiteral("training.onnx"));
        QVERIFY(shown.settle());
        QVERIFY(shown.document.model() != nullptr);
        QCOMPARE(shown.document.model()->model.outputs, (std::vector<std::string>{"loss", "w_grad", "b_grad"}));
    }

    void aKsProgramFollowsANetwork() {
        Shown shown;
        QVERIFY(shown.load(Layer));
        QVERIFY(network(shown).isVisible());
        QVERIFY(shown.load("(def f Float (x : Float) (sin x))\n"));
        QVERIFY(!network(shown).isVisible());
        QVERIFY(shown.function().isVisible());
        QVERIFY(!shown.derivative().text().isEmpty());
    }

    // --- the window ---

    void theTrainingGraphIsOpenedAsAProgram() {
        QTemporaryDir folder;
        const QString path = test::writeText(folder, QStringLiteral("layer.txt"), test::TwoBranches);
        test::ShownWindow shown;
        QVERIFY(shown.open(path));
        shown.trigger("perspectiveGradient");
        QTRY_VERIFY(!shown.child<CodeView>("trainingGraph")->text().isEmpty());
        QVERIFY(shown.settle());
        for (const QSize size : {QSize(1280, 800), QSize(1024, 640)}) {
            shown.window.resize(size);
            QVERIFY(shown.settle());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("gradient-network-%1").arg(size.width())));
        }
        QTest::mouseClick(shown.child<QPushButton>("trainingOpen"), Qt::LeftButton);
        QTRY_VERIFY2(shown.window.document().title().contains(u"branches_gradient"),
                     qPrintable(shown.window.document().title()));
        QVERIFY(shown.settle());
        QVERIFY(shown.window.document().isOpen());
    }
};

MITOS_TEST(TestGradientNetworks)

}  // namespace tst_gradient_networks

#include "tst_gradient_networks.moc"
