// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop does on the GUI thread with networks: graphs that are exponentially larger as trees.
#include "tests/bench/watched_window.h"
#include "tests/gui/gui_support.h"

#include <QTableView>
#include <memory>

using namespace mitos;
using test::WatchedApplication;
using test::WatchedWindow;

namespace {

std::unique_ptr<WatchedWindow> network(const char* name) {
    return std::make_unique<WatchedWindow>(
        [name](views::MainWindow& window) { window.document().openNetwork(QLatin1String(name), false); });
}

void openNetwork(benchmark::State& state, const char* name) {
    const std::unique_ptr<WatchedWindow> shown = network("squeezenet");
    views::Document& document = shown->window.document();
    WatchedApplication::instance().forget();
    for (auto _ : state) shown->act([&] { document.openNetwork(QLatin1String(name), false); });
    WatchedApplication::instance().report(state);
}
BENCHMARK_CAPTURE(openNetwork, nasnet, "nasnet-a")->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK_CAPTURE(openNetwork, bert, "bert")->Unit(benchmark::kMillisecond)->Iterations(3);

/// A rewrite is chosen in the list, applied, undone and redone; subterms are selected; the state is compared with the start.
void workInNetwork(benchmark::State& state, const char* name, const char* rendering, const char* dock) {
    const std::unique_ptr<WatchedWindow> shown = network(name);
    views::Document& document = shown->window.document();
    views::Selection& selection = shown->window.selection();
    shown->window.showProgramAs(QLatin1String(rendering));
    shown->show(dock);
    if (!shown->settle()) std::abort();
    auto* rows = shown->window.findChild<QTableView*>(QStringLiteral("rewritesTable"));
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        shown->act([&] { selection.setSubterm(ir::Path{0, 0, 0, 0, 0, 0}); });
        shown->act([&] { rows->selectRow(rows->model()->rowCount() / 2); });
        const rewrite::Step step = *selection.rewrite();
        shown->act([&] { document.apply(step); });
        shown->act([&] { selection.setCompared(document.history().start()); });
        shown->act([&] { selection.setCompared(std::nullopt); });
        shown->act([&] { document.undo(); });
        shown->act([&] { selection.setSubterm(std::nullopt); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK_CAPTURE(workInNetwork, nasnet_text, "nasnet-a", "text", "dockCostCurve")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(workInNetwork, nasnet_tree, "nasnet-a", "tree", "dockCost")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(workInNetwork, nasnet_graph, "nasnet-a", "graph", "dockMatch")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(workInNetwork, bert_text, "bert", "text", "dockCost")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(workInNetwork, bert_graph, "bert", "graph", "dockMatch")->Unit(benchmark::kMillisecond);

/// A rule is applied wherever it applies.
void everywhereInNetwork(benchmark::State& state) {
    const std::unique_ptr<WatchedWindow> shown = network("nasnet-a");
    views::Document& document = shown->window.document();
    const rewrite::Step step = *test::findStep(document, "tensor_add_commute");
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        shown->act([&] { document.applyEverywhere(step); });
        shown->act([&] { document.checkout(document.history().start()); });
    }
    WatchedApplication::instance().report(state);
    state.counters["states"] = static_cast<double>(document.history().size());
}
BENCHMARK(everywhereInNetwork)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
