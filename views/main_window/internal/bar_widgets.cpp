// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the bar's widgets.
#include "views/main_window/internal/bar_widgets.h"

#include "views/common/format.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QEvent>
#include <QPainter>
#include <QStyleOption>
#include <QStylePainter>
#include <QToolBar>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {
constexpr int Padding = 8;
constexpr int ArrowWidth = 22;
constexpr int FieldCharacters = 26;
constexpr int NarrowCharacters = 9;
constexpr int IconSize = 16;
constexpr int Slack = 16;
}  // namespace

LabelledBox::LabelledBox(const QString& label, QWidget* parent) : QComboBox(parent), m_label(label) {
    setAccessibleName(label);
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

int LabelledBox::labelWidth() const { return fontMetrics().horizontalAdvance(m_label) + Padding; }

int LabelledBox::cutWidth() const {
    const int text = fontMetrics().horizontalAdvance(currentText());
    return std::max(0, text - NarrowCharacters * fontMetrics().averageCharWidth());
}

QSize LabelledBox::sizeHint() const {
    const int text = fontMetrics().horizontalAdvance(currentText()) - (m_isNarrow ? cutWidth() : 0);
    return {(m_isLabelled ? labelWidth() : 0) + text + 2 * Padding + ArrowWidth, QComboBox::sizeHint().height()};
}

QSize LabelledBox::minimumSizeHint() const { return sizeHint(); }

void LabelledBox::setLabelled(bool isLabelled) {
    m_isLabelled = isLabelled;
    updateGeometry();
    update();
}

void LabelledBox::setNarrow(bool isNarrow) {
    m_isNarrow = isNarrow;
    updateGeometry();
    update();
}

void LabelledBox::paintEvent(QPaintEvent* /*event*/) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const Theme theme(palette());
    const bool enabled = isEnabled();
    QRect room = rect().adjusted(Padding, 0, -ArrowWidth, 0);
    painter.setPen(theme.faintText());
    if (m_isLabelled) {
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, m_label);
        room.setLeft(room.left() + labelWidth());
    }
    QFont font = painter.font();
    font.setWeight(QFont::Medium);
    painter.setFont(font);
    painter.setPen(palette().color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::Text));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     elided(currentText(), painter.fontMetrics(), room.width()));
}

FieldButton::FieldButton(QAction* action, const QString& text, QWidget* parent) : QToolButton(parent), m_text(text) {
    setDefaultAction(action);
    setAccessibleName(text);
    setFocusPolicy(Qt::TabFocus);
}

int FieldButton::fieldWidth() const { return FieldCharacters * fontMetrics().averageCharWidth() + 2 * Padding; }

int FieldButton::cutWidth() const { return fieldWidth() - 2 * Padding - IconSize; }

QSize FieldButton::sizeHint() const {
    return {fieldWidth() - (m_isNarrow ? cutWidth() : 0), QToolButton::sizeHint().height()};
}

void FieldButton::setNarrow(bool isNarrow) {
    m_isNarrow = isNarrow;
    updateGeometry();
    update();
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
    if (m_isNarrow) return;
    painter.setPen(theme.faintText());
    const QString keys = defaultAction()->shortcut().toString(QKeySequence::NativeText);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, keys);
    const QRect rest = room.adjusted(size.width() + Padding, 0, -fontMetrics().horizontalAdvance(keys) - Padding, 0);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, elided(m_text, fontMetrics(), rest.width()));
}

BarFit::BarFit(QToolBar& bar, std::vector<BarPart> parts) : QObject(&bar), m_bar(bar), m_parts(std::move(parts)) {
    bar.installEventFilter(this);
}

bool BarFit::eventFilter(QObject* watched, QEvent* event) {
    // The bar's layout handles the request first, so that sizes are known.
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize || event->type() == QEvent::Show)
        QMetaObject::invokeMethod(this, &BarFit::fit, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

void BarFit::fit() {
    int needed = m_bar.sizeHint().width();
    for (std::size_t i = 0; i < m_leftOut; ++i) needed += m_parts[i].width();
    std::size_t leftOut = 0;
    // A part comes back only where there is some room to spare: its width may be a few pixels off.
    const auto room = [this](std::size_t part) { return m_bar.width() - (part < m_leftOut ? Slack : 0); };
    for (; leftOut < m_parts.size() && needed > room(leftOut); ++leftOut) needed -= m_parts[leftOut].width();
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if ((i < leftOut) != (i < m_leftOut)) m_parts[i].show(i >= leftOut);
    }
    m_leftOut = leftOut;
}

}  // namespace mitos::views
