// SPDX-License-Identifier: GPL-3.0-or-later
// Each action of the window after each other one, with two programs in one session: whatever was done before, nothing that is
// shown belongs to what is gone.
#include "core/base/random.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/cost_curve/internal/path_curve.h"
#include "views/cost_curve/internal/run_curves.h"
#include "views/graph/graph_view.h"
#include "views/main_window/internal/message_bar.h"
#include "views/partition/partition_dialog.h"
#include "views/rewrites/rewrites_model.h"

#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace tst_sequences {

using namespace mitos;
using namespace mitos::views;

namespace {

/// The numbers below `count`, so that each follows each other one, and itself, once: an Eulerian circuit of the complete
/// graph with loops (Hierholzer), its edges in an order that the seed says.
std::vector<std::size_t> everyPair(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<std::size_t>> next(count);
    for (auto& edges : next) {
        edges.resize(count);
        std::iota(edges.begin(), edges.end(), std::size_t{0});
        for (std::size_t i = count; i > 1; --i) std::swap(edges[i - 1], edges[random.below(i)]);
    }
    std::vector<std::size_t> open{0};
    std::vector<std::size_t> circuit;
    while (!open.empty()) {
        auto& edges = next[open.back()];
        if (edges.empty()) {
            circuit.push_back(open.back());
            open.pop_back();
        } else {
            const std::size_t to = edges.back();
            edges.pop_back();
            open.push_back(to);
        }
    }
    std::reverse(circuit.begin(), circuit.end());
    return circuit;
}

struct Action {
    QByteArray name;
    std::function<void()> work;
};

struct Window : test::ShownWindow {
    QTemporaryDir folder;
    QString listing;
    std::vector<Action> actions;
    QStringList said;  ///< errors

