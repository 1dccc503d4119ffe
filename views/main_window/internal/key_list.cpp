// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/internal/key_list.h"

#include "views/common/view_keys.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <algorithm>

namespace mitos::views {

namespace {

QString plain(QString text) { return text.remove(QLatin1Char('&')).remove(QStringLiteral("…")); }

bool contains(const QMenu& menu, const QAction* action) {
    return std::ranges::any_of(menu.actions(), [action](const QAction* each) {
        return each == action || (each->menu() != nullptr && contains(*each->menu(), action));
    });
}

/// Views of one kind have the same keys.
void addOnce(QList<KeyEntry>& entries, const KeyEntry& entry) {
    const bool isListed = std::ranges::any_of(entries, [&entry](const KeyEntry& other) {
        return other.group == entry.group && other.effect == entry.effect && other.keys == entry.keys;
    });
    if (!isListed) entries << entry;
}

}  // namespace

QList<KeyEntry> allKeys(const QMainWindow& window, const QList<QAction*>& actions) {
    QList<KeyEntry> entries;
    QSet<const QAction*> listed;  // an action may be in several menus
    for (const QAction* top : window.menuBar()->actions()) {
        for (const QAction* action : actions) {
            if (top->menu() == nullptr || listed.contains(action) || !contains(*top->menu(), action)) continue;
            listed.insert(action);
            entries << KeyEntry{
                plain(top->text()), action->shortcuts(), {}, plain(action->text()), action->objectName()};
        }
    }
    for (const auto* keys : window.findChildren<ViewKeys*>()) {
        for (const ViewKeys::Entry& entry : keys->entries()) {
            addOnce(entries, {keys->group(), entry.keys, entry.gesture, entry.effect, {}});
        }
        for (const QAction* action : qobject_cast<QWidget*>(keys->parent())->actions()) {
            if (!action->shortcuts().isEmpty()) {
                addOnce(entries, {keys->group(), action->shortcuts(), {}, plain(action->text()), {}});
            }
        }
    }
    // The views found last may continue a group that was begun before.
    QStringList order;
    for (const KeyEntry& entry : entries) {
        if (!order.contains(entry.group)) order << entry.group;
    }
    std::ranges::stable_sort(entries, {}, [&order](const KeyEntry& entry) { return order.indexOf(entry.group); });
    return entries;
}

}  // namespace mitos::views
