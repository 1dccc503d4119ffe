// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/internal/tour.h"

#include "views/common/widgets.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int Distance = 12;  // between the outline and the card, and to the window's edges
constexpr int OutlineWidth = 2;
constexpr double CornerRadius = 6.0;
constexpr int CardCharacters = 52;  // in a line of the card

/// A card with a background and a hairline around it.
class Card final : public QFrame {
public:
    using QFrame::QFrame;

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(Theme(palette()).border(), 1));
        painter.setBrush(palette().base());
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), CornerRadius, CornerRadius);
    }
};

}  // namespace

Tour::Tour(QList<TourStop> stops, QWidget* window)
    : QWidget(window),
      m_stops(std::move(stops)),
      m_card(new Card(this)),
      m_title(new QLabel(m_card)),
      m_text(new QLabel(m_card)),
      m_count(new QLabel(m_card)),
      m_skip(new QPushButton(tr("S&kip"), m_card)),
      m_back(new QPushButton(tr("&Back"), m_card)),
      m_next(new QPushButton(m_card)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setUpWidget(this, "tour", {}, tr("Guided tour"));
    setFocusPolicy(Qt::StrongFocus);
    m_card->setObjectName(QStringLiteral("tourCard"));
    m_title->setObjectName(QStringLiteral("tourTitle"));
    m_text->setObjectName(QStringLiteral("tourText"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_count->setObjectName(QStringLiteral("tourCount"));
    m_skip->setObjectName(QStringLiteral("tourSkip"));
    m_back->setObjectName(QStringLiteral("tourBack"));
    m_next->setObjectName(QStringLiteral("tourNext"));
    setMainButton(m_next);
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    fillColumn(m_card, {m_title, m_text, rowOf({m_count, stretch(), m_skip, m_back, m_next})},
               {.margins = QMargins(Distance, Distance, Distance, Distance), .spacing = Distance / 2});
    connect(m_skip, &QPushButton::clicked, this, &Tour::skip);
    connect(m_back, &QPushButton::clicked, this, [this] { goTo(m_stop - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { goTo(m_stop + 1); });
    window->installEventFilter(this);
    for (QPushButton* button : {m_skip, m_back, m_next}) button->installEventFilter(this);
    followPalette(this, [this] {
        QPalette faint = palette();
        faint.setColor(QPalette::WindowText, Theme(palette()).faintText());
        m_count->setPalette(faint);
        update();
    });
    setGeometry(window->rect());
    show();
    raise();
    goTo(0);
}

void Tour::skip() {
    Q_EMIT ended();
    close();
}

void Tour::goTo(int stop) {
    if (stop < 0) return;
    if (stop >= m_stops.size()) return skip();
    m_stop = stop;
    const TourStop& here = m_stops[stop];
    here.prepare();
    m_title->setText(here.title);
    m_text->setText(here.text);
    m_text->setAccessibleName(here.title);
    m_count->setText(tr("%1 of %2").arg(stop + 1).arg(m_stops.size()));
    m_back->setEnabled(stop > 0);
    m_next->setText(stop + 1 == m_stops.size() ? tr("&Done") : tr("&Next"));
    raise();
    m_next->setFocus(Qt::OtherFocusReason);
    place();
    placeLater();  // once what was prepared has its place
}

void Tour::placeLater() {
    if (std::exchange(m_isPlacing, true)) return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_isPlacing = false;
            place();
        },
        Qt::QueuedConnection);
}

void Tour::place() {
    setGeometry(parentWidget()->rect());
    m_outline = m_stops[m_stop].target().intersected(rect());
    const int wanted = CardCharacters * fontMetrics().averageCharWidth() + 2 * Distance;
    const int width = std::min(wanted, this->width() - 2 * Distance);
    m_card->setFixedWidth(width);
    m_card->resize(width, std::max(m_card->heightForWidth(width), m_card->sizeHint().height()));
    m_card->move(cardPlace());
    update();
}

/// Beside the outline where there is most room, else inside it or in the middle of the window.
QPoint Tour::cardPlace() const {
    const QSize size = m_card->size();
    const QRect room = rect().adjusted(Distance, Distance, -Distance, -Distance);
    const auto clamped = [&](QPoint at) {
        return QPoint(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - size.width() + 1)),
                      std::clamp(at.y(), room.top(), std::max(room.top(), room.bottom() - size.height() + 1)));
    };
    if (m_outline.isEmpty()) return clamped(room.center() - QPoint(size.width(), size.height()) / 2);
    const bool fitsBelow = m_outline.bottom() + Distance + size.height() <= room.bottom();
    if (fitsBelow && m_outline.height() < size.height() / 2)
        return clamped({m_outline.left(), m_outline.bottom() + Distance});
    if (m_outline.right() + Distance + size.width() <= room.right())
        return clamped({m_outline.right() + Distance, m_outline.top()});
    if (m_outline.left() - Distance - size.width() >= room.left())
        return clamped({m_outline.left() - Distance - size.width(), m_outline.top()});
    if (fitsBelow) return clamped({m_outline.left(), m_outline.bottom() + Distance});
    if (m_outline.top() - Distance - size.height() >= room.top())
        return clamped({m_outline.left(), m_outline.top() - Distance - size.height()});
    return clamped({m_outline.center().x() - size.width() / 2, m_outline.bottom() - size.height() - Distance});
}

bool Tour::event(QEvent* event) {
    // All keys are the tour's, also those that are shortcuts of the window.
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
    const bool isLayout = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
    if (watched == parentWidget() && isLayout) placeLater();
    // Buttons would use the arrows to move the focus.
    if (watched != parentWidget() && event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right) {
            keyPressEvent(key);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

/// Tab stays on the card.
bool Tour::focusNextPrevChild(bool next) {
    QList<QPushButton*> buttons;
    for (QPushButton* button : {m_skip, m_back, m_next}) {
        if (button->isEnabled()) buttons << button;
    }
    const auto count = buttons.size();
    const auto at = std::max<qsizetype>(0, buttons.indexOf(qobject_cast<QPushButton*>(focusWidget())));
    buttons[(at + (next ? 1 : count - 1)) % count]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

void Tour::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape: return skip();
        case Qt::Key_Left: return goTo(m_stop - 1);
        case Qt::Key_Right:
            if (m_stop + 1 < m_stops.size()) goTo(m_stop + 1);
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (auto* button = qobject_cast<QPushButton*>(focusWidget()); button != nullptr) button->click();
            return;
        default: break;  // nothing reaches the window below
    }
}

void Tour::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    constexpr int Shade = 110;  // of 255
    QPainterPath around;
    around.addRect(rect());
    if (!m_outline.isEmpty()) {
        QPainterPath hole;
        hole.addRoundedRect(m_outline, CornerRadius, CornerRadius);
        around -= hole;
    }
    painter.fillPath(around, QColor(0, 0, 0, Shade));
    if (m_outline.isEmpty()) return;
    painter.setPen(QPen(Theme(palette()).accent(), OutlineWidth));
    constexpr double Inset = OutlineWidth / 2.0;
    painter.drawRoundedRect(QRectF(m_outline).adjusted(Inset, Inset, -Inset, -Inset), CornerRadius, CornerRadius);
}

}  // namespace mitos::views
