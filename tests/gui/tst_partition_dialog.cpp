// SPDX-License-Identifier: GPL-3.0-or-later
// Partition… in the window: regions in the list and in every form of the program, searched, written, opened; two programs, undo, reopening, closing
// in the middle; bad input.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/sample_window.h"
#include "tests/support/test_program.h"
#include "views/graph/graph_view.h"
#include "views/history/history_model.h"
#include "views/partition/partition_dialog.h"
#include "views/program/code_view.h"
#include "views/program/program_tree_model.h"
#include "views/program/program_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>

namespace tst_partition_dialog {

using namespace mitos;
using namespace mitos::views;

namespace {

/// Two products, each with two relus of which one does nothing; the first product is a result, too.
constexpr const char* TwoLayers = R"(graph two(x: f32[8,8])
  weight w: f32[8,8]
  weight v: f32[8,8]
  m = MatMul(x, w)
  a = Relu(m)
  b = Relu(a)
  n = MatMul(b, v)
  c = Relu(n)
  d = Relu(c)
  return (d, m)
)";

/// The pattern Relu(Add(…)) leads out of the match and back: t is used inside and computed from r outside.
constexpr const char* Cycle = R"(graph cycle(x: f32[8])
  r = Relu(x)
  t = Exp(r)
  s = Add(r, t)
  return s
)";

struct Window : test::SampleWindow {
    QTemporaryDir folder;
    PartitionDialog* dialog = nullptr;

    bool openListing(const char* text, const char* name = "two.txt") {
        return open(test::writeText(folder, QLatin1String(name), text));
    }
    /// The dialog with that pattern, once its regions are known.
    bool ask(const QString& pattern) {
        window.findChild<QAction*>(QStringLiteral("partition"))->trigger();
        dialog = window.findChild<PartitionDialog*>();
        return dialog != nullptr && settle() && type(pattern);
    }
    void close() {
        dialog->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        dialog = nullptr;
    }
    bool type(const QString& pattern) {
        auto* edit = part<QComboBox>("partitionPattern").lineEdit();
        edit->selectAll();
        QTest::keyClicks(edit, pattern);
        QTest::keyClick(edit, Qt::Key_Return);
        return settle();
    }
    template <typename T>
    [[nodiscard]] T& part(const char* name) const {
        T* found = dialog->findChild<T*>(QLatin1String(name));
        if (found == nullptr) qFatal("no %s", name);
        return *found;
    }
    [[nodiscard]] QString text(const char* label) const { return part<QLabel>(label).text(); }
    void click(const char* button) const {
        QVERIFY2(part<QPushButton>(button).isEnabled(), button);
        QTest::mouseClick(&part<QPushButton>(button), Qt::LeftButton);
    }
    /// The cells of a row, the columns separated by bars.
    [[nodiscard]] QString row(const char* table, int row, int columns) const {
        const QAbstractItemModel* const model = part<QTableView>(table).model();
        QStringList cells;
        for (int column = 0; column < columns; ++column) cells << model->index(row, column).data().toString();
        return cells.join(QStringLiteral(" | "));
    }
    [[nodiscard]] int rows(const char* table = "partitionRegions") const {
        return part<QTableView>(table).model()->rowCount();
    }
    void selectRow(int row) const { part<QTableView>("partitionRegions").selectRow(row); }
    [[nodiscard]] GraphView& graph() { return *child<ProgramView>("programView")->findChild<GraphView*>(); }
    [[nodiscard]] CodeView& code() { return *child<CodeView>("programText"); }
    /// The titles of the frames of regions.
    [[nodiscard]] QStringList frames() {
        QStringList titles;
        for (const std::size_t group : graph().framedGroups()) {
            if (graph().graph().groups[group].isRegion) titles << graph().graph().groups[group].title;
        }
        return titles;
    }
    /// The text of the ranges with a mark.
    [[nodiscard]] QStringList marked(CodeView::Mark mark) {
        QStringList found;
        for (const TextRange& range : code().marks(mark))
            found << code().text().mid(range.begin, range.end - range.begin).simplified();
        return found;
    }
    [[nodiscard]] bool showGraph() {
        window.showProgramAs(QStringLiteral("graph"));
        return settle();
    }
};

}  // namespace

class TestPartitionDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void isForNetworks() {
        Window shown;
        auto* action = shown.child<QAction>("partition");
        QVERIFY(!action->isEnabled());
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        QVERIFY(!action->isEnabled());
        QCOMPARE(action->toolTip(), QStringLiteral("A ks program is not divided into regions; networks are"));
        QVERIFY(shown.openListing(TwoLayers));
        QVERIFY(action->isEnabled());
    }

    void listsRegions() {
        Window shown;
        QVERIFY(shown.openListing(TwoLayers));
        shown.document().setCostModel(QStringLiteral("size"));
        QVERIFY(shown.settle());
        QVERIFY(shown.ask(QStringLiteral("MatMulEpilog")));
        const QAbstractItemModelTester regions(shown.part<QTableView>("partitionRegions").model());
        const QAbstractItemModelTester refused(shown.part<QTableView>("partitionRefused").model());
        QCOMPARE(shown.rows(), 2);
        QCOMPARE(shown.row("partitionRegions", 0, 7),
                 QStringLiteral("1 | 1 | d | b: f32[8,8] | d: f32[8,8] | greedy | 3"));
        QCOMPARE(shown.row("partitionRegions", 1, 7),
                 QStringLiteral("2 | 2 | b | x: f32[8,8] | m: f32[8,8], b: f32[8,8] | greedy | 3"));
        QVERIFY2(shown.text("partitionSummary")
                     .startsWith(QStringLiteral("MatMulEpilog(a, b): 2 regions with 6 of 6 operators, ")),
                 qPrintable(shown.text("partitionSummary")));
        QVERIFY(!shown.part<QTableView>("partitionRefused").isVisible());
        QVERIFY(shown.text("partitionExplanation").startsWith(QStringLiteral("A product followed by operators")));

        // A left side of one's own, and a least number of operators.
        QVERIFY(shown.type(QStringLiteral("Relu(Relu(y))")));
        QCOMPARE(shown.rows(), 2);
        QCOMPARE(shown.row("partitionRegions", 1, 7),
                 QStringLiteral("2 | 1 | b | m: f32[8,8] | b: f32[8,8] | greedy | 2"));
        QVERIFY(shown.type(QStringLiteral("Relu(y)")));
        QCOMPARE(shown.rows(), 4);
        shown.part<QSpinBox>("partitionLeast").setValue(2);
        QTRY_VERIFY(shown.rows() == 0 && shown.window.isSettled());
        QCOMPARE(shown.text("partitionSummary"), QStringLiteral("Relu(y) matches nowhere."));
        QVERIFY(!shown.part<QPushButton>("partitionSearch").isEnabled());
        QVERIFY(!shown.part<QPushButton>("partitionExport").isEnabled());
    }

    /// The list has the patterns of the user's own files; what is wrong with a pattern is said in the dialog.
    void patternsOfFilesAndBadOnes() {
        Window shown;
        const QString own = test::writeText(
            shown.folder, QStringLiteral("own.rules"),
            "use tensor\n# Two of them.\npattern Twice(y) = Relu(Relu(y))\npattern Loop(y) = Loop(y)\n");
        QVERIFY(!own.isEmpty());
        QSettings().setValue(QStringLiteral("rule-sets"), QStringList{own});
        QVERIFY(shown.openListing(TwoLayers));
        QVERIFY(shown.ask(QStringLiteral("Twice")));
        const auto& list = shown.part<QComboBox>("partitionPattern");
        QVERIFY(list.findText(QStringLiteral("Twice")) >= 0);
        QVERIFY(list.findText(QStringLiteral("SoftmaxAttention")) >= 0);
        QCOMPARE(shown.rows(), 2);
        QCOMPARE(shown.text("partitionExplanation"), QStringLiteral("Two of them."));
        const auto says = [&](const QString& pattern, const char* message) {
            QVERIFY(shown.type(pattern));
            QVERIFY2(shown.text("partitionSummary").startsWith(u'✗'), qPrintable(shown.text("partitionSummary")));
            QVERIFY2(shown.text("partitionSummary").contains(QLatin1String(message)),
                     qPrintable(shown.text("partitionSummary")));
            QCOMPARE(shown.rows(), 0);
        };
        says(QStringLiteral("Loop"), "Loop can unfold forever without consuming an operator: Loop -> Loop");
        says(QStringLiteral("MatMulEpilogue"), "did you mean MatMulEpilog?");
        says(QStringLiteral("MatMull(x, y)"), "there is no operator MatMull");
        QVERIFY(shown.type(QStringLiteral("Twice")));
        QCOMPARE(shown.rows(), 2);
    }

    void refusedMatchesNameTheirLaw() {
        Window shown;
        QVERIFY(shown.openListing(Cycle));
        QVERIFY(shown.ask(QStringLiteral("Add(Relu(y), z)")));
        QCOMPARE(shown.rows(), 0);
        QCOMPARE(shown.rows("partitionRefused"), 1);
        QVERIFY(shown.part<QTableView>("partitionRefused").isVisible());
        QCOMPARE(shown.row("partitionRefused", 0, 4), QStringLiteral("s | t leads out of it and back into it |  | 2"));
        QCOMPARE(
            shown.part<QTableView>("partitionRefused").model()->index(0, 1).data(Qt::ToolTipRole).toString(),
            QStringLiteral("t leads out of it and back into it, but nothing leads out of a region and back into it"));
        shown.part<QTableView>("partitionRefused").selectRow(0);
        QCOMPARE(shown.window.selection().subterm(), std::optional(ir::Path()));
    }

    void everyFormShowsThem() {
        Window shown;
        QVERIFY(shown.openListing(TwoLayers));
        QVERIFY(shown.showGraph());
        QVERIFY(shown.ask(QStringLiteral("MatMulEpilog")));
        QTRY_COMPARE(shown.frames(), (QStringList{QStringLiteral("MatMulEpilog 1"), QStringLiteral("MatMulEpilog 2")}));
        QVERIFY(!shown.graph().chosenGroup());
        shown.selectRow(1);
        QVERIFY(shown.settle());
        QVERIFY(shown.graph().chosenGroup());
        QCOMPARE(shown.graph().graph().groups[*shown.graph().chosenGroup()].title, QStringLiteral("MatMulEpilog 2"));
        QCOMPARE(ir::toString(*shown.window.selection().subterm()), std::string("/0/0/0/0"));
        QVERIFY(shown.child<QLabel>("programStatus")->text().contains(QStringLiteral("in MatMulEpilog 2")));

        // The title of a frame selects the row.
        const std::size_t first = *shown.graph().chosenGroup() - 1;
        const QRect title = shown.graph().titleRectOf(first);
        QVERIFY(!title.isEmpty());
        QTest::mouseClick(shown.graph().viewport(), Qt::LeftButton, {}, title.center());
        QCOMPARE(shown.window.regions().chosen(), std::optional<std::size_t>(0));
        QCOMPARE(shown.part<QTableView>("partitionRegions").selectionModel()->selectedRows().front().row(), 0);

        shown.window.showProgramAs(QStringLiteral("text"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.marked(CodeView::Mark::Region).size(), 6);
        const QStringList chosen = shown.marked(CodeView::Mark::Shared);
        QCOMPARE(chosen.size(), 3);
        QVERIFY2(chosen.front().startsWith(QStringLiteral("n = MatMul(b, v)")), qPrintable(chosen.front()));
        shown.window.showProgramAs(QStringLiteral("tree"));
        auto* model = qobject_cast<ProgramTreeModel*>(shown.child<QTreeView>("programTree")->model());
        int highlighted = 0;
        for (NodeIndex node = 0; node < 10; ++node) {
            const QModelIndex index = model->indexOf(node);
            highlighted += index.isValid() && model->data(index, Qt::BackgroundRole).isValid() ? 1 : 0;
        }
        QCOMPARE(highlighted, 3);

        // They stay until they are cleared.
        shown.close();
        QVERIFY(shown.showGraph());
        QTRY_COMPARE(shown.frames().size(), 2);
        QVERIFY(shown.ask(QStringLiteral("MatMulEpilog")));
        shown.click("partitionClear");
        QVERIFY(shown.settle());
        QVERIFY(shown.frames().isEmpty());
        QVERIFY(shown.marked(CodeView::Mark::Region).isEmpty());
        QCOMPARE(shown.rows(), 0);
    }

    /// The run's thread names the regions, also in the reopened session; going back shows the regions of the start.
    void searchesAndUndoes() {
        QString session;
        {
            Window shown;
            QVERIFY(shown.openListing(TwoLayers));
            QVERIFY(shown.ask(QStringLiteral("MatMulEpilog")));
            shown.window.setBudgetSeconds(0.0);
            shown.part<QComboBox>("partitionScope").setCurrentIndex(2);
            QVERIFY(!shown.part<QPushButton>("partitionSearch").isEnabled());  // none is selected
            shown.part<QComboBox>("partitionScope").setCurrentIndex(0);
            shown.click("partitionSearch");
            QVERIFY(shown.settle());
            QCOMPARE(shown.document().runs().size(), std::size_t(1));
            const Run& run = shown.document().runs().front();
            QCOMPARE(run.strategy, std::string("regions"));
            QVERIFY(run.verdict.has_value());
            QVERIFY2(run.thread.find(" in MatMulEpilog 1\n") != std::string::npos, run.thread.c_str());
            const rewrite::History& history = shown.document().history();
            QVERIFY(history.current() != history.start());
            QVERIFY(history.state(history.current()).cost < history.state(history.start()).cost);
            // The regions are those of the result by now.
            QVERIFY(shown.window.regions().found()->program.root == shown.document().current().root);
            const auto named = [&] {
                HistoryModel model(shown.document());
                QStringList details;
                for (std::uint32_t i = 1; i < history.size(); ++i)
                    details << model.row(model.indexOf(rewrite::StateId(i))).detail;
                return details.join(u'\n');
            };
            QTRY_VERIFY2(named().contains(QStringLiteral(" in MatMulEpilog ")), qPrintable(named()));
            while (shown.document().history().current() != history.start()) shown.trigger("undo");
            QVERIFY(shown.settle());
            QCOMPARE(shown.row("partitionRegions", 0, 3), QStringLiteral("1 | 1 | d"));

            // One region alone.
            shown.selectRow(1);
            shown.part<QComboBox>("partitionScope").setCurrentIndex(2);
            shown.click("partitionSearch");
            QVERIFY(shown.settle());
            QCOMPARE(shown.document().runs().size(), std::size_t(2));
            const std::string& thread = shown.document().runs().back().thread;
            QVERIFY2(thread.find(" in MatMulEpilog 2\n") != std::string::npos, thread.c_str());
            QVERIFY(thread.find(" in MatMulEpilog 1\n") == std::string::npos);
            session = shown.document().sessionPath();
        }
        Window again;
        again.window.openSession(session);
        QVERIFY(again.isOpen());
        QCOMPARE(again.document().runs().size(), std::size_t(2));
        bool isNamed = false;
        for (std::uint32_t i = 1; i < again.document().history().size(); ++i) {
            const auto& step = again.document().history().state(rewrite::StateId(i)).step;
            isNamed = isNamed || (step && step->region != nullptr && step->region->name == "MatMulEpilog 2");
        }
        QVERIFY(isNamed);
        // The regions come back with the program.
        QVERIFY(again.window.regions().found() != nullptr);
        QCOMPARE(again.window.regions().found()->regions.size(), std::size_t(2));
    }

    /// Each form has its strategy, with parameters; one run takes them all.
    void formsHaveStrategies() {
        Window shown;
        QVERIFY(shown.openListing(TwoLayers));
        QVERIFY(shown.ask(QStringLiteral("MatMulEpilog")));
        shown.window.setBudgetSeconds(0.0);
        constexpr int Strategy = 5;
        const auto strategies = [&] {
            const QAbstractItemModel* const model = shown.part<QTableView>("partitionRegions").model();
            return QStringList{model->index(0, Strategy).data().toString(),
                               model->index(1, Strategy).data().toString()};
        };
        const auto choose = [&](const QString& name) {
            auto& box = shown.part<QComboBox>("partitionStrategy");
            box.setCurrentIndex(box.findData(name));
            Q_EMIT box.activated(box.currentIndex());
        };
        QCOMPARE(strategies(), (QStringList{QStringLiteral("greedy"), QStringLiteral("greedy")}));
        QCOMPARE(shown.part<QComboBox>("partitionStrategy").findData(QStringLiteral("portfolio")), -1);
        shown.selectRow(1);
        auto& scope = shown.part<QComboBox>("partitionScope");
        QCOMPARE(scope.itemText(1), QStringLiteral("Form 2"));
        scope.setCurrentIndex(1);
        choose(QStringLiteral("mcts"));
        shown.click("partitionParameters");
        auto* dialog = shown.dialog->findChild<QDialog*>(QStringLiteral("partitionParametersDialog"));
        QVERIFY(dialog != nullptr);
        dialog->findChild<QSpinBox*>(QStringLiteral("parameter.depth"))->setValue(7);
        dialog->accept();
        QCOMPARE(strategies(), (QStringList{QStringLiteral("greedy"), QStringLiteral("mcts(depth=7)")}));
        scope.setCurrentIndex(0);
        QCOMPARE(shown.part<QComboBox>("partitionStrategy").currentData().toString(), QStringLiteral("greedy"));
        shown.click("partitionSearch");
        QVERIFY(shown.settle());
        const Run& run = shown.document().runs().back();
        QCOMPARE(std::get<std::string>(run.parameters.at("part")), std::string("greedy; 2: mcts(depth=7)"));
        QVERIFY(run.thread.find(" in MatMulEpilog 1\n") != std::string::npos);
        QVERIFY(run.thread.find(" in MatMulEpilog 2\n") != std::string::npos);
        // The forms of the result are others; what is chosen for all stays.
        QCOMPARE(strategies().front(), QStringLiteral("greedy"));
        while (shown.document().history().current() != shown.document().history().start()) shown.trigger("undo");
        QVERIFY(shown.settle());
        // A form that is not searched.
        shown.selectRow(0);
        scope.setCurrentIndex(1);
        choose(QString());
        QVERIFY(!shown.part<QPushButton>("partitionSearch").isEnabled());
        scope.setCurrentIndex(0);
        QCOMPARE(strategies(), (QStringList{QStringLiteral("not searched"), QStringLiteral("greedy")}));
        shown.click("partitionSearch");
        QVERIFY(shown.settle());
        const std::string& thread = shown.document().runs().back().thread;
        QVERIFY(thread.find(" in MatMulEpilog 1\n") == std::string::npos);
        QVERIFY(thread.find(" in MatMulEpilog 2\n") != std::string::npos);
        choose(QString());  // for all
        QVERIFY(!shown.part<QPushButton>("partitionSearch").isEnabled());
    }

    void exports() {
        Window shown;
        QVERIFY(shown.openListing(TwoLayers));
        QVERIFY(shown.ask(QStringLiteral("MatMulEpilog")));
        const QString out = shown.folder.filePath(QStringLiteral("out"));
        QVERIFY(QDir().mkpath(out));
        shown.click("partitionExport");
        auto* chooser = shown.dialog->findChild<QFileDialog*>(QStringLiteral("partitionFolderDialog"));
        QVERIFY(chooser != nullptr);
        Q_EMIT chooser->fileSelected(out);
        chooser->close();
        QVERIFY(shown.settle());
        QCOMPARE(shown.text("partitionStatus"), QStringLiteral("✓ 2 of 2 regions written to %1.").arg(out));
        QCOMPARE(QDir(out).entryList(QDir::Files),
                 (QStringList{QStringLiteral("region-1.onnx"), QStringLiteral("region-2.onnx"),
                              QStringLiteral("regions.json")}));
        QFile file(out + QStringLiteral("/regions.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject list = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(list[QStringLiteral("pattern")].toString(), QStringLiteral("MatMulEpilog(a, b)"));
        const QJsonObject second = list[QStringLiteral("regions")][1].toObject();
        QCOMPARE(second[QStringLiteral("position")].toString(), QStringLiteral("/0/0/0/0"));
        QCOMPARE(second[QStringLiteral("inputs")][0][QStringLiteral("type")].toString(), QStringLiteral("f32[8,8]"));
        QCOMPARE(second[QStringLiteral("operators")].toArray().size(), 3);
        QCOMPARE(list[QStringLiteral("files")][1][QStringLiteral("file")].toString(),
                 out + QStringLiteral("/region-2.onnx"));

        shown.dialog->exportTo(QStringLiteral("/proc/regions"));
        QVERIFY(shown.settle());
        QVERIFY2(shown.text("partitionStatus").startsWith(QStringLiteral("✗ ")) &&
                     shown.text("partitionStatus").contains(QStringLiteral("cannot make the folder /proc/regions")),
                 qPrintable(shown.text("partitionStatus")));

        auto& format = shown.part<QComboBox>("partitionFormat");
        format.setCurrentIndex(format.findData(QStringLiteral("c++")));
        shown.click("partitionExport");
        QVERIFY(shown.dialog->findChild<QFileDialog*>(QStringLiteral("partitionFolderDialog")) == nullptr ||
                !shown.dialog->findChild<QFileDialog*>(QStringLiteral("partitionFolderDialog"))->isVisible());
        QVERIFY2(shown.text("partitionStatus").contains(QStringLiteral("tensor programs have no C++ form")),
                 qPrintable(shown.text("partitionStatus")));

        // A written region is a model that opens.
        QVERIFY(shown.open(out + QStringLiteral("/region-2.onnx")));
        QVERIFY(shown.document().title().startsWith(QStringLiteral("region-2.onnx")));
        QVERIFY(!shown.document().model()->isSampled);
    }

    /// A region becomes a second program; frames belong to their own program, and come back with it.
    void twoPrograms() {
        Window shown;
        QVERIFY(shown.openListing(TwoLayers));
        QVERIFY(shown.showGraph());
        QVERIFY(shown.ask(QStringLiteral("MatMulEpilog")));
        QVERIFY(!shown.part<QPushButton>("partitionOpen").isEnabled());
        shown.selectRow(1);
        const QString first = shown.document().sessionPath();
        shown.click("partitionOpen");
        QVERIFY(shown.shows("MatMulEpilog 2 of two.txt"));
        QVERIFY(shown.settle());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(shown.window.findChild<PartitionDialog*>() == nullptr);
        QVERIFY(shown.window.regions().found() == nullptr);
        QVERIFY(shown.frames().isEmpty());
        QCOMPARE(shown.programs().size(), 2);
        const ir::Function& function = shown.document().bank().function(shown.document().current().function);
        QCOMPARE(function.parameters.size(), std::size_t(1));

        // Regions of this one, too, then back and forth.
        QVERIFY(shown.ask(QStringLiteral("Relu(y)")));
        QCOMPARE(shown.rows(), 2);
        shown.window.openSession(first);
        QVERIFY(shown.shows("two.txt") && shown.settle());
        QVERIFY(shown.showGraph());
        QTRY_COMPARE(shown.frames().size(), 2);
        QTRY_COMPARE(shown.frames().front(), QStringLiteral("MatMulEpilog 1"));
        // A step moves the frames along.
        shown.document().apply(*test::anyStep(shown.document()));
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.frames().size(), 2);
        shown.trigger("undo");
        QVERIFY(shown.settle());
        QTRY_COMPARE(shown.frames().size(), 2);
        // A ks program has none.
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        QVERIFY(shown.window.regions().found() == nullptr);
    }

    /// A day with two networks: attentions, epilogs, one of them searched, undone; another network, and back; the session reopened.
    void twoNetworks() {
        QString session;
        std::string searched;
        {
            Window shown;
            shown.window.openNetwork(QStringLiteral("bert"), true);
            QVERIFY(shown.isOpen());
            session = shown.document().sessionPath();
            QVERIFY(shown.ask(QStringLiteral("HeadedAttention")));
            QCOMPARE(shown.rows(), 8);
            QVERIFY(shown.type(QStringLiteral("Epilog")));
            QCOMPARE(shown.rows(), 64);
            shown.selectRow(1);
            shown.part<QComboBox>("partitionScope").setCurrentIndex(2);
            shown.window.setBudgetSeconds(2.0);
            shown.click("partitionSearch");
            QVERIFY(shown.settle());
            QCOMPARE(shown.document().runs().size(), std::size_t(1));
            searched = shown.document().runs().front().thread;
            QVERIFY2(searched.find(" in Epilog 2\n") != std::string::npos, searched.substr(0, 2000).c_str());
            const auto& history = shown.document().history();
            QVERIFY(history.state(history.current()).cost < history.state(history.start()).cost);
            QVERIFY(shown.window.regions().found()->program.root == shown.document().current().root);
            shown.trigger("undo");
            QVERIFY(shown.settle());
            QCOMPARE(shown.rows(), 64);
            shown.trigger("redo");
            QVERIFY(shown.settle());

            shown.window.openNetwork(QStringLiteral("resnet-50"), false);
            QTRY_VERIFY_WITH_TIMEOUT(shown.document().isOpen() && shown.document().sessionPath() != session, 30'000);
            QVERIFY(shown.settle());
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            QVERIFY(shown.window.findChild<PartitionDialog*>() == nullptr);
            QVERIFY(shown.window.regions().found() == nullptr);
            QVERIFY(shown.ask(QStringLiteral("Epilog")));
            QVERIFY(shown.rows() > 0);
            const int ofSecond = shown.rows();
            shown.window.setBudgetSeconds(30.0);
            shown.click("partitionSearch");
            QVERIFY(shown.document().runningSearches() > 0);
            // Back to the first one in the middle of it.
            shown.window.openSession(session);
            QTRY_VERIFY_WITH_TIMEOUT(shown.document().isOpen() && shown.document().sessionPath() == session, 30'000);
            QTRY_VERIFY_WITH_TIMEOUT(shown.window.regions().found() != nullptr, 30'000);
            QVERIFY(shown.window.regions().found() != nullptr);
            QCOMPARE(shown.window.regions().request()->pattern, QStringLiteral("Epilog"));
            QVERIFY(static_cast<int>(shown.window.regions().found()->regions.size()) != ofSecond);
            // And closed in the middle of another one.
            QVERIFY(shown.ask(QStringLiteral("Epilog")));
            shown.click("partitionSearch");
            QVERIFY(shown.document().runningSearches() > 0);
        }
        Window again;
        again.window.openSession(session);
        QVERIFY(again.isOpen() && again.settle());
        QVERIFY(again.document().runs().front().thread == searched);
        std::size_t named = 0;
        const auto& history = again.document().history();
        for (std::uint32_t i = 1; i < history.size(); ++i) {
            const auto& step = history.state(rewrite::StateId(i)).step;
            named += step && step->region != nullptr && step->region->name == "Epilog 2" ? 1 : 0;
        }
        QVERIFY(named > 0);
        QVERIFY(again.window.regions().found() != nullptr);
        const rewrite::Thread thread = history.threadTo(history.current());
        const rewrite::ThreadReport report = rewrite::check(again.document().bank(), thread);
        QVERIFY2(report.valid, report.reason.c_str());
    }

    /// Whatever is going on, the dialog, the program and the window can be closed.
    void closesInTheMiddle() {
        {
            Window shown;
            shown.window.openNetwork(QStringLiteral("squeezenet"), false);
            QVERIFY(shown.isOpen());
            shown.window.findChild<QAction*>(QStringLiteral("partition"))->trigger();
            shown.dialog = shown.window.findChild<PartitionDialog*>();
            QVERIFY(shown.dialog != nullptr);
            shown.close();
            shown.window.setBudgetSeconds(2.0);
            QVERIFY(shown.ask(QStringLiteral("Epilog")));
            QVERIFY(shown.rows() > 0);
            shown.dialog->exportTo(shown.folder.filePath(QStringLiteral("out")));
            shown.close();  // the export goes on
            QVERIFY(shown.settle());
            QVERIFY(QFile::exists(shown.folder.filePath(QStringLiteral("out/region-1.onnx"))));
            QVERIFY(shown.ask(QStringLiteral("Epilog")));
            shown.click("partitionSearch");
            QVERIFY(shown.document().runningSearches() > 0);
            QVERIFY(shown.openListing(TwoLayers));
        }
        Window shown;
        shown.window.openNetwork(QStringLiteral("squeezenet"), false);
        QVERIFY(shown.isOpen());
        shown.window.findChild<QAction*>(QStringLiteral("partition"))->trigger();
        shown.window.regions().find({.pattern = QStringLiteral("Epilog")});
        shown.window.regions().stop();
        QVERIFY(shown.settle());
        shown.window.regions().find({.pattern = QStringLiteral("Epilog")});
    }

    void looks() {
        Window shown;
        shown.window.resize(1600, 1000);
        shown.window.openNetwork(QStringLiteral("bert"), true);
        QVERIFY(shown.isOpen());
        QVERIFY(shown.showGraph());
        QVERIFY(shown.ask(QStringLiteral("SoftmaxAttention")));
        if (shown.rows() > 0) shown.selectRow(0);
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(*shown.dialog, QStringLiteral("partition-dialog")));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("partition-attention")));
        QVERIFY(shown.type(QStringLiteral("Epilog")));
        shown.selectRow(1);
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(*shown.dialog, QStringLiteral("partition-dialog-epilog")));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("partition-epilog")));
        shown.part<QComboBox>("partitionScope").setCurrentIndex(1);
        auto& strategy = shown.part<QComboBox>("partitionStrategy");
        strategy.setCurrentIndex(strategy.findData(QStringLiteral("mcts")));
        Q_EMIT strategy.activated(strategy.currentIndex());
        QVERIFY(test::takePictures(*shown.dialog, QStringLiteral("partition-strategies")));
        shown.click("partitionParameters");
        QVERIFY(test::takePictures(*shown.dialog->findChild<QDialog*>(QStringLiteral("partitionParametersDialog")),
                                   QStringLiteral("partition-parameters")));
        shown.dialog->findChild<QDialog*>(QStringLiteral("partitionParametersDialog"))->close();
        shown.window.showProgramAs(QStringLiteral("math"));
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("partition-math")));
        QVERIFY(shown.type(QStringLiteral("Epilogue")));
        QVERIFY(test::takePictures(*shown.dialog, QStringLiteral("partition-error")));
    }
};

MITOS_TEST(TestPartitionDialog)

}  // namespace tst_partition_dialog

#include "tst_partition_dialog.moc"