    Window() {
        listing = test::writeText(folder, QStringLiteral("branches.txt"), test::TwoBranches);
        QObject::connect(&window.document(), &Document::failed, &window,
                         [this](const QString& title, const QString& details) { said << title + u' ' + details; });
        addActions();
    }
    [[nodiscard]] Document& document() { return window.document(); }
    [[nodiscard]] bool isTree() { return document().dialect().sharing == ir::Sharing::Tree; }
    /// If it is possible now, as for a user.
    void tryTo(const char* name) {
        if (auto* action = child<QAction>(name); action != nullptr && action->isEnabled()) action->trigger();
    }
    void press(const char* name) {
        if (auto* button = child<QToolButton>(name); button != nullptr && button->isEnabled()) button->click();
    }
    void inDialog(const char* action, const char* name, const std::function<void(QDialog&)>& use) {
        tryTo(action);
        QPointer<QDialog> dialog = child<QDialog>(name);
        if (dialog == nullptr) return;
        QCoreApplication::processEvents();
        if (dialog != nullptr) use(*dialog);
    }
    void add(const QByteArray& name, std::function<void()> work) { actions.push_back({name, std::move(work)}); }
    void addActions();
    void addLooks();
    /// What is shown belongs to what is open.
    [[nodiscard]] QString wrong();
};

void Window::addActions() {
    const auto cancel = [](QDialog& dialog) { dialog.reject(); };
    add("open a ks program", [this] { window.openPath(test::sample("linear-algebra/gemm.ks")); });
    add("open a tensor program", [this] { window.openPath(listing); });
    add("open what is damaged", [this] { document().openText(QStringLiteral("typed"), QStringLiteral("(add x")); });
    add("type a program", [this] {
        inDialog("new", "programDialog", [](QDialog& dialog) {
            dialog.findChild<QPlainTextEdit*>(QStringLiteral("programEdit"))
                ->setPlainText(QLatin1String(test::FactorText));
            dialog.accept();
        });
    });
    add("reopen the session", [this] {
        if (const QString path = document().sessionPath(); document().isOpen() && !path.isEmpty())
            window.openSession(path);
    });
    add("next program", [this] { tryTo("nextProgram"); });
    add("close the program", [this] {
        if (document().isOpen()) tryTo("closeProgram");
    });
    add("search", [this] {
        window.setBudgetSeconds(0.1);
        tryTo("run");
    });
    add("compare searches", [this] {
        if (!document().isOpen()) return;
        SearchSettings settings{.strategy = QStringLiteral("greedy"), .parameters = {}, .budget = {}};
        settings.budget.seconds = 0.05;
        document().startComparison({settings, settings, settings});
    });
    for (const Perspective& each : perspectives()) {
        if (each.docks.isEmpty())  // "other perspective" goes to the others
            add(actionName(each).toUtf8(), [this, name = actionName(each)] { tryTo(qPrintable(name)); });
    }
    add("other rule sets", [this, number = 0]() mutable {
        if (document().isOpen() && isTree())
            document().setRules(++number % 2 == 0 ? QStringLiteral("ks-all") : QStringLiteral("ks-all,-commute_mul"));
    });
    add("stop", [this] { tryTo("stop"); });
    add("apply", [this] {
        if (!document().isOpen()) return;
        if (const auto step = test::anyStep(document())) document().apply(*step);
    });
    add("preview", [this] {
        auto* rows = child<QTableView>("rewritesTable");
        if (rows->model()->rowCount() > 0) rows->selectRow(rows->model()->rowCount() - 1);
    });
    add("undo", [this] { tryTo("undo"); });
    add("redo", [this] { tryTo("redo"); });
    add("saturate", [this] { window.saturate(test::saturation(2, 500, 0.3)); });
    add("take the cheapest", [this] { press("takeCheapest"); });
    add("slider", [this] { tryTo(window.egraph().shownStep() > 0 ? "iterationBack" : "iterationOn"); });
    add("export", [this, cancel] { inDialog("export", "exportDialog", cancel); });
    add("search settings", [this, cancel] { inDialog("searchSettings", "searchDialog", cancel); });
    add("preferences", [this, cancel] { inDialog("preferences", "preferencesDialog", cancel); });
    add("label the session", [this] { inDialog("labels", "labelsDialog", [](QDialog& dialog) { dialog.accept(); }); });
    add("all sessions", [this, cancel] { inDialog("sessions", "sessionBrowser", cancel); });
    add("layouts", [this, cancel] { inDialog("layouts", "layoutDialog", cancel); });
    addLooks();
}

void Window::addLooks() {
    add("pin", [this] { tryTo("historyPin"); });
    add("compare", [this] { tryTo("compareStart"); });
    add("other perspective", [this] {
        auto* step = child<QAction>("perspectiveStep");
        tryTo(step->isEnabled() ? "perspectiveStep" : "perspectiveSaturate");
    });
    add("other theme", [] {
        const bool isDark = Theme(QApplication::palette()).isDark();
        applyAppearance(*qApp, isDark ? Appearance::Light : Appearance::Dark);
    });
    add("other rendering", [this, number = 0]() mutable {
        window.showProgramAs(QStringList{QStringLiteral("text"), QStringLiteral("tree"), QStringLiteral("graph"),
                                         QStringLiteral("loops")}[++number % 4]);
        for (auto* view : window.findChildren<GraphView*>()) view->fit();
    });
    add("other curve", [this] {
        auto* what = child<QComboBox>("curveWhat");
        what->setCurrentIndex((what->currentIndex() + 1) % what->count());
    });
    add("other dock", [this, number = 0]() mutable {
        const char* const docks[] = {"dockMatch", "dockCost", "dockJobs", "dockCostCurve"};
        child<QDockWidget>(docks[++number % 4])->raise();
    });
    add("other cost model", [this] {
        if (!document().isOpen()) return;
        const bool isUsual = document().costModel().info().name != "size";
        document().setCostModel(isUsual    ? QStringLiteral("size")
                                : isTree() ? QStringLiteral("ks-2021")
                                           : QStringLiteral("roofline"));
    });
    add("start page", [this] { tryTo("start"); });
    // It is modeless: the regions are looked at, and searched, among all else; the next time it is closed.
    add("partition", [this] {
        auto* open = window.findChild<PartitionDialog*>();
        if (open != nullptr && open->isVisible()) return static_cast<void>(open->close());
        inDialog("partition", "partitionDialog", [](QDialog& dialog) {
            dialog.findChild<QComboBox*>(QStringLiteral("partitionPattern"))->setEditText(QStringLiteral("Relu(x)"));
            dialog.findChild<QPushButton*>(QStringLiteral("partitionSearch"))->click();
        });
    });
}

QString Window::wrong() {
    if (!document().isOpen()) return {};
    const rewrite::History& history = document().history();
    const auto& path = *child<PathCurve>("pathCurve");
    for (const rewrite::StateId state : path.states()) {
        if (state.value >= history.size()) return QStringLiteral("the curve has a state that is not there");
    }
    if (path.states().empty() || path.states()[path.currentStep()] != history.current())
        return QStringLiteral("the curve's current state is another one");
    for (const Run& run : document().runs()) {
        for (const rewrite::StateId state : child<RunPaths>("runPaths")->statesOf(run.number)) {
            if (state.value >= history.size()) return QStringLiteral("a run's path has a state that is not there");
        }
    }
    const auto& selection = window.selection();
    if (selection.subterm() && !ir::subterm(document().bank(), document().current().root, *selection.subterm()))
        return QStringLiteral("a subterm is selected that is not there");
    if (selection.compared() && selection.compared()->value >= history.size())
        return QStringLiteral("compared with a state that is not there");
    if (selection.run() != 0 && document().run(selection.run()) == nullptr)
        return QStringLiteral("a run is selected that is not there");
    const auto& regions = window.regions();
    if (regions.found() && regions.found()->program.root != document().current().root)
        return QStringLiteral("regions of another program are shown");
    if (regions.chosen() && (!regions.found() || *regions.chosen() >= regions.found()->regions.size()))
        return QStringLiteral("a region is selected that is not there");
    const QString cost = Document::tr("cost %1").arg(costText(history.state(history.current()).cost));
    const QString status = child<QLabel>("sessionStatus")->text();
    if (!status.contains(cost)) return QStringLiteral("the status says: ") + status;
    const auto* tree = child<QTreeView>("historyTree");
    if (tree->model()->rowCount() == 0) return QStringLiteral("the history is empty");
    return {};
}

}  // namespace

