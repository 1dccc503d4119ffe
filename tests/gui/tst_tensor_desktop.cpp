// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window on tensor programs, as a user drives it: open, step, search, compare, export, reopen; pictures of it.
#include "core/ir/shared.h"
#include "core/onnx/import.h"
#include "storage/workspace/open_model.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/gui/tensor_desk.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/document/places.h"
#include "views/document/verdicts.h"
#include "views/egraph/egraph_view.h"
#include "views/export_dialog/export_dialog.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/result_banner.h"
#include "views/network_dialog/network_dialog.h"
#include "views/program/internal/program_graph.h"
#include "views/program/program_view.h"
#include "views/rewrites/rewrites_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeView>

namespace tst_tensor_desktop {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Window : test::ShownWindow {
    [[nodiscard]] QString message() { return child<MessageBar>("messageBar")->text(); }
};

template <typename T>
T& part(QWidget& view, const char* name) {
    T* found = view.findChild<T*>(QLatin1String(name));
    if (found == nullptr) qFatal("no %s", name);
    return *found;
}

QStringList choices(const QComboBox& box) {
    QStringList names;
    for (int i = 0; i < box.count(); ++i) names << box.itemText(i);
    return names;
}

/// Enters the file name in the save dialog.
void chooseFile(QWidget& asker, const char* name, const QString& path) {
    auto& files = part<QFileDialog>(asker, name);
    Q_EMIT files.fileSelected(path);
    files.close();
}

}  // namespace

class TestTensorDesktop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void aModelIsDroppedSteppedAndSearched() {
        const QTemporaryDir folder;
        const QString path = test::writeModel(folder.filePath(QStringLiteral("branches.onnx")), test::TwoBranches);
        QVERIFY(!path.isEmpty());
        Window shown;
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(20, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&shown.window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(20, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&shown.window, &drop);
        QVERIFY(shown.isOpen());
        Document& document = shown.window.document();
        QCOMPARE(document.title(), QStringLiteral("branches.onnx"));
        // The boxes offer what fits.
        const QStringList models = choices(*shown.child<QComboBox>("costModel"));
        QVERIFY(models.contains(QStringLiteral("roofline:laptop")) && !models.contains(QStringLiteral("ks-2021")));
        QCOMPARE(shown.child<QComboBox>("costModel")->currentText(),
                 QStringLiteral("roofline:laptop,kernels=onnxruntime"));

        auto* rows = shown.child<QTableView>("rewritesTable");
        QTRY_VERIFY(rows->model()->rowCount() > 0);
        QVERIFY(shown.settle());
        int relu = -1;
        for (int row = 0; row < rows->model()->rowCount(); ++row) {
            if (rows->model()->index(row, 0).data().toString().startsWith(QLatin1String("tensor_relu_relu")))
                relu = row;
        }
        QVERIFY(relu >= 0);
        rows->selectRow(relu);
        QTRY_VERIFY(shown.window.selection().rewrite().has_value());
        const QString preview = part<QTextEdit>(shown.window, "rewritePreviewText").toPlainText();
        QVERIFY2(preview.contains(QLatin1String("Relu(")), qPrintable(preview));
        rows->setFocus();
        QTest::keyClick(rows, Qt::Key_Return);
        QTRY_COMPARE(document.history().size(), std::size_t(2));
        QCOMPARE(ir::sharedSize(document.bank(), document.current().root), std::size_t(8));
        shown.trigger("undo");
        QVERIFY(shown.settle());

        auto* strategy = shown.child<QComboBox>("strategy");
        strategy->setCurrentIndex(strategy->findText(QStringLiteral("greedy")));
        shown.window.setBudgetSeconds(1.0);
        shown.trigger("run");
        QTRY_COMPARE(document.runningSearches(), 0);
        QVERIFY(shown.settle());
        QVERIFY(document.runs().front().threadChecked);
        QVERIFY(document.history().state(document.history().best()).cost <
                document.history().state(document.history().start()).cost);
        // Every view of it once.
        for (const char* dock : {"dockCostCurve", "dockMatch", "dockCost", "dockHistory"}) {
            shown.child<QDockWidget>(dock)->raise();
            QVERIFY(shown.settle());
        }
        for (const char* rendering : {"tree", "graph", "text"}) {
            shown.window.showProgramAs(QLatin1String(rendering));
            QVERIFY(shown.settle());
        }
    }

