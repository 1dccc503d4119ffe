// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window, driven by events whose processor time on the GUI thread is taken.
#pragma once

#include "views/main_window/main_window.h"

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QDockWidget>
#include <QTest>
#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace mitos::test {

/// Processor time this thread has used: other work on the machine does not count.
inline double threadMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Records the events that occupied the GUI thread longest.
class WatchedApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_depth > 0) return QApplication::notify(receiver, event);  // part of the event that sent it
        const QString what = QStringLiteral("%1 %2 (event %3)")
                                 .arg(QLatin1String(receiver->metaObject()->className()), receiver->objectName())
                                 .arg(static_cast<int>(event->type()));
        ++m_depth;
        const double before = threadMs();
        const bool handled = QApplication::notify(receiver, event);
        const double took = threadMs() - before;
        --m_depth;
        if (took >= FrameMs) ++m_over;
        double& longest = m_longest[what];
        longest = std::max(longest, took);
        return handled;
    }
    void forget() {
        m_longest.clear();
        m_over = 0;
    }
    void report(benchmark::State& state) const {
        std::vector<std::pair<double, QString>> order;
        for (const auto& [what, took] : m_longest) order.emplace_back(-took, what);
        std::sort(order.begin(), order.end());
        QString label;
        for (std::size_t i = 0; i < order.size() && i < 4; ++i) {
            label += QStringLiteral("%1 ms: %2; ").arg(-order[i].first, 0, 'f', 1).arg(order[i].second);
        }
        state.counters["longest_ms"] = order.empty() ? 0.0 : -order.front().first;
        state.counters["over_16ms"] = static_cast<double>(m_over) / static_cast<double>(state.iterations());
        state.SetLabel(label.toStdString());
    }
    static WatchedApplication& instance() { return *static_cast<WatchedApplication*>(qApp); }

private:
    static constexpr double FrameMs = 16.0;
    int m_depth = 0;
    int m_over = 0;
    std::map<QString, double> m_longest;
};

/// The whole window on one program or session, driven as a user would: what is done arrives as an event.
struct WatchedWindow {
    views::MainWindow window;

    explicit WatchedWindow(const std::function<void(views::MainWindow&)>& open) {
        window.resize(1280, 800);
        window.show();
        open(window);
        const bool ready = QTest::qWaitFor([this] { return window.document().isOpen(); }, 120'000);
        if (!ready || !settle()) std::abort();
    }
    [[nodiscard]] bool settle() {
        return QTest::qWaitFor([this] { return window.isSettled(); }, 120'000);
    }
    template <typename Action>
    void act(Action action) {
        QMetaObject::invokeMethod(&window, action, Qt::QueuedConnection);
        QCoreApplication::processEvents();
        if (!settle()) std::abort();
    }
    void show(const char* dock) { window.findChild<QDockWidget*>(QLatin1String(dock))->raise(); }
};

}  // namespace mitos::test