class TestSequences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }
    void cleanup() { applyAppearance(*qApp, Appearance::Light); }

    /// This crashed once: curves of runs visible, then another program with a shorter history.
    void aProgramIsOpenedAfterASearch_data() {
        QTest::addColumn<int>("curve");
        QTest::newRow("path") << 0;
        QTest::newRow("runs") << 1;
        QTest::newRow("paths of the runs") << 2;
    }

    void aProgramIsOpenedAfterASearch() {
        QFETCH(int, curve);
        Window shown;
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        shown.window.setBudgetSeconds(0.5);
        shown.trigger("run");
        QVERIFY(shown.settle());
        QVERIFY(shown.document().history().size() > 1);
        shown.child<QComboBox>("curveWhat")->setCurrentIndex(curve);
        QVERIFY(shown.settle());
        QVERIFY(shown.open(shown.listing));
        QTRY_VERIFY(shown.document().title().startsWith(QLatin1String("branches.txt")));
        QVERIFY(shown.settle());
        QCOMPARE(shown.wrong(), QString());
        QCOMPARE(shown.child<PathCurve>("pathCurve")->states().size(), std::size_t(1));
    }

    /// Between two programs no view shows anything of either.
    void whatIsClosedIsForgotten() {
        Window shown;
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        shown.window.setBudgetSeconds(0.3);
        shown.trigger("run");
        QVERIFY(shown.settle());
        shown.window.selection().setSubterm(ir::Path{});
        shown.window.selection().setCompared(rewrite::StateId(0));
        bool isClosed = false;
        connect(&shown.document(), &Document::closed, &shown.window, [&] {
            isClosed = true;
            QVERIFY(!shown.document().isOpen());
            QVERIFY(shown.document().runs().empty());
            QVERIFY(!shown.window.selection().subterm() && !shown.window.selection().compared());
            QCOMPARE(shown.window.selection().run(), 0);
            QVERIFY(shown.child<PathCurve>("pathCurve")->states().empty());
            QCOMPARE(shown.child<RunPaths>("runPaths")->pathCount(), std::size_t(0));
            QCOMPARE(shown.child<QTreeView>("historyTree")->model()->rowCount(), 0);
            QCOMPARE(shown.child<QTableView>("rewritesTable")->model()->rowCount(), 0);
            QCOMPARE(shown.child<QTableView>("costTable")->model()->rowCount(), 0);
            QCOMPARE(shown.child<QTableView>("matchRules")->model()->rowCount(), 0);
            QCOMPARE(shown.child<QLabel>("programStatus")->text(), QString());
        });
        QVERIFY(shown.open(shown.listing));
        QTRY_VERIFY(isClosed);
    }

    /// The selection and the comparison come back with the program.
    void anotherProgramLeavesTheSelection() {
        Window shown;
        QVERIFY(shown.open(test::sample("teaching/factor.ks")));
        const auto step = test::findStep(shown.document(), "add_of_muls");
        QVERIFY(step.has_value());
        shown.document().apply(*step);
        QVERIFY(shown.settle());
        shown.trigger("compareStart");
        shown.window.selection().setSubterm(ir::Path{0});
        QVERIFY(shown.open(shown.listing));
        QTRY_VERIFY(!shown.isTree());
        QVERIFY(!shown.window.selection().compared() && !shown.window.selection().subterm());
        shown.trigger("nextProgram");
        QTRY_VERIFY(shown.document().isOpen() && shown.isTree());
        QVERIFY(shown.settle());
        QCOMPARE(shown.window.selection().compared(), std::optional(rewrite::StateId(0)));
        QCOMPARE(shown.window.selection().subterm(), std::optional(ir::Path{0}));
    }

    /// What an e-graph of a program holds that is not open any more belongs to no history.
    void theEGraphOfAnotherProgramIsNotTaken() {
        Window shown;
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        shown.window.saturate(test::saturation(3, 2'000, 2.0));
        QVERIFY(shown.settle());
        QVERIFY(shown.open(shown.listing));
        shown.trigger("perspectiveSaturate");
        shown.press("takeCheapest");
        QVERIFY(shown.settle());
        QCOMPARE(shown.document().history().size(), std::size_t(1));
        const QString text = shown.child<MessageBar>("messageBar")->text();
        QVERIFY2(text.contains(QLatin1String("not open any more")), qPrintable(text));
    }

    void eachActionAfterEachOther() {
        Window shown;
        QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
        Random random(2);
        const std::vector<std::size_t> order = everyPair(shown.actions.size(), 1);
        QCOMPARE(order.size(), shown.actions.size() * shown.actions.size() + 1);
        const char* before = "begin";
        for (const std::size_t number : order) {
            const Action& action = shown.actions[number];
            action.work();
            // Sometimes the next action meets what this one has begun.
            QCoreApplication::processEvents();
            if (random.below(3) == 0) QVERIFY2(shown.settle(), action.name);
            const QString wrong = shown.wrong();
            QVERIFY2(
                wrong.isEmpty(),
                qPrintable(QStringLiteral("%1, %2: %3").arg(QLatin1String(before), QLatin1String(action.name), wrong)));
            before = action.name;
        }
        QVERIFY(shown.settle());
        for (const QString& text : shown.said) {
            QVERIFY2(!text.contains(QLatin1String("refused")) && !text.contains(QLatin1String("differs")),
                     qPrintable(text));
        }
    }
};

MITOS_TEST(TestSequences)

}  // namespace tst_sequences

#include "tst_sequences.moc"
