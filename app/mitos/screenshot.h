// SPDX-License-Identifier: GPL-3.0-or-later
// Renders the window to a picture, for the README and for tests.
#pragma once

#include "views/main_window/main_window.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace mitos::app {

struct ScreenshotOrder {
    QString perspective;         ///< a perspective, or "start"
    QString target;              ///< PNG file
    QString subterm;             ///< path to select; empty: none
    QString rendering;           ///< "text", "tree", "graph" or "loops"; empty: the window's default
    QStringList compared;        ///< further files for the perspective Compare
    double searchSeconds = 0.0;  ///< duration of a search before the picture; 0: no search
};

/// Waits until the window shows everything, grabs it, and ends the event loop with status 0; on failure prints a line to stderr and
/// ends it with 1, or with 2 for bad input.
class Screenshot : public QObject {
    Q_OBJECT
public:
    Screenshot(views::MainWindow& window, ScreenshotOrder order, QObject* parent = nullptr);

private:
    void look();
    void finish(int code, const QString& complaint = {});

    views::MainWindow& m_window;
    ScreenshotOrder m_order;
    QTimer m_timer;
    QElapsedTimer m_clock;
    int m_quiet = 0;
    bool m_searched = false;
    bool m_shown = false;
    bool m_selected = false;
    bool m_rendered = false;
};

}  // namespace mitos::app
