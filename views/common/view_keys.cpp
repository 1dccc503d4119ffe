// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/view_keys.h"

#include <QKeyEvent>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

ViewKeys::ViewKeys(QWidget* widget, QString group) : QObject(widget), m_group(std::move(group)) {
    widget->installEventFilter(this);
}

void ViewKeys::add(const QList<QKeySequence>& keys, const QString& effect, std::function<void()> work) {
    m_entries.append({keys, {}, effect, std::move(work)});
}

void ViewKeys::describe(const QString& gesture, const QString& effect) { m_entries.append({{}, gesture, effect, {}}); }

bool ViewKeys::matches(const QKeySequence& keys, const QKeyEvent& event) {
    const QKeyCombination wanted = keys[0];
    const Qt::KeyboardModifiers held = event.modifiers() & ~Qt::KeypadModifier;
    if (wanted.key() != event.key()) return false;
    // Signs such as + need Shift on some keyboards.
    const bool isSign = event.key() < Qt::Key_A && wanted.keyboardModifiers() == Qt::NoModifier;
    return wanted.keyboardModifiers() == held || (isSign && held == Qt::ShiftModifier);
}

bool ViewKeys::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return false;
    const auto& key = *static_cast<QKeyEvent*>(event);
    for (const Entry& entry : m_entries) {
        if (std::ranges::none_of(entry.keys, [&](const QKeySequence& keys) { return matches(keys, key); })) continue;
        entry.work();
        return true;
    }
    return false;
}

}  // namespace mitos::views