    void theMatchViewShowsTheNodesAround() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        shown.child<QDockWidget>("dockMatch")->raise();
        shown.window.selection().setSubterm(ir::Path{0});
        QVERIFY(shown.settle());
        const QString subject = part<QPlainTextEdit>(shown.window, "matchSubject").toPlainText();
        QVERIFY2(subject.contains(QLatin1String("c1 = Conv")) && !subject.contains(QLatin1String("c2")),
                 qPrintable(subject));
    }

    void aProgramIsSaturatedAndItsCheapestFormTaken() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        Document& document = shown.window.document();
        shown.trigger("saturate");
        auto* dialog = shown.child<QDialog>("saturateDialog");
        part<QSpinBox>(*dialog, "parameter.iterations").setValue(3);
        dialog->accept();
        QVERIFY(shown.settle());
        QVERIFY(shown.window.egraph().isOpen() && !shown.window.egraph().isSaturating());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("tensor-saturate")));
        // How it ended is announced, and as the view says it.
        const auto* result = shown.child<ResultBanner>("resultBanner");
        QTRY_VERIFY2(
            result->text().contains(QStringLiteral("\nSaturation ended after 3 iterations: iteration limit · ")),
            qPrintable(result->text()));
        QTest::mouseClick(shown.child<QToolButton>("takeCheapest"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QTRY_VERIFY(document.history().size() > 1);
        const double taken = document.history().state(document.history().current()).cost;
        QCOMPARE(shown.window.egraph().cheapestCost(), std::optional(taken));
        QVERIFY(taken < document.history().state(document.history().start()).cost);
    }

    void aNetworkIsChosenMadeAndOpened() {
        Window shown;
        QVERIFY(shown.settle());
        QTest::mouseClick(shown.child<QPushButton>("newNetworkButton"), Qt::LeftButton);
        auto* dialog = shown.child<NetworkDialog>("networkDialog");
        QVERIFY(dialog != nullptr);
        auto& table = part<QTableWidget>(*dialog, "networkTable");
        QCOMPARE(table.rowCount(), 13);
        QVERIFY(shown.settle());
        // The printed counts of nodes.
        QCOMPARE(table.item(5, 0)->text(), QStringLiteral("ResNet-50"));
        QCOMPARE(table.item(5, 1)->text(), QStringLiteral("120"));
        const QString paper = table.item(0, 1)->text();
        part<QRadioButton>(*dialog, "networkRealistic").click();
        QVERIFY(table.item(0, 1)->text() != paper);
        QVERIFY(test::takePictures(*dialog, QStringLiteral("network-dialog")));
        table.setCurrentCell(7, 0);
        QCOMPARE(dialog->network(), QStringLiteral("squeezenet"));
        part<QDialogButtonBox>(*dialog, "networkButtons").button(QDialogButtonBox::Ok)->click();
        QVERIFY(shown.isOpen());
        QCOMPARE(shown.window.document().title(), QStringLiteral("SqueezeNet 1.1, realistic"));
    }

    /// As text a network is thousands of lines.
    void networksBeginAsGraphs() {
        Window shown;
        Document& document = shown.window.document();
        auto& program = *shown.child<ProgramView>("programView");
        const auto opened = [&](const QString& text) {
            document.openText(QStringLiteral("typed"), text);
            return shown.isOpen();
        };
        QVERIFY(opened(QLatin1String(test::CancelText)));
        QCOMPARE(program.shownAs(), int(ProgramView::MathTab));
        QVERIFY(opened(QLatin1String(test::TwoBranches)));
        QCOMPARE(program.shownAs(), int(ProgramView::GraphTab));
        // Another tab stays as long as the program is open.
        program.showAs(ProgramView::TreeTab);
        document.apply(*test::findStep(document, "tensor_relu_relu"));
        QVERIFY(shown.settle());
        document.undo();
        QVERIFY(shown.settle());
        QCOMPARE(program.shownAs(), int(ProgramView::TreeTab));
        document.openNetwork(QStringLiteral("squeezenet"), true);
        QVERIFY(shown.isOpen());
        QCOMPARE(program.shownAs(), int(ProgramView::GraphTab));
        program.showAs(ProgramView::TextTab);
        document.apply(*test::anyStep(document));
        const QString session = document.sessionPath();
        QVERIFY(opened(QLatin1String(test::CancelText)));
        QCOMPARE(program.shownAs(), int(ProgramView::MathTab));
        shown.window.openSession(session);
        QVERIFY(shown.isOpen());
        QCOMPARE(document.sessionPath(), session);
        // A session comes back as it was left.
        QCOMPARE(program.shownAs(), int(ProgramView::TextTab));
    }

    void exportsAModelAndShowsTheChecks() {
        const QTemporaryDir folder;
        Window shown;
        QVERIFY(shown.open(test::writeModel(folder.filePath(QStringLiteral("in.onnx")), test::TwoBranches, 3)));
        Document& document = shown.window.document();
        document.apply(*test::findStep(document, "tensor_relu_relu"));
        QVERIFY(shown.settle());
        shown.trigger("export");
        auto* dialog = shown.child<ExportDialog>("exportDialog");
        QVERIFY(dialog != nullptr);
        QCOMPARE(choices(part<QComboBox>(*dialog, "exportFormat")),
                 (QStringList{QStringLiteral("ONNX model"), QStringLiteral("Listing")}));
        QVERIFY(part<QLabel>(*dialog, "onnxWeights").text().contains(QLatin1String("in.onnx")));
        const QString path = folder.filePath(QStringLiteral("out.onnx"));
        part<QPushButton>(*dialog, "exportSave").click();
        chooseFile(*dialog, "exportSaveDialog", path);
        auto& verdict = part<QLabel>(*dialog, "onnxVerdict");
        QTRY_VERIFY2(verdict.text().contains(QLatin1String("every check passed")), qPrintable(verdict.text()));
        for (const char* row : {"onnxChecker", "onnxInference", "onnxReading", "onnxValues"}) {
            QVERIFY2(part<QLabel>(*dialog, row).text().startsWith(QStringLiteral("✓")), row);
        }
        QVERIFY(test::takePictures(*dialog, QStringLiteral("export-onnx")));
        ir::TermBank bank(dialects::makeRegistry());
        const auto read = onnx::importFile(bank, path.toStdString());
        QVERIFY(read.ok());
        QCOMPARE(bank.hash(read->program.root), document.bank().hash(document.current().root));
        QCOMPARE(read->outputs, std::vector<std::string>{"sum"});
        QVERIFY(read->metadata.contains("mitos_thread"));

        // Where nothing can be written the dialog says so.
        part<QPushButton>(*dialog, "exportSave").click();
        chooseFile(*dialog, "exportSaveDialog", folder.filePath(QStringLiteral("nowhere/out.onnx")));
        QTRY_VERIFY2(verdict.text().startsWith(QStringLiteral("✗")), qPrintable(verdict.text()));
        // As a listing, with the thread in comments; it opens again.
        part<QComboBox>(*dialog, "exportFormat").setCurrentIndex(1);
        auto& preview = part<QPlainTextEdit>(*dialog, "exportPreview");
        QTRY_VERIFY(preview.toPlainText().contains(QLatin1String("graph branches(")));
        const auto again = dialects::parseProgram(bank, "again", preview.toPlainText().toStdString());
        QVERIFY(again.ok());
        QCOMPARE(bank.hash(again->root), bank.hash(read->program.root));
    }

    void theFileIsComparedWithTheOneThatWasOpened() {
        const QTemporaryDir folder;
        const QString input = test::writeModel(folder.filePath(QStringLiteral("in.onnx")), test::TwoBranches, 3);
        Window shown;
        QVERIFY(shown.open(input));
        Document& document = shown.window.document();
        document.apply(*test::findStep(document, "tensor_relu_relu"));
        QVERIFY(shown.settle());
        const auto opened = [&shown]() -> ExportDialog& {
            shown.trigger("export");
            return *shown.child<ExportDialog>("exportDialog");
        };
        ExportDialog& dialog = opened();
        auto& verdict = part<QLabel>(dialog, "onnxVerdict");
        const auto save = [&](ExportDialog& from, const char* name) {
            part<QPushButton>(from, "exportSave").click();
            chooseFile(from, "exportSaveDialog", folder.filePath(QLatin1String(name)));
            return shown.settle();
        };
        auto& opset = part<QComboBox>(dialog, "onnxOpset");
        QCOMPARE(opset.itemText(0), QStringLiteral("as the model: 17"));
        opset.setCurrentIndex(opset.findText(QStringLiteral("20")));
        auto& python = part<QLineEdit>(dialog, "onnxPython");
        QVERIFY(!python.isEnabled());
        part<QCheckBox>(dialog, "onnxCompareFile").setChecked(true);
        QVERIFY(python.isEnabled());
        QVERIFY(save(dialog, "out.onnx"));
        QVERIFY2(verdict.text().contains(QLatin1String("every check passed")), qPrintable(verdict.text()));
        auto& original = part<QLabel>(dialog, "onnxOriginal");
        QVERIFY2(original.isVisible() && original.text().startsWith(QStringLiteral("✓")), qPrintable(original.text()));
        QVERIFY2(original.text().contains(QLatin1String("the evaluator")), qPrintable(original.text()));
        QVERIFY(part<QLabel>(dialog, "onnxFile").text().startsWith(QLatin1String("opset 20,")));
        QVERIFY(test::takePictures(dialog, QStringLiteral("export-compared")));
        // A missing interpreter leaves the comparison undecided, and is reported.
        python.setText(folder.filePath(QStringLiteral("no-python")));
        QVERIFY(save(dialog, "again.onnx"));
        QVERIFY2(original.text().startsWith(QStringLiteral("– not checked: ")), qPrintable(original.text()));
        QVERIFY2(verdict.text().startsWith(QStringLiteral("⚠ Saved to ")), qPrintable(verdict.text()));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("again.onnx"))));
        // Comparing can be stopped; the file is saved.
        const QString slow = test::writeText(folder, QStringLiteral("slow-python"), "#!/bin/sh\nsleep 300\n");
        QVERIFY(QFile::setPermissions(slow, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        python.setText(slow);
        part<QPushButton>(dialog, "exportSave").click();
        chooseFile(dialog, "exportSaveDialog", folder.filePath(QStringLiteral("stopped.onnx")));
        auto& stop = part<QPushButton>(dialog, "onnxStop");
        QVERIFY(stop.isVisible() && !python.isEnabled());
        stop.click();
        QVERIFY(shown.settle());
        QCOMPARE(original.text(), QStringLiteral("– not checked: stopped by you"));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("stopped.onnx"))));
        dialog.close();
        QTRY_VERIFY(shown.child<ExportDialog>("exportDialog") == nullptr);

        // A file that computes something else is saved only on request.
        document.setRules(
            test::writeText(folder, QStringLiteral("own.rules"), "# Mine.\nrule own_drop [exact]: Add(a, b) => a\n"));
        QVERIFY(shown.settle());
        document.apply(*test::findStep(document, "own_drop"));
        QVERIFY(shown.settle());
        ExportDialog& wrong = opened();
        part<QCheckBox>(wrong, "onnxCompareFile").setChecked(true);
        QCOMPARE(part<QLineEdit>(wrong, "onnxPython").text(), slow);
        part<QLineEdit>(wrong, "onnxPython").clear();
        QVERIFY(save(wrong, "wrong.onnx"));
        QVERIFY2(part<QLabel>(wrong, "onnxVerdict").text().startsWith(QStringLiteral("✗ Not saved")),
                 qPrintable(part<QLabel>(wrong, "onnxVerdict").text()));
        QVERIFY(part<QLabel>(wrong, "onnxOriginal").text().startsWith(QStringLiteral("✗")));
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("wrong.onnx"))));
        QVERIFY(test::takePictures(wrong, QStringLiteral("export-different")));
        part<QCheckBox>(wrong, "onnxInsist").setChecked(true);
        QVERIFY(save(wrong, "wrong.onnx"));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("wrong.onnx"))));
        QVERIFY(part<QLabel>(wrong, "onnxVerdict").text().contains(QLatin1String("a check of it failed")));
    }

    void theProfileDecidesOnOperatorsOfTheRuntime() {
        const QTemporaryDir folder;
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"),
                                         QStringLiteral("graph fused(x: f32[2,4], z: f32[2,4], s: f32[4])\n"
                                                        "  g = Gelu(x)\n"
                                                        "  y = SkipLayerNormalization[epsilon=0.001](g, z, s)\n"
                                                        "  return y\n"));
        QVERIFY(shown.isOpen());
        shown.trigger("export");
        auto* dialog = shown.child<ExportDialog>("exportDialog");
        auto& profile = part<QComboBox>(*dialog, "onnxProfile");
        auto& note = part<QLabel>(*dialog, "onnxProfileNote");
        auto& verdict = part<QLabel>(*dialog, "onnxVerdict");
        const auto save = [&](const char* name) {
            part<QPushButton>(*dialog, "exportSave").click();
            chooseFile(*dialog, "exportSaveDialog", folder.filePath(QLatin1String(name)));
            return QTest::qWaitFor([&] { return verdict.text().contains(QLatin1String(name)); }, 20'000);
        };
        QCOMPARE(profile.currentText(), QStringLiteral("ONNX (standard operators)"));
        QVERIFY2(note.text().contains(QLatin1String("written as standard operators: 2")), qPrintable(note.text()));
        QVERIFY(save("standard.onnx"));
        QVERIFY2(verdict.text().contains(QLatin1String("no check failed")), qPrintable(verdict.text()));
        QVERIFY(part<QLabel>(*dialog, "onnxFile").text().contains(QLatin1String("operators written out: 2")));
        QVERIFY(part<QLabel>(*dialog, "onnxReading").text().contains(QLatin1String("not checked")));
        QVERIFY(part<QLabel>(*dialog, "onnxValues").text().startsWith(QStringLiteral("✓")));
        QVERIFY(!part<QLabel>(*dialog, "onnxSlow").isVisible());

        profile.setCurrentIndex(1);
        QVERIFY2(note.text().contains(QLatin1String("Only ONNX Runtime")), qPrintable(note.text()));
        QVERIFY(save("runtime.onnx"));
        QVERIFY2(verdict.text().startsWith(QStringLiteral("✓")), qPrintable(verdict.text()));
        QVERIFY(part<QLabel>(*dialog, "onnxReading").text().startsWith(QStringLiteral("✓")));
        auto& slow = part<QLabel>(*dialog, "onnxSlow");
        QVERIFY2(slow.isVisible() && slow.text().contains(QLatin1String("SkipLayerNormalization")),
                 qPrintable(slow.text()));
        QVERIFY(test::takePictures(*dialog, QStringLiteral("export-profile")));
        ir::TermBank bank(dialects::makeRegistry());
        const auto read = onnx::importFile(bank, folder.filePath(QStringLiteral("runtime.onnx")).toStdString());
        QVERIFY(read.ok());
        QCOMPARE(bank.hash(read->program.root),
                 shown.window.document().bank().hash(shown.window.document().current().root));
    }

    void theProfileSaysWhereItMakesNoDifference() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        shown.trigger("export");
        auto* dialog = shown.child<ExportDialog>("exportDialog");
        auto& note = part<QLabel>(*dialog, "onnxProfileNote");
        QVERIFY2(note.text().contains(QLatin1String("makes no difference")), qPrintable(note.text()));
    }

    void aMovedModelIsFoundAgain() {
        const QTemporaryDir folder;
        const QString path = test::writeModel(folder.filePath(QStringLiteral("in.onnx")), test::TwoBranches, 3);
        Window shown;
        QVERIFY(shown.open(path));
        QVERIFY(!shown.child<QAction>("findModel")->isEnabled());
        Document& document = shown.window.document();
        document.apply(*test::findStep(document, "tensor_relu_relu"));
        const QString session = document.sessionPath();
        QVERIFY(shown.settle());
        document.openText(QStringLiteral("other"), QLatin1String(test::CancelText));
        QVERIFY(shown.isOpen());
        const QString moved = folder.filePath(QStringLiteral("moved.onnx"));
        QVERIFY(QFile::rename(path, moved));
        shown.window.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return document.isModelMissing(); }, 20'000) && shown.settle());
        auto& offer = part<QToolButton>(shown.window, "messageOffer");
        QVERIFY(offer.isVisible());
        QVERIFY(shown.child<QAction>("findModel")->isEnabled());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("find-model")));
        QTest::mouseClick(&offer, Qt::LeftButton);
        chooseFile(shown.window, "findModelDialog", moved);
        QVERIFY(shown.settle());
        QVERIFY2(shown.message().contains(QLatin1String("moved.onnx")), qPrintable(shown.message()));
        QVERIFY(!document.isModelMissing() && !offer.isVisible());
        QVERIFY(!shown.child<QAction>("findModel")->isEnabled());
    }

    void placesAreNamesOfNodes() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        Document& document = shown.window.document();
        auto* rows = shown.child<QTableView>("rewritesTable");
        QTRY_VERIFY(rows->model()->rowCount() > 0);
        int relu = -1;
        for (int row = 0; row < rows->model()->rowCount(); ++row) {
            if (rows->model()->index(row, 0).data().toString().startsWith(QLatin1String("tensor_relu_relu")))
                relu = row;
        }
        QVERIFY(relu >= 0);
        const QModelIndex where = rows->model()->index(relu, RewritesModel::WhereColumn);
        QVERIFY2(where.data().toString().startsWith(QLatin1String("r1  Relu(")), qPrintable(where.data().toString()));
        QVERIFY(where.data(Qt::ToolTipRole).toString().endsWith(QLatin1String("\n/0")));
        rows->selectRow(relu);
        QTRY_VERIFY(shown.window.selection().rewrite().has_value());
        QVERIFY(part<QLabel>(shown.window, "rewritePreviewTitle").text().endsWith(QLatin1String("at r1")));
        document.apply(*shown.window.selection().rewrite());
        QVERIFY(shown.settle());
        const QAbstractItemModel& history = *shown.child<QTreeView>("historyTree")->model();
        QStringList texts;
        QStringList toolTips;
        for (int row = 0; row < history.rowCount(); ++row) {
            texts << history.index(row, 0).data().toString();
            toolTips << history.index(row, 0).data(Qt::ToolTipRole).toString();
        }
        QVERIFY2(texts.join(QLatin1Char('|')).contains(QStringLiteral("tensor_relu_relu → @ r1")),
                 qPrintable(texts.join(QLatin1Char('|'))));
        QVERIFY(toolTips.join(QLatin1Char('|')).contains(QStringLiteral("At /0")));
        shown.window.selection().setSubterm(ir::Path{0});
        QVERIFY(shown.settle());
        QVERIFY(!part<QLabel>(shown.window, "programStatus").text().contains(QLatin1Char('/')));
        QVERIFY(part<QLabel>(shown.window, "programStatus").toolTip().contains(QLatin1String("at /0")));
    }

    void fitShowsAllOfALargeGraph() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QString::fromStdString(test::layeredListing(150)));
        QVERIFY(shown.isOpen());
        auto& graph = part<ProgramGraph>(shown.window, "programGraph");
        const GraphView& view = graph.view();
        QTest::mouseClick(&part<QToolButton>(graph, "graphExpand"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QVERIFY(view.graph().nodes.size() > 700);
        const auto outside = [&view] {
            std::size_t count = 0;
            for (GraphIndex node = 0; node < view.graph().nodes.size(); ++node)
                count += view.viewport()->rect().contains(view.rectOf(node)) ? 0 : 1;
            return count;
        };
        QVERIFY(outside() > 0);
        QTest::mouseClick(&part<QToolButton>(graph, "graphFit"), Qt::LeftButton);
        QVERIFY(shown.settle());
        QCOMPARE(outside(), std::size_t(0));
        // In other room too, and until its user zooms.
        shown.window.resize(1400, 900);
        QVERIFY(shown.settle());
        QCOMPARE(outside(), std::size_t(0));
        QTest::mouseClick(&part<QToolButton>(graph, "graphLarger"), Qt::LeftButton);
        const double scale = view.transform().m11();
        shown.window.resize(1280, 800);
        QVERIFY(shown.settle());
        QCOMPARE(view.transform().m11(), scale);
    }

    void sharesAreTheSameEverywhere() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        Document& document = shown.window.document();
        shown.child<QDockWidget>("dockCost")->raise();
        QVERIFY(shown.settle());
        const std::vector<cost::CostPart> parts = document.explainCost(document.current().root);
        for (const ir::Path& path : {ir::Path{0}, ir::Path{0, 0, 0}, ir::Path{1, 0}}) {
            shown.window.selection().setSubterm(path);
            QVERIFY(shown.settle());
            const auto place = nodePlaces(document.bank(), document.current()).find(path);
            QVERIFY(place);
            const cost::CostPart& explained = parts[*place];
            const QString own = QStringLiteral("own cost %1, %2 % of %3")
                                    .arg(amountText(explained.own, QStringLiteral("µs")),
                                         QLocale().toString(100 * explained.own / parts[0].total, 'f', 1),
                                         amountText(parts[0].total, QStringLiteral("µs")));
            const QString status = part<QLabel>(shown.window, "programStatus").text();
            QVERIFY2(status.contains(own), qPrintable(status + u'|' + own));
            QTRY_VERIFY(part<QLabel>(shown.window, "costTitle").text().contains(own));
        }
    }

    void noInternalNamesAreShown() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        shown.child<QDockWidget>("dockCost")->raise();
        QVERIFY(shown.settle());
        QStringList texts;
        const auto read = [&texts](QAbstractItemView* view) {
            const QAbstractItemModel& model = *view->model();
            for (int row = 0; row < model.rowCount(); ++row) {
                for (int column = 0; column < model.columnCount(); ++column)
                    texts << model.index(row, column).data().toString()
                          << model.index(row, column).data(Qt::ToolTipRole).toString();
            }
        };
        for (const ir::Path& path : {ir::Path{}, ir::Path{0}, ir::Path{1}, ir::Path{1, 0}}) {
            shown.window.selection().setSubterm(path);
            QVERIFY(shown.settle());
            QTRY_VERIFY(part<QTableView>(shown.window, "costTable").model()->rowCount() > 0);
            read(&part<QTableView>(shown.window, "costTable"));
            texts << part<QLabel>(shown.window, "programStatus").text()
                  << part<QLabel>(shown.window, "costTitle").text();
        }
        shown.window.saturate(test::saturation(3, 2'000, 2.0));
        QVERIFY(shown.settle());
        read(&part<QTableView>(shown.window, "egraphClasses"));
        for (const auto& node : shown.window.egraph().snapshot()->nodes) texts << QString::fromStdString(node.op);
        const QString all = texts.join(QLatin1Char('\n'));
        QVERIFY2(!all.contains(QLatin1Char('$')), qPrintable(all));
        QVERIFY(!all.contains(QRegularExpression(QStringLiteral("%[0-9]"))));
        QVERIFY(texts.contains(QLatin1String("w1")));
        QVERIFY(std::ranges::any_of(texts, [](const QString& text) { return text.startsWith(QLatin1String("Conv")); }));
    }

    void removedNodesAreDrawn() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        Document& document = shown.window.document();
        document.apply(*test::findStep(document, "tensor_relu_relu"));
        QVERIFY(shown.settle());
        auto& graph = part<ProgramGraph>(shown.window, "programGraph");
        const auto removed = [&graph] {
            QStringList titles;
            for (const GraphNode& node : graph.view().graph().nodes) {
                if (node.removed) titles << node.title;
            }
            return titles;
        };
        QCOMPARE(removed(), QStringList());
        const std::size_t boxes = graph.view().graph().nodes.size();
        shown.trigger("compareStart");
        QVERIFY(shown.settle());
        QVERIFY2(removed().contains(QStringLiteral("− Relu")), qPrintable(removed().join(QLatin1Char(' '))));
        QVERIFY(graph.footer().contains(QLatin1String("removed nodes, dashed: ")));
        // What was below it and above it is joined with it.
        int dashed = 0;
        for (const GraphEdge& edge : graph.view().graph().edges) dashed += edge.dashed ? 1 : 0;
        QVERIFY(dashed >= 2);
        QVERIFY(test::takePictures(shown.window, QStringLiteral("removed-nodes")));
        // A click on one selects nothing.
        const auto ghost = static_cast<GraphIndex>(graph.view().graph().nodes.size() - 1);
        graph.view().reveal(ghost);
        QTest::mouseClick(graph.view().viewport(), Qt::LeftButton, {}, graph.view().rectOf(ghost).center());
        QVERIFY(!shown.window.selection().subterm());
        shown.trigger("compareNone");
        QVERIFY(shown.settle());
        QCOMPARE(removed(), QStringList());
        QCOMPARE(graph.view().graph().nodes.size(), boxes);
    }

    /// Two searches beside each other, what they found compared with the start, and pictures of it all.
    void searchesOfANetworkAreCompared() {
        Window shown;
        Document& document = shown.window.document();
        document.openNetwork(QStringLiteral("squeezenet"), false);
        QVERIFY(shown.isOpen());
        for (const char* strategy : {"greedy", "astar"}) {
            document.checkout(document.history().start());
            SearchSettings settings;
            settings.strategy = QLatin1String(strategy);
            settings.budget.evaluations = 300;
            document.startSearch(settings);
            QVERIFY(shown.settle());
        }
        QCOMPARE(document.runs().size(), std::size_t(2));
        for (const Run& run : document.runs()) {
            QVERIFY(run.threadChecked && run.bestCost < run.initialCost);
            QVERIFY2(verdictText(run).contains(QLatin1String(" checked; same values ")), qPrintable(verdictText(run)));
        }
        document.goToBest();
        QVERIFY(shown.settle());
        shown.trigger("compareStart");
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("network-compared")));
        shown.window.showProgramAs(QStringLiteral("text"));
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("network-compared-text")));
        shown.child<QDockWidget>("dockCostCurve")->raise();
        auto* what = shown.child<QComboBox>("curveWhat");
        for (const int shownCurve : {1, 2}) {
            what->setCurrentIndex(shownCurve);
            QVERIFY(shown.settle());
            QVERIFY(test::takePictures(shown.window, QStringLiteral("network-curves-%1").arg(shownCurve)));
        }
    }

    void foldedWeightsAreCheckedByValue() {
        const QTemporaryDir folder;
        Window shown;
        shown.window.document().openText(
            QStringLiteral("typed"), QStringLiteral("graph folding(x: f32[2,4])\n  weight a: f32[4,4]\n"
                                                    "  weight b: f32[4,4]\n  y = MatMul(x, Add(a, b))\n  return y\n"));
        QVERIFY(shown.isOpen());
        shown.trigger("export");
        auto* dialog = shown.child<ExportDialog>("exportDialog");
        QVERIFY(part<QLabel>(*dialog, "onnxWeights").text().contains(QLatin1String("random numbers")));
        part<QPushButton>(*dialog, "exportSave").click();
        chooseFile(*dialog, "exportSaveDialog", folder.filePath(QStringLiteral("out.onnx")));
        auto& verdict = part<QLabel>(*dialog, "onnxVerdict");
        QTRY_VERIFY2(verdict.text().contains(QLatin1String("no check failed")), qPrintable(verdict.text()));
        QVERIFY(part<QLabel>(*dialog, "onnxReading").text().contains(QLatin1String("not checked")));
        QVERIFY(part<QLabel>(*dialog, "onnxValues").text().startsWith(QStringLiteral("✓")));
    }

    void picturesOfANetwork() {
        for (const bool dark : {false, true}) {
            applyAppearance(*qApp, dark ? Appearance::Dark : Appearance::Light);
            Window shown;
            shown.window.document().openNetwork(QStringLiteral("squeezenet"), false);
            QVERIFY(shown.isOpen());
            QDir().mkpath(QStringLiteral(MITOS_BINARY_DIR "/screenshots"));
            for (const char* rendering : {"text", "tree", "graph"}) {
                shown.window.showProgramAs(QLatin1String(rendering));
                QVERIFY(shown.settle());
                QVERIFY(shown.window.grab().save(
                    QStringLiteral(MITOS_BINARY_DIR "/screenshots/tensor-%1-%2.png")
                        .arg(QLatin1String(rendering), dark ? QLatin1String("dark") : QLatin1String("light"))));
            }
        }
        applyAppearance(*qApp, Appearance::Light);
    }
};

MITOS_TEST(TestTensorDesktop)

}  // namespace tst_tensor_desktop

#include "tst_tensor_desktop.moc"
