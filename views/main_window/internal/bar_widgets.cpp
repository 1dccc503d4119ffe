// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the bar's widgets.
#include "views/main_window/internal/bar_widgets.h"

#include "views/theme/theme.h"

#include <QAction>
#include <QPainter>
#include <QStyleOption>
#include <QStylePainter>

namespace mitos::views {

namespace {
constexpr int Padding = 8;
constexpr int ArrowWidth = 22;
constexpr int FieldWidth = 200;
constexpr int IconSize = 16;
constexpr int LargeText = 21;  // pixels of a line; then only what is needed is shown, so that the bar fits

bool isLarge(const QWidget& widget) { return widget.fontMetrics().height() > LargeText; }
}  // namespace

LabelledBox::LabelledBox(const QString& label, QWidget* parent) : QComboBox(parent), m_label(label) {
    setAccessibleName(label);
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

int LabelledBox::labelWidth() const { return isLarge(*this) ? 0 : fontMetrics().horizontalAdvance(m_label) + Padding; }

QSize LabelledBox::sizeHint() const {
    const int text = fontMetrics().horizontalAdvance(currentText());
    return {labelWidth() + text + 2 * Padding + ArrowWidth, QComboBox::sizeHint().height()};
}

QSize LabelledBox::minimumSizeHint() const { return sizeHint(); }

void LabelledBox::paintEvent(QPaintEvent* /*event*/) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const Theme theme(palette());
    const bool enabled = isEnabled();
    QRect room = rect().adjusted(Padding, 0, -ArrowWidth, 0);
    painter.setPen(theme.faintText());
    if (!isLarge(*this)) painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, m_label);
    room.setLeft(room.left() + labelWidth());
    QFont font = painter.font();
    font.setWeight(QFont::Medium);
    painter.setFont(font);
    painter.setPen(palette().color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::Text));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(currentText(), Qt::ElideRight, room.width()));
}

FieldButton::FieldButton(QAction* action, const QString& text, QWidget* parent) : QToolButton(parent), m_text(text) {
    setDefaultAction(action);
    setAccessibleName(text);
    setFocusPolicy(Qt::TabFocus);
}

QSize FieldButton::sizeHint() const {
    return {isLarge(*this) ? 2 * Padding + IconSize : FieldWidth, QToolButton::sizeHint().height()};
}

void FieldButton::paintEvent(QPaintEvent* /*event*/) {
    QStylePainter painter(this);
    const Theme theme(palette());
    QStyleOptionFrame frame;
    frame.initFrom(this);
    frame.lineWidth = 1;
    painter.drawPrimitive(QStyle::PE_PanelLineEdit, frame);
    const QRect room = rect().adjusted(Padding, 0, -Padding, 0);
    const QSize size(IconSize, IconSize);
    const QRect iconRoom = QStyle::alignedRect(Qt::LeftToRight, Qt::AlignLeft | Qt::AlignVCenter, size, room);
    icon().paint(&painter, iconRoom, Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
    if (isLarge(*this)) return;
    painter.setPen(theme.faintText());
    const QString keys = defaultAction()->shortcut().toString(QKeySequence::NativeText);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
    const QRect rest = room.adjusted(size.width() + Padding, 0, -fontMetrics().horizontalAdvance(keys) - Padding, 0);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_text, Qt::ElideRight, rest.width()));
}

}  // namespace mitos::views
