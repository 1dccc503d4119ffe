// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/internal/start_card.h"

#include "views/common/format.h"
#include "views/common/sparkline.h"
#include "views/common/widgets.h"
#include "views/start_page/internal/strong_font.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int CardPadding = 16;
constexpr int PictureMargin = 8;  // programs have a margin of their own
constexpr int AboutGap = 4;
constexpr int AboutLines = 2;
constexpr double Radius = 8.0;
constexpr double FocusWidth = 2.0;

}  // namespace

QList<QPointF> sparklineOf(const std::vector<search::Improvement>& curve) {
    QList<QPointF> points;
    for (const search::Improvement& point : curve) {
        points << QPointF(static_cast<double>(point.evaluations), point.best);
    }
    return points;
}

CurvePicture::CurvePicture(QWidget* parent) : QWidget(parent) { setAttribute(Qt::WA_TransparentForMouseEvents); }

void CurvePicture::setCurve(const std::vector<search::Improvement>& curve, const QString& unit) {
    m_points = sparklineOf(curve);
    if (!curve.empty()) {
        const double before = curve.front().best;
        const double after = curve.back().best;
        m_costs = fromToText(before, after, unit);
        m_change = changeText(before, after);
    }
    update();
}

void CurvePicture::paintEvent(QPaintEvent* /*event*/) {
    if (m_points.isEmpty()) return;
    QPainter painter(this);
    const Theme theme(palette());
    const QRect room = rect().adjusted(PictureMargin, 0, -2 * PictureMargin, 0);
    drawSparkline(painter, room, m_points, theme);
    // The curve falls from the left, so there is room at the right.
    painter.setFont(strongFont(font()));
    painter.setPen(theme.better());
    painter.drawText(room, Qt::AlignTop | Qt::AlignRight, m_change);
    const int lower = painter.fontMetrics().height();
    painter.setFont(smallFont(font()));
    painter.setPen(theme.faintText());
    painter.drawText(room.adjusted(0, lower, 0, 0), Qt::AlignTop | Qt::AlignRight, m_costs);
}

StartCard::StartCard(const char* name, const QString& title, const QString& about, QWidget* parent)
    : QAbstractButton(parent),
      m_about(about),
      m_picture(new QWidget(this)) {
    setUpWidget(this, name, {}, tr("%1: %2").arg(title, about));
    setText(title);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_picture->setAttribute(Qt::WA_TransparentForMouseEvents);
    fillColumn(m_picture, {}, {.margins = NoMargins, .spacing = 0});
    fillColumn(this, {{m_picture, 1}}, {.margins = pictureMargins(), .spacing = 0});
}

void StartCard::addPicture(QWidget* picture, int stretch) {
    static_cast<QVBoxLayout*>(m_picture->layout())->addWidget(picture, stretch);
}

void StartCard::setUnavailable(const QString& reason) {
    setEnabled(false);
    unsetCursor();
    setToolTip(reason);
}

/// Of the texts below the picture, with the space around them.
int StartCard::textHeight() const {
    return QFontMetrics(strongFont(font())).height() + AboutGap +
           AboutLines * QFontMetrics(smallFont(font())).lineSpacing() + 2 * CardPadding;
}

/// Pictures may reach the right edge, because programs are wide.
QMargins StartCard::pictureMargins() const { return {PictureMargin, PictureMargin, 1, textHeight() + 1}; }

void StartCard::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme(palette());
    const double line = hasFocus() ? FocusWidth : 1.0;
    const QRectF frame = QRectF(rect()).adjusted(line / 2, line / 2, -line / 2, -line / 2);
    QRect room(0, height() - textHeight(), width(), textHeight());
    painter.setPen(Qt::NoPen);
    painter.setBrush(isDown() ? theme.hovered() : palette().color(QPalette::Base));
    painter.drawRoundedRect(frame, Radius, Radius);
    painter.fillRect(QRect(1, room.top(), width() - 2, 1), theme.line());
    painter.setPen(QPen(hasFocus() ? theme.accent() : underMouse() ? theme.border() : theme.line(), line));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(frame, Radius, Radius);
    room.adjust(CardPadding, CardPadding, -CardPadding, -CardPadding);
    painter.setFont(strongFont(font()));
    painter.setPen(isEnabled() ? palette().color(QPalette::Text) : theme.faintText());
    painter.drawText(room, Qt::AlignTop | Qt::AlignLeft, text());
    room.setTop(room.top() + painter.fontMetrics().height() + AboutGap);
    painter.setFont(smallFont(font()));
    painter.setPen(theme.faintText());
    painter.drawText(room, Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap, isEnabled() ? m_about : toolTip());
}

void StartCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

bool StartCard::event(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        layout()->setContentsMargins(pictureMargins());
    }
    return QAbstractButton::event(event);
}

}  // namespace mitos::views
