// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window on screen, as tests that drive it need it.
#pragma once

#include "views/main_window/appearance.h"
#include "views/main_window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QTest>

namespace mitos::test {

inline QString sample(const char* path) { return QStringLiteral(MITOS_SOURCE_DIR "/samples/") + QLatin1String(path); }

/// As after installation: no settings, no sessions, light colours.
inline void forgetEverything() {
    QSettings().clear();
    QDir(views::Document::sessionFolder()).removeRecursively();
    views::applyAppearance(*qApp, views::Appearance::Light);
}

/// Settings of a saturation with the simple scheduler.
inline views::SearchSettings saturation(std::int64_t iterations, std::int64_t nodes, std::optional<double> seconds) {
    views::SearchSettings settings{.strategy = QStringLiteral("saturation"), .parameters = {}, .budget = {}};
    settings.parameters = {{"iterations", iterations}, {"nodes", nodes}, {"scheduler", std::string("simple")}};
    settings.budget.seconds = seconds;
    settings.budget.memoryBytes = search::DefaultMemoryBytes;
    return settings;
}

struct ShownWindow {
    views::MainWindow window;

    ShownWindow() {
        window.resize(1280, 800);
        window.show();
    }
    [[nodiscard]] bool settle(int ms = 60'000) {
        return QTest::qWaitFor([this] { return window.isSettled(); }, ms);
    }
    /// Waits until a program is open and nothing works any more.
    [[nodiscard]] bool isOpen() {
        return QTest::qWaitFor([this] { return window.document().isOpen() && window.isSettled(); }, 30'000);
    }
    [[nodiscard]] bool open(const QString& path) {
        window.openPath(path);
        return isOpen();
    }
    template <typename Widget>
    [[nodiscard]] Widget* child(const char* name) {
        return window.findChild<Widget*>(QLatin1String(name));
    }
    void trigger(const char* name) {
        auto* action = child<QAction>(name);
        QVERIFY2(action != nullptr, name);
        QVERIFY2(action->isEnabled(), name);
        action->trigger();
    }
};

}  // namespace mitos::test
