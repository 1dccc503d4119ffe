// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop does on the GUI thread, on large histories and long runs; drawn without a display.
#include "core/cost/cost_model.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/rewriter.h"
#include "tests/gui/gui_support.h"
#include "views/cost_curve/qcustomplot_wrapper.h"
#include "views/cost_curve/run_curves.h"
#include "views/history/history_view.h"

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QLineEdit>
#include <QTreeView>
#include <memory>
#include <string>

using namespace mitos;

namespace {

constexpr const char* Text = "(add (mul a b) (mul a c))";

/// A history of so many states: a line that turns the sum again and again, with a branch at every tenth state.
rewrite::History longHistory(ir::TermBank& bank, const rules::RuleBook& book, const ir::Program& program, int states) {
    rewrite::History history(program, 7.0);
    rewrite::Rewriter rewriter(bank, book.directions());
    while (history.size() < static_cast<std::size_t>(states)) {
        const rewrite::StateId at = history.current();
        const std::vector<rewrite::Rewrite> all = rewriter.all(history.state(at).root);
        for (const rewrite::Rewrite& one : all) {
            const bool turns = one.step.rule->name() == "commute_add";
            const bool branches = history.size() % 10 == 0 && one.step.rule->name() == "commute_mul";
            if (turns || branches) history.add(at, one.step, one.result, 7.0);
            if (branches) history.checkout(at);
            if (turns) break;
        }
    }
    return history;
}

/// A session with that history and a run of so many events, each of which found something better.
std::string makeSession(const QTemporaryDir& folder, int states, int events) {
    const std::string path = folder.filePath(QStringLiteral("bench.mitos")).toStdString();
    const auto registry = ks::makeRegistry();
    const rules::RuleBook book = *rules::RuleBook::load("ks-simple,ks-extended", registry);
    ir::TermBank bank(book.registry());
    const ir::Program program = *ks::parseProgram(bank, "bench", Text);
    const rewrite::History history = longHistory(bank, book, program, states);
    storage::Session session = *storage::Session::open(path);
    storage::StoredRun run;
    run.program = *session.addProgram("bench", "", ks::printProgram(bank, program));
    std::vector<storage::StoredState> rows;
    for (std::uint32_t i = 0; i < history.size(); ++i) {
        rows.push_back(storage::toStored(bank, history, rewrite::StateId(i)));
    }
    if (!session.addStates(run.program, rows)) std::abort();
    run.strategy = "astar";
    run.id = *session.beginRun(run);
    std::vector<search::SearchEvent> all(static_cast<std::size_t>(events));
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].kind = search::EventKind::Improved;
        all[i].evaluations = i + 1;
        all[i].seconds = 0.01 * static_cast<double>(i);
        all[i].best = 1e6 / static_cast<double>(i + 1);
    }
    if (!session.appendEvents(run.id, all) || !session.finishRun(run)) std::abort();
    return path;
}

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

void filterHistory(benchmark::State& state) {
    Opened opened(static_cast<int>(state.range(0)), 1);
    views::HistoryView view(opened.desk.document, opened.desk.selection);
    view.resize(400, 600);
    view.show();
    auto* filter = view.findChild<QLineEdit*>(QStringLiteral("historyFilter"));
    bool narrow = false;
    for (auto _ : state) {
        filter->setText(narrow ? QStringLiteral("mul") : QStringLiteral("mul #1"));
        QCoreApplication::processEvents();
        narrow = !narrow;
    }
}
BENCHMARK(filterHistory)->Arg(10'000)->Unit(benchmark::kMillisecond);

/// A balanced sum of so many different numbers: as many terms as nodes, nothing is shared.
std::string sumOf(int leaves, int& next) {
    if (leaves <= 1) return std::to_string(next++) + ".5";
    std::string left = sumOf(leaves / 2, next);
    return "(add " + std::move(left) + " " + sumOf(leaves - leaves / 2, next) + ")";
}

/// The copy of a program that a search or the list of rewrites gets.
void snapshot(benchmark::State& state) {
    test::Desk desk;
    int leaf = 0;
    if (!desk.open(QString::fromStdString(sumOf(static_cast<int>(state.range(0) / 2), leaf)))) {
        state.SkipWithError("the program does not open");
        return;
    }
    for (auto _ : state) benchmark::DoNotOptimize(desk.document.snapshot(desk.document.current()));
}
BENCHMARK(snapshot)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char* argv[]) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir home;
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"}) qputenv(name, QFile::encodeName(home.path()));
    const QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
