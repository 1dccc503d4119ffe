// SPDX-License-Identifier: GPL-3.0-or-later
// The events of the GUI thread with long lists and texts: histories, sessions, rule sets, and leaving what is large.
#include "tests/bench/watched_window.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/large_subjects.h"
#include "views/rule_editor/internal/rule_text_edit.h"
#include "views/rule_editor/rule_editor_view.h"
#include "views/start_page/entry_list.h"
#include "views/start_page/session_browser.h"

#include <benchmark/benchmark.h>

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QTextCursor>
#include <QTreeView>
#include <memory>
#include <string>

using namespace mitos;
using test::WatchedApplication;
using test::WatchedWindow;

namespace {

/// A window with a session of so many states and events.
struct LongSession {
    QTemporaryDir folder;
    QString path;
    WatchedWindow shown;

    explicit LongSession(std::int64_t size)
        : path(QString::fromStdString(test::makeSession(folder, static_cast<int>(size), static_cast<int>(size)))),
          shown([this](views::MainWindow& window) { window.openSession(path); }) {}
    template <typename Widget>
    [[nodiscard]] Widget& part(const char* name) {
        return *shown.window.findChild<Widget*>(QLatin1String(name));
    }
};

void type(WatchedWindow& shown, QLineEdit& line, const QString& text) {
    for (qsizetype i = 1; i <= text.size(); ++i) shown.act([&] { line.setText(text.left(i)); });
}

/// Filters are typed letter by letter, and cleared.
void filterHistory(benchmark::State& state) {
    LongSession session(state.range(0));
    auto& line = session.part<QLineEdit>("historyFilter");
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        type(session.shown, line, QStringLiteral("mul #1"));
        session.shown.act([&] { line.clear(); });
        type(session.shown, line, QStringLiteral("commute_mul"));
        session.shown.act([&] { line.clear(); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(filterHistory)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(2);

/// A step in a long history, taken back, then taken elsewhere; also while the history is filtered.
void stepInLongHistory(benchmark::State& state) {
    LongSession session(state.range(0));
    views::Document& document = session.shown.window.document();
    auto& line = session.part<QLineEdit>("historyFilter");
    WatchedApplication::instance().forget();
    const auto step = [&](const char* rule) {
        const rewrite::Step found = *test::findStep(document, rule);
        session.shown.act([&] { document.apply(found); });
    };
    for (auto _ : state) {
        step("commute_mul");
        session.shown.act([&] { document.undo(); });
        step("commute_add");
        session.shown.act([&] { line.setText(QStringLiteral("commute_mul")); });
        step("commute_mul");
        session.shown.act([&] { line.clear(); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(stepInLongHistory)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(3);

/// Another program is opened in the place of a long session, and closed again.
void leaveLongSession(benchmark::State& state) {
    LongSession session(state.range(0));
    views::MainWindow& window = session.shown.window;
    for (auto _ : state) {
        WatchedApplication::instance().forget();
        session.shown.act([&] { window.document().openText(QStringLiteral("small"), QStringLiteral("(add a b)")); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(leaveLongSession)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// The same with a large program.
void leaveLargeProgram(benchmark::State& state) {
    int leaf = 0;
    const QString text = QString::fromStdString(test::sumOf(static_cast<int>(state.range(0) / 2), leaf));
    WatchedWindow shown(
        [&text](views::MainWindow& window) { window.document().openText(QStringLiteral("large"), text); });
    for (auto _ : state) {
        WatchedApplication::instance().forget();
        shown.act([&] { shown.window.document().openText(QStringLiteral("small"), QStringLiteral("(add a b)")); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(leaveLargeProgram)->Arg(300'000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// All sessions are listed, searched letter by letter, and ordered.
void browseSessions(benchmark::State& state) {
    const QTemporaryDir folder;
    const QString made = QString::fromStdString(test::makeSession(folder, 20, 20));
    const QString sessions = views::Document::sessionFolder();
    QDir().mkpath(sessions);
    for (std::int64_t i = 0; i < state.range(0); ++i)
        QFile::copy(made, QStringLiteral("%1/copy-%2.mitos").arg(sessions).arg(i));
    {
        WatchedWindow shown([](views::MainWindow& window) {
            window.document().openText(QStringLiteral("small"), QStringLiteral("(add a b)"));
        });
        WatchedApplication::instance().forget();
        for (auto _ : state) {
            shown.act([&] { shown.window.findChild<QAction*>(QStringLiteral("sessions"))->trigger(); });
            auto* browser = shown.window.findChild<views::SessionBrowser*>();
            state.counters["sessions"] = browser->findChild<views::EntryList*>()->count();
            auto* order = browser->findChild<QComboBox*>(QStringLiteral("sessionOrder"));
            type(shown, *browser->findChild<QLineEdit*>(QStringLiteral("sessionSearch")), QStringLiteral("copy-1"));
            shown.act([&] { browser->findChild<QLineEdit*>(QStringLiteral("sessionSearch"))->clear(); });
            for (const int by : {2, 1, 0}) {
                shown.act([&] {
                    order->setCurrentIndex(by);
                    Q_EMIT order->activated(by);
                });
            }
            shown.act([&] { browser->reject(); });
        }
        WatchedApplication::instance().report(state);
    }
    QDir(sessions).removeRecursively();
}
BENCHMARK(browseSessions)->Arg(1'000)->Unit(benchmark::kMillisecond)->Iterations(2);

/// A rule set of so many bytes is opened, scrolled and typed into.
void editLargeRules(benchmark::State& state) {
    QByteArray text = "use ks\n\n";
    for (int i = 0; text.size() < state.range(0); ++i) {
        const QByteArray n = QByteArray::number(i);
        text += "# Swaps the operands of a sum, number " + n + ".\nrule swap_" + n + " [exact]: a + b * " + n +
                " => b * " + n + " + a\n\n";
    }
    const QTemporaryDir folder;
    const QString path = test::writeText(folder, QStringLiteral("large.rules"), text);
    WatchedWindow shown([](views::MainWindow& window) {
        window.document().openText(QStringLiteral("small"), QStringLiteral("(add a b)"));
    });
    shown.act([&] { shown.window.showPerspective(QStringLiteral("rules")); });
    auto* view = shown.window.findChild<views::RuleEditorView*>();
    auto* edit = view->findChild<views::RuleTextEdit*>();
    const auto act = [&](const auto& action) {
        shown.act(action);
        if (!QTest::qWaitFor([&] { return view->isSettled() && shown.window.isSettled(); }, 120'000)) std::abort();
    };
    WatchedApplication::instance().forget();
    for (auto _ : state) {
        act([&] { view->addSet(path); });
        const int end = edit->verticalScrollBar()->maximum();
        for (const int part : {1, 2, 3, 4}) act([&] { edit->verticalScrollBar()->setValue(end * part / 4); });
        act([&] { edit->moveCursor(QTextCursor::End); });
        for (const QChar c : QStringLiteral("rule mine: a * 1 => a")) shown.act([&] { edit->insertPlainText(c); });
        act([&] { edit->goTo(100, 1); });
        for (int i = 0; i < 5; ++i) act([&] { QTest::keyClick(edit, Qt::Key_X); });
    }
    WatchedApplication::instance().report(state);
}
BENCHMARK(editLargeRules)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
