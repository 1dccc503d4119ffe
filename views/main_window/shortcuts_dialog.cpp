// SPDX-License-Identifier: GPL-3.0-or-later
// The cheat sheet's table.
#include "views/main_window/shortcuts_dialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace mitos::views {

ShortcutsDialog::ShortcutsDialog(const QList<QAction*>& actions, const QList<ViewKey>& viewKeys, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("shortcutsDialog"));
    setWindowTitle(tr("Keyboard"));
    auto* table = new QTreeWidget(this);
    table->setColumnCount(2);
    table->setHeaderLabels({tr("Key"), tr("What it does")});
    table->setRootIsDecorated(false);
    table->setAlternatingRowColors(true);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty()) continue;
        QStringList keys;
        for (const QKeySequence& key : action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
        QString what = action->text();
        what.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
        new QTreeWidgetItem(table, {keys.join(tr(" or ")), what});
    }
    for (const ViewKey& key : viewKeys) new QTreeWidgetItem(table, {key.keys, key.what});
    table->resizeColumnToContents(0);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(table, 1);
    layout->addWidget(buttons);
    resize(520, 620);
}

}  // namespace mitos::views
