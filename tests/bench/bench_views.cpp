// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop does on the GUI thread, on large histories and long runs; drawn without a display.
#include "core/base/random.h"
#include "core/cost/cost_model.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/rewriter.h"
#include "tests/bench/watched_window.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/large_subjects.h"
#include "tests/gui/tensor_desk.h"
#include "views/cost_curve/internal/run_curves.h"
#include "views/egraph/egraph_view.h"
#include "views/history/history_view.h"
#include "views/plot/qcustomplot_wrapper.h"
#include "views/program/internal/program_graph.h"

#include <benchmark/benchmark.h>

#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace mitos;
using test::makeSession;
using test::sumOf;
using test::WatchedApplication;
using test::WatchedWindow;

namespace {

/// A document with that session open.
struct Opened {
    QTemporaryDir folder;
    test::Desk desk;

    Opened(int states, int events) {
        desk.document.openSession(QString::fromStdString(makeSession(folder, states, events)));
        if (!desk.settle(120'000) || !desk.document.isOpen()) std::abort();
    }
};

/// Shown, and its axes fitted to what it shows.
void showFitted(views::RunCurves& curves) {
    curves.show();
    if (!QTest::qWaitFor([&curves] { return curves.replots() > 0 && !curves.isReplotPending(); })) std::abort();
}

void foldEvents(benchmark::State& state) {
    Opened opened(1, static_cast<int>(state.range(0)));
    views::RunCurves curves(opened.desk.document, opened.desk.selection);
    for (auto _ : state) curves.reload();
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(foldEvents)->Arg(100'000)->Unit(benchmark::kMillisecond);

void replotEvents(benchmark::State& state) {
    Opened opened(1, static_cast<int>(state.range(0)));
    views::RunCurves curves(opened.desk.document, opened.desk.selection);
    curves.resize(1200, 300);
    showFitted(curves);
    for (auto _ : state) curves.plot().replot();
    state.counters["points"] = curves.pointCount(1);
}
BENCHMARK(replotEvents)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// The pointer moves over the plot: which curve is below it?
void hoverOverEvents(benchmark::State& state) {
    Opened opened(1, static_cast<int>(state.range(0)));
    views::RunCurves curves(opened.desk.document, opened.desk.selection);
    curves.resize(1200, 300);
    showFitted(curves);
    for (auto _ : state) benchmark::DoNotOptimize(curves.runAt({600.0, 150.0}));
}
BENCHMARK(hoverOverEvents)->Arg(100'000)->Unit(benchmark::kMillisecond);

void buildHistory(benchmark::State& state) {
    Opened opened(static_cast<int>(state.range(0)), 1);
    for (auto _ : state) views::HistoryModel model(opened.desk.document);
}
BENCHMARK(buildHistory)->Arg(10'000)->Unit(benchmark::kMillisecond);

/// Another state becomes current, and the tree is drawn again.
void walkHistory(benchmark::State& state) {
    Opened opened(static_cast<int>(state.range(0)), 1);
    views::HistoryView view(opened.desk.document, opened.desk.selection);
    view.resize(400, 600);
    view.show();
    QCoreApplication::processEvents();
    bool back = false;
    for (auto _ : state) {
        opened.desk.document.checkout(rewrite::StateId(back ? 100 : 102));
        QCoreApplication::processEvents();
        back = !back;
    }
}
BENCHMARK(walkHistory)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

/// The copy of a program that a search or the list of rewrites makes for itself.
void copyProgram(benchmark::State& state) {
    test::Desk desk;
    int leaf = 0;
    if (!desk.open(QString::fromStdString(sumOf(static_cast<int>(state.range(0) / 2), leaf)))) {
        state.SkipWithError("the program does not open");
        return;
    }
    const views::Snapshot program = desk.document.snapshot(desk.document.current());
    for (auto _ : state) benchmark::DoNotOptimize(program.copy());
}
BENCHMARK(copyProgram)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

std::unique_ptr<WatchedWindow> largeProgram(std::int64_t nodes) {
    int leaf = 0;
    const QString text = QString::fromStdString(sumOf(static_cast<int>(nodes / 2), leaf));
    return std::make_unique<WatchedWindow>(
        [&text](views::MainWindow& window) { window.document().openText(QStringLiteral("large"), text); });
}

/// From the constructor to the first picture of the start page; the cards' pictures follow in jobs.
void openWindow(benchmark::State& state) {
    for (auto _ : state) {
        views::MainWindow window;
        window.resize(1280, 800);
        window.show();
        if (!QTest::qWaitForWindowExposed(&window)) std::abort();
        QCoreApplication::processEvents();
        state.PauseTiming();
        if (!QTest::qWaitFor([&window] { return window.isSettled(); }, 120'000)) std::abort();
        state.ResumeTiming();
    }
}
BENCHMARK(openWindow)->Unit(benchmark::kMillisecond);

/// A rewrite is applied and undone, with the program as text, tree and graph, and with each dock in front.
void stepInLargeProgram(benchmark::State& state, const char* rendering, const char* dock) {
    const std::unique_ptr<WatchedWindow> shown = largeProgram(state.range(0));
    views::Document& document = shown->window.document();
    shown->window.showProgramAs(QLatin1String(rendering));
    shown->show(dock);
    if (!shown->settle()) std::abort();
    const rewrite::Step step = *test::findStep(document, "commute_add");
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        shown->act([&] { document.apply(step); });
        shown->act([&] { document.undo(); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK_CAPTURE(stepInLargeProgram, text, "text", "dockCostCurve")
    ->Arg(20'000)
    ->Arg(300'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stepInLargeProgram, tree, "tree", "dockCost")
    ->Arg(20'000)
    ->Arg(300'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stepInLargeProgram, graph, "graph", "dockMatch")
    ->Arg(20'000)
    ->Arg(300'000)
    ->Unit(benchmark::kMillisecond);

/// Subterms are selected, a rewrite is previewed, and the state is compared with another.
void lookAroundInLargeProgram(benchmark::State& state) {
    const std::unique_ptr<WatchedWindow> shown = largeProgram(state.range(0));
    views::Document& document = shown->window.document();
    views::Selection& selection = shown->window.selection();
    const rewrite::Step step = *test::findStep(document, "commute_add");
    shown->act([&] { document.apply(step); });
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        shown->act([&] { selection.setSubterm(ir::Path{0, 1, 0, 1}); });
        shown->act([&] { selection.setRewrite(step); });
        shown->act([&] { selection.setRewrite(std::nullopt); });
        shown->act([&] { selection.setCompared(document.history().start()); });
        shown->act([&] { selection.setCompared(std::nullopt); });
        shown->act([&] { selection.setSubterm(std::nullopt); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(lookAroundInLargeProgram)->Arg(20'000)->Arg(300'000)->Unit(benchmark::kMillisecond);

/// A session of many states and a run of many events: opening it, walking, stepping, marking.
void openLongSession(benchmark::State& state) {
    const QTemporaryDir folder;
    const auto size = static_cast<int>(state.range(0));
    const QString path = QString::fromStdString(makeSession(folder, size, size));
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        const WatchedWindow shown([&path](views::MainWindow& window) { window.openSession(path); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(openLongSession)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(1);

void workInLongSession(benchmark::State& state) {
    const QTemporaryDir folder;
    const auto size = static_cast<int>(state.range(0));
    const QString path = QString::fromStdString(makeSession(folder, size, size));
    WatchedWindow shown([&path](views::MainWindow& window) { window.openSession(path); });
    views::Document& document = shown.window.document();
    WatchedApplication::instance().forget();
    bool back = false;
    for (auto _ : state) {
        shown.act([&] { document.checkout(rewrite::StateId(back ? 100 : 102)); });
        shown.act([&] { document.undo(); });
        shown.act([&] { document.mark(document.history().current(), {.name = back ? "here" : "", .note = {}}); });
        shown.act([&] { document.goToBest(); });
        back = !back;
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(workInLongSession)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// So many e-nodes in a quarter as many classes, cyclic, with operators of up to three arguments.
std::string largeEGraph(int nodes) {
    Random random(11);
    const int classes = nodes / 4;
    std::string text = "{\"nodes\": {";
    for (int i = 0; i < nodes; ++i) {
        const int own = i < classes ? i : static_cast<int>(random.below(static_cast<std::uint64_t>(classes)));
        const auto arity = own + 1 >= classes ? 0 : random.below(4);
        text += (i == 0 ? "\"n" : ", \"n") + std::to_string(i) + R"(": {"op": "op)" + std::to_string(random.below(40)) +
                R"(", "eclass": ")" + std::to_string(own) + R"(", "children": [)";
        for (std::uint64_t k = 0; k < arity; ++k) {
            // Mostly near ones, occasionally one above.
            const int below = std::min<int>(classes - 1, own + 1 + static_cast<int>(random.below(300)));
            const int child = random.below(20) == 0 ? static_cast<int>(random.below(classes)) : below;
            text += (k == 0 ? "\"n" : ", \"n") + std::to_string(child) + "\"";
        }
        text += "]}";
    }
    return text + "}, \"root_eclasses\": [\"0\"]}";
}

struct LargeEGraph {
    QTemporaryDir folder;
    QString path;
    views::MainWindow window;

    explicit LargeEGraph(std::int64_t nodes) {
        path = test::writeText(folder, QStringLiteral("large.json"),
                               QByteArray::fromStdString(largeEGraph(static_cast<int>(nodes))));
        window.resize(1280, 800);
        window.show();
        act([] {});
    }
    template <typename Action>
    void act(Action action) {
        QMetaObject::invokeMethod(&window, action, Qt::QueuedConnection);
        QCoreApplication::processEvents();
        if (!QTest::qWaitFor([this] { return window.isSettled(); }, 120'000)) std::abort();
    }
    void open() {
        act([this] { window.openPath(path); });
        if (!window.egraph().isOpen()) std::abort();
    }
};

/// Until the file is read, indexed, listed and drawn.
void openLargeEGraph(benchmark::State& state) {
    LargeEGraph large(state.range(0));
    WatchedApplication::instance().forget();
    for (auto _ : state) large.open();
    WatchedApplication::instance().report(state);
}
BENCHMARK(openLargeEGraph)->Arg(40'000)->Unit(benchmark::kMillisecond)->Iterations(3);

/// Search, sort, go to a class that is not drawn, more hops, back to the roots.
void workInLargeEGraph(benchmark::State& state) {
    LargeEGraph large(state.range(0));
    large.open();
    auto* view = large.window.findChild<views::EGraphView*>();
    auto* search = view->findChild<QLineEdit*>(QStringLiteral("egraphSearch"));
    auto* table = view->findChild<QTableView*>(QStringLiteral("egraphClasses"));
    const auto press = [view](const char* button) { view->findChild<QToolButton*>(QLatin1String(button))->click(); };
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        large.act([=] { search->setText(QStringLiteral("op7 op9")); });
        large.act([=] { table->sortByColumn(views::ClassListModel::CostColumn, Qt::DescendingOrder); });
        large.act([=] { search->clear(); });
        large.act([=] { view->select(5'000); });
        large.act([=] { press("egraphMoreHops"); });
        large.act([=] { press("egraphReset"); });
        large.act([=] { press("egraphLessHops"); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(workInLargeEGraph)->Arg(40'000)->Unit(benchmark::kMillisecond)->Iterations(3);

/// A sum of products grows; every iteration is drawn, charted and added to the heatmap while it does.
void watchSaturation(benchmark::State& state) {
    LargeEGraph large(10);
    large.act([&] {
        large.window.document().openText(
            QStringLiteral("sum"), QStringLiteral("(add (mul a (add b c)) (add (mul d (add e f)) (mul (add g h) i)))"));
    });
    views::SearchSettings settings{.strategy = QStringLiteral("saturation"), .parameters = {}, .budget = {}};
    settings.parameters = {{"nodes", static_cast<std::int64_t>(state.range(0))}, {"iterations", std::int64_t{1'000}}};
    settings.budget.seconds = 30.0;
    WatchedApplication::instance().forget();
    for (auto _ : state) large.act([&] { large.window.saturate(settings); });
    WatchedApplication::instance().report(state);
    state.counters["iterations"] = static_cast<double>(large.window.egraph().report().iterations.size());
}
BENCHMARK(watchSaturation)->Arg(40'000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// A program that is a graph, drawn.
struct DrawnGraph {
    views::JobRunner jobs;
    test::GraphContent program;
    views::ProgramGraph graph{jobs};

    explicit DrawnGraph(int operators) {
        program.read(test::layeredListing(operators / 5));
        graph.resize(1280, 800);
        graph.show();
        graph.setContent(program.content, program.bank.get(), false);
        settle();
    }
    void settle() {
        if (!QTest::qWaitFor([this] { return jobs.isIdle(); }, 120'000)) std::abort();
    }
};

/// All blocks of a network are opened, and closed again.
void expandLargeGraph(benchmark::State& state) {
    DrawnGraph drawn(static_cast<int>(state.range(0)));
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        drawn.graph.expandAll();
        drawn.settle();
        drawn.graph.collapseAll();
        drawn.settle();
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(expandLargeGraph)->Arg(5'000)->Arg(10'000)->Unit(benchmark::kMillisecond)->Iterations(5);

/// One frame of panning with all blocks open; the second number is the zoom in per cent.
void moveInLargeGraph(benchmark::State& state) {
    DrawnGraph drawn(static_cast<int>(state.range(0)));
    drawn.graph.expandAll();
    drawn.settle();
    views::GraphView& view = drawn.graph.view();
    view.fit();
    const double scale = static_cast<double>(state.range(1)) / 100.0;
    view.setTransform(QTransform::fromScale(scale, scale));
    QScrollBar& bar = *view.verticalScrollBar();
    bar.setValue((bar.minimum() + bar.maximum()) / 2);
    int way = 7;
    for (auto _ : state) {
        bar.setValue(bar.value() + way);
        if (bar.value() == bar.maximum() || bar.value() == bar.minimum()) way = -way;
        view.viewport()->repaint();
    }
    state.counters["boxes"] = static_cast<double>(drawn.graph.view().graph().nodes.size());
}
BENCHMARK(moveInLargeGraph)
    ->Args({5'000, 2})
    ->Args({5'000, 25})
    ->Args({5'000, 50})
    ->Args({5'000, 100})
    ->Args({10'000, 2})
    ->Args({10'000, 100})
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char* argv[]) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir home;
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"}) qputenv(name, QFile::encodeName(home.path()));
    const WatchedApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
