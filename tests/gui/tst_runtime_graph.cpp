// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX Runtime's own graph beside the current state, and as a program of its own.
#include "core/dialects/dialects.h"
#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "tests/gui/fake_runtime.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/graph/graph_view.h"
#include "views/main_window/internal/message_bar.h"
#include "views/program/code_view.h"
#include "views/program/program_view.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QToolButton>
#include <algorithm>

namespace tst_runtime_graph {

using namespace mitos;
using namespace mitos::views;

namespace {

/// TwoBranches with one relu fewer.
constexpr const char* Optimized = R"(graph branches(x: f32[1,3,8,8])
  weight w1: f32[4,3,1,1]
  weight w2: f32[4,3,1,1]
  c1 = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=1](x, w1)
  r1 = Relu(c1)
  c2 = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=1](x, w2)
  r2 = Relu(c2)
  y = Add(r1, r2)
  return y
)";

/// A window with TwoBranches open, and an ONNX Runtime that makes Optimized of it.
struct Compared : test::ShownWindow {
    QTemporaryDir folder;

    Compared() {
        const QString optimized = folder.filePath(QStringLiteral("made.onnx"));
        if (test::writeModel(optimized, Optimized).isEmpty()) qFatal("the model cannot be written");
        test::useRuntime(folder, {.optimized = optimized});
    }
    [[nodiscard]] QString file() const { return folder.filePath(QStringLiteral("branches.onnx")); }
    [[nodiscard]] bool openModel() { return !test::writeModel(file(), test::TwoBranches).isEmpty() && open(file()); }
    [[nodiscard]] const CodeView& before() { return *child<CodeView>("programBefore"); }
    [[nodiscard]] const CodeView& text() { return *child<CodeView>("programText"); }
    [[nodiscard]] QString title() { return child<QLabel>("programBeforeTitle")->text(); }
};

}  // namespace

class TestRuntimeGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void itStandsBesideTheCurrentState() {
        Compared shown;
        QVERIFY(shown.openModel());
        shown.trigger("compareRuntime-all");
        QVERIFY(shown.settle());
        // Networks begin as graphs; the comparison is side by side.
        QCOMPARE(shown.window.findChild<ProgramView*>()->shownAs(), static_cast<int>(ProgramView::MathTab));
        QVERIFY(shown.before().isVisible());
        QCOMPARE(shown.title(), QStringLiteral("ONNX Runtime's graph (all optimizations)"));
        QCOMPARE(shown.before().text().count(QLatin1String("Relu(")), 2);
        QCOMPARE(shown.text().text().count(QLatin1String("Relu(")), 3);
        QVERIFY(!shown.text().marks(CodeView::Mark::Added).empty());
        QVERIFY(shown.before().marks(CodeView::Mark::Removed).empty());
        QVERIFY2(shown.child<QLabel>("programBeforeCost")->text().contains(QStringLiteral("▲")),
                 qPrintable(shown.child<QLabel>("programBeforeCost")->text()));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("runtime-graph")));
        // The comparison stays with the next state and its parent; closing it ends it.
        shown.window.document().apply(*test::findStep(shown.window.document(), "tensor_relu_relu"));
        QVERIFY(shown.settle());
        QVERIFY2(shown.title().startsWith(QLatin1String("ONNX Runtime's graph")), qPrintable(shown.title()));
        QVERIFY(shown.text().marks(CodeView::Mark::Added).empty());
        shown.trigger("undo");
        QVERIFY(shown.settle());
        QVERIFY(!shown.text().marks(CodeView::Mark::Added).empty());
        shown.trigger("compareNone");
        QVERIFY(!shown.before().isVisible());
        QVERIFY(!shown.child<QAction>("compareNone")->isEnabled());
        // A state of the history takes its place, and the other way round.
        shown.trigger("compareRuntime-basic");
        QVERIFY(shown.settle());
        QVERIFY(shown.title().contains(QLatin1String("(basic optimizations)")));
        shown.window.selection().setCompared(rewrite::StateId(1));
        QVERIFY(shown.settle());
        QVERIFY2(shown.title().contains(QLatin1String("state 1")), qPrintable(shown.title()));
        QVERIFY(!shown.window.selection().comparedProgram());
    }

    void theSessionBringsItBackAndAnotherProgramDoesNotHaveIt() {
        QString session;
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("branches.onnx"));
        QVERIFY(!test::writeModel(file, test::TwoBranches).isEmpty());
        {
            Compared shown;
            QVERIFY(shown.open(file));
            shown.trigger("compareRuntime-extended");
            QVERIFY(shown.settle());
            session = shown.window.document().sessionPath();
            shown.window.document().apply(*test::anyStep(shown.window.document()));
            QVERIFY(shown.settle());
        }
        {
            Compared shown;
            shown.window.openSession(session);
            QVERIFY(shown.isOpen());
            QTRY_VERIFY(shown.window.selection().comparedProgram().has_value());
            QVERIFY(shown.settle());
            QVERIFY(shown.before().isVisible());
            QCOMPARE(shown.title(), QStringLiteral("ONNX Runtime's graph (extended optimizations)"));
            QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
            QVERIFY(!shown.before().isVisible());
            QVERIFY(!shown.window.selection().isComparing());
            QVERIFY(!shown.child<QAction>("compareRuntime-all")->isEnabled());
        }
    }

    void itOpensAsAProgramOfItsOwn() {
        Compared shown;
        QVERIFY(shown.openModel());
        shown.trigger("openRuntime-all");
        auto* dialog = shown.child<QFileDialog>("runtimeGraphDialog");
        QVERIFY(dialog != nullptr);
        const QString target = shown.folder.filePath(QStringLiteral("theirs.onnx"));
        Q_EMIT dialog->fileSelected(target);
        dialog->close();
        QTRY_COMPARE_WITH_TIMEOUT(QFileInfo(shown.window.document().sourcePath()).fileName(),
                                  QStringLiteral("theirs.onnx"), 20'000);
        QVERIFY(shown.settle());
        QCOMPARE(shown.window.document().history().size(), std::size_t(1));
        // The first program is still there.
        shown.trigger("previousProgram");
        QTRY_COMPARE_WITH_TIMEOUT(QFileInfo(shown.window.document().sourcePath()).fileName(),
                                  QStringLiteral("branches.onnx"), 20'000);
        QVERIFY(shown.settle());
    }

    void closingInTheMiddleLeavesNothingBehind() {
        Compared shown;
        test::useRuntime(shown.folder, {.hangs = true});
        QVERIFY(shown.openModel());
        shown.trigger("compareRuntime-all");
        QTRY_VERIFY_WITH_TIMEOUT(shown.window.jobs().jobs().back().status.contains(QLatin1String("optimizes")), 20'000);
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        QVERIFY(!shown.window.selection().isComparing());
        QVERIFY(shown.open(shown.file()));
        shown.trigger("compareRuntime-all");
        QTRY_VERIFY_WITH_TIMEOUT(shown.window.jobs().jobs().back().status.contains(QLatin1String("optimizes")), 20'000);
        shown.window.jobs().stop(shown.window.jobs().jobs().back().id);
        QVERIFY(shown.settle());
        QVERIFY(!shown.window.selection().isComparing());
        QVERIFY(!shown.window.findChild<MessageBar*>()->isVisible());
        shown.trigger("compareRuntime-all");
        QTRY_VERIFY_WITH_TIMEOUT(shown.window.jobs().jobs().back().status.contains(QLatin1String("optimizes")), 20'000);
        shown.window.close();
    }

    void withoutOnnxRuntimeItSaysHowToGetIt() {
        Compared shown;
        Preferences preferences = Preferences::stored();
        preferences.python = QStringLiteral("/bin/true");
        preferences.store();
        QVERIFY(shown.openModel());
        shown.trigger("compareRuntime-all");
        QVERIFY(shown.settle());
        auto* messages = shown.window.findChild<MessageBar*>();
        QCOMPARE(messages->text(), QStringLiteral("ONNX Runtime made no graph of this program"));
        QVERIFY2(messages->details().contains(QLatin1String("pip install onnxruntime")),
                 qPrintable(messages->details()));
        QVERIFY(shown.child<QToolButton>("messageOffer")->isVisible());
    }

    void operatorsOfItsOwnStandUnderTheirNames() {
        Compared shown;
        ir::TermBank bank(dialects::makeRegistry());
        const auto model = onnx::importText(bank,
                                            "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft.nchwc\" : 1]>\n"
                                            "branches (float[1,3,8,8] x) => (float[1,4,8,8] sum) {\n"
                                            "  t = com.microsoft.nchwc.ReorderInput(x)\n  sum = Relu(t)\n}\n");
        QVERIFY2(model.ok(), model ? "" : model.error().render().c_str());
        const QString made = shown.folder.filePath(QStringLiteral("own.onnx"));
        QVERIFY(onnx::exportFile(bank, *model, made.toStdString()).ok());
        test::useRuntime(shown.folder, {.optimized = made});
        QVERIFY(shown.openModel());
        shown.trigger("compareRuntime-all");
        QVERIFY(shown.settle());
        QVERIFY2(shown.before().text().contains(QLatin1String("t = com.microsoft.nchwc::ReorderInput(x)")),
                 qPrintable(shown.before().text()));
        QCOMPARE(shown.child<QLabel>("programBeforeCost")->text(), QStringLiteral("1 operator has no price"));
        // As a program it has a box of that name.
        QVERIFY(shown.open(made));
        QStringList titles;
        for (const GraphNode& node : shown.window.findChild<ProgramView*>()->findChild<GraphView*>()->graph().nodes)
            titles << node.title;
        QCOMPARE(titles,
                 (QStringList{QStringLiteral("x"), QStringLiteral("nchwc::ReorderInput"), QStringLiteral("Relu")}));
    }

    /// Its layout for this processor has operators that Mitos does not know.
    void theRealOneMakesGraphsWithItsOwnOperators() {
        const QString real = qEnvironmentVariable("MITOS_ONNXRUNTIME");
        // ONNX Runtime is no package of Debian, so only a user's own can be tested; the rest of this file does without.
        // ONNX Runtime is no package of Debian, so only a user's own can be tested; the other tests here do without.
        if (real.isEmpty()) QSKIP("MITOS_ONNXRUNTIME names no Python that has ONNX Runtime");
        Compared shown;
        Preferences preferences = Preferences::stored();
        preferences.python = real;
        preferences.store();
        shown.window.document().openNetwork(QStringLiteral("squeezenet"), true);
        QVERIFY(shown.isOpen());
        for (const char* level : {"basic", "extended", "all"}) {
            shown.trigger(("compareRuntime-" + QByteArray(level)).constData());
            QVERIFY(shown.settle());
            QVERIFY2(shown.title().contains(QLatin1String(level)), qPrintable(shown.title()));
            QVERIFY(!shown.before().marks(CodeView::Mark::Removed).empty());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("runtime-graph-") + QLatin1String(level)));
        }
        shown.window.showProgramAs(QStringLiteral("graph"));
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("runtime-graph-drawn")));
    }
};

MITOS_TEST(TestRuntimeGraph)

}  // namespace tst_runtime_graph

#include "tst_runtime_graph.moc"
