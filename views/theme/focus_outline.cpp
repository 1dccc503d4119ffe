// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/focus_outline.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QFocusFrame>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>

namespace mitos::views {

namespace {

template <typename... Kinds>
bool isAny(const QWidget* widget) {
    return (... || (qobject_cast<const Kinds*>(widget) != nullptr));
}

/// Whether the style shows the focus of such a widget.
bool hasOwnOutline(const QWidget* widget) {
    if (const auto* area = qobject_cast<const QAbstractScrollArea*>(widget)) return area->frameWidth() > 0;
    return isAny<QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractSlider, QTabBar, QMenuBar, QMenu,
                 QDialog, QMainWindow>(widget);
}

}  // namespace

FocusOutline::FocusOutline(QApplication& application) : QObject(&application) {
    connect(&application, &QApplication::focusChanged, this,
            [this](const QWidget* /*old*/, QWidget* focus) { follow(focus); });
}

void FocusOutline::follow(QWidget* focus) {
    const bool isNeeded = focus != nullptr && !focus->isWindow() && !hasOwnOutline(focus) &&
                          focus->window()->testAttribute(Qt::WA_KeyboardFocusChange);
    if (isNeeded && m_frame == nullptr) m_frame = new QFocusFrame(focus->window());
    if (m_frame != nullptr) m_frame->setWidget(isNeeded ? focus : nullptr);
}

}  // namespace mitos::views
