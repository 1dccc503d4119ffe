// SPDX-License-Identifier: GPL-3.0-or-later
// Named layouts: the menu and the dialog.
#include "views/main_window/internal/layouts.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/main_window.h"

#include <QMenu>

namespace mitos::views {

void MainWindow::fillLayoutMenu(QMenu* menu) {
    menu->clear();
    if (act(QStringLiteral("layouts"))->isEnabled()) {
        for (const QString& name : Layouts(shownPerspective()).names()) {
            QString text = name;
            text.replace(QLatin1Char('&'), QStringLiteral("&&"));
            menu->addAction(text, this, [this, name] { useLayout(name); });
        }
        menu->addSeparator();
    }
    menu->addAction(act(QStringLiteral("layouts")));
}

void MainWindow::useLayout(const QString& name) {
    if (!act(QStringLiteral("layouts"))->isEnabled()) return;
    const QSize before = size();
    if (setDockLayout(Layouts(shownPerspective()).find(name))) {
        resize(before);  // docks of a larger window become smaller, not the window larger
        return;
    }
    m_messages->showError(tr("The layout “%1” cannot be used").arg(name),
                          tr("Another version of Mitos made it. Arrange the views and save it again."));
}

void MainWindow::askForLayout() {
    auto* dialog = new LayoutDialog(Layouts(shownPerspective()), dockLayout(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &LayoutDialog::used, this, &MainWindow::useLayout);
    dialog->open();
}

}  // namespace mitos::views
