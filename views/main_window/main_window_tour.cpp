// SPDX-License-Identifier: GPL-3.0-or-later
// The stops of the guided tour, and when it is taken.
#include "views/main_window/internal/tour.h"
#include "views/main_window/main_window.h"
#include "views/program/program_view.h"
#include "views/start_page/start_page.h"

#include <QDockWidget>
#include <QMenuBar>
#include <QStackedWidget>
#include <QToolBar>
#include <utility>

namespace mitos::views {

QList<TourStop> MainWindow::tourStops() {
    const auto rectOf = [this](const QWidget* widget) {
        if (widget == nullptr || !widget->isVisible()) return QRect();
        return QRect(widget->mapTo(this, QPoint()), widget->size());
    };
    const auto stepping = [this] { showPerspective(stepPerspective()); };
    const auto showing = [this](const char* name) {
        return [this, name] {
            showPerspective(stepPerspective());
            dock(name)->show();
            dock(name)->raise();
        };
    };
    const auto docked = [this, rectOf](const char* name) {
        return [this, rectOf, name] { return rectOf(dock(name)); };
    };
    const auto nothing = [] {};
    return {
        {tr("The program"),
         tr("The program as on paper. Click a part to select it; <b>Alt+Up</b> widens the selection. "
            "The bar behind a line is its share of the cost."),
         stepping, [this, rectOf] { return rectOf(m_program); }},
        {tr("Rewrites and their costs"),
         tr("Every rewrite that applies, with the change of the cost <i>before</i> you apply it. Click one to see "
            "the difference; <b>Enter</b> applies it."),
         showing("dockRewrites"), docked("dockRewrites")},
        {tr("The history"),
         tr("Each step is a state here. Going back and trying another rewrite makes a branch; nothing is ever lost. "
            "<b>Ctrl+Z</b> goes back."),
         showing("dockHistory"), docked("dockHistory")},
        {tr("Run a search"),
         tr("<b>F5</b> lets a search find the steps. Its result appears above the program: the cost before and after, "
            "and whether the steps were checked and the values are the same."),
         stepping,
         [this, rectOf] {
             const QRect run = rectOf(findChild<QWidget*>(QStringLiteral("runButton")));
             return run.adjusted(-4, -4, 4, 4);
         }},
        {tr("Other perspectives"),
         tr("<b>Saturate</b> grows all programs equal to this one; <b>Compare</b> runs several searches side by side. "
            "<b>Step</b> leads back."),
         nothing, [this, rectOf] { return rectOf(findChild<QToolBar*>(QStringLiteral("rail"))); }},
        {tr("Take the result with you"),
         tr("<b>File › Export</b> (<b>Ctrl+E</b>) writes C++ or ONNX, and checks and times it. The session is kept by "
            "itself. <b>F1</b> is help, <b>?</b> lists all keys."),
         nothing,
         [this, rectOf] {
             const QRect bar = rectOf(menuBar());
             const QRect file = menuBar()->actionGeometry(menuBar()->actions().front());
             return bar.isEmpty() ? QRect() : file.translated(bar.topLeft());
         }},
    };
}

void MainWindow::startTour() {
    if (!m_document.isOpen()) {
        m_startsTour = true;
        openPath(StartPage::firstSample());
        return;
    }
    if (m_tour != nullptr) return;
    m_tour = new Tour(tourStops(), this);
    connect(m_tour, &Tour::ended, this, &MainWindow::rememberTour);
    connect(m_pages, &QStackedWidget::currentChanged, m_tour, [tour = m_tour.data()] { tour->place(); });
}

void MainWindow::rememberTour() {
    Preferences preferences = Preferences::stored();
    preferences.tourSeen = true;
    preferences.store();
    m_startPage->offerTour(false);
}

}  // namespace mitos::views
