// SPDX-License-Identifier: GPL-3.0-or-later
// A window with samples of the user's, and the sessions that they leave.
#pragma once

#include "tests/gui/gui_support.h"
#include "tests/gui/shown_window.h"
#include "views/main_window/internal/message_bar.h"

#include <QDialog>
#include <QFileInfo>
#include <QMenu>
#include <QToolButton>

namespace mitos::test {

struct SampleWindow : ShownWindow {
    [[nodiscard]] views::Document& document() { return window.document(); }
    [[nodiscard]] bool openSample(const char* name) {
        window.openPath(sample(name));
        const QString file = QFileInfo(sample(name)).fileName();
        return QTest::qWaitFor([&] { return document().title().startsWith(file) && !document().isOpening(); }, 30'000);
    }
    /// Waits until a program of that file is shown.
    [[nodiscard]] bool shows(const char* file) {
        return QTest::qWaitFor(
            [&] { return document().title().startsWith(QLatin1String(file)) && !document().isOpening(); }, 10'000);
    }
    /// The entries of the title's menu that stand for open programs.
    [[nodiscard]] QList<QAction*> programs() {
        QMenu* menu = child<QToolButton>("programTitle")->menu();
        Q_EMIT menu->aboutToShow();
        QList<QAction*> entries;
        for (QAction* action : menu->actions()) {
            if (action->isCheckable()) entries << action;
        }
        return entries;
    }
    [[nodiscard]] QStringList programNames() {
        QStringList names;
        for (const QAction* action : programs()) names << action->text().section(QLatin1Char(','), 0, 0);
        return names;
    }
    [[nodiscard]] QString message() { return child<views::MessageBar>("messageBar")->text(); }
    void pressOffer() { child<QToolButton>("messageOffer")->click(); }
    [[nodiscard]] QDialog* dialog(const char* name) { return window.findChild<QDialog*>(QLatin1String(name)); }
    void applyOne() { document().apply(*anyStep(document())); }
};

/// Opens the sample, applies a rule, and closes the window; returns the path of the session.
inline QString makeSession(const char* name) {
    SampleWindow shown;
    if (!shown.openSample(name)) return {};
    shown.applyOne();
    if (!shown.settle()) return {};
    return shown.document().sessionPath();
}

}  // namespace mitos::test
