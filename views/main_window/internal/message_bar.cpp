// SPDX-License-Identifier: GPL-3.0-or-later
// The message bar: icon, one line, and the details, which a button unfolds.
#include "views/main_window/internal/message_bar.h"

#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {
constexpr int NoticeMs = 12'000;
constexpr int DetailLines = 8;
}  // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      m_icon(new QLabel(this)),
      m_text(new QLabel(this)),
      m_offer(new QToolButton(this)),
      m_more(new QToolButton(this)),
      m_copy(new QToolButton(this)),
      m_close(new QToolButton(this)),
      m_details(new QPlainTextEdit(this)) {
    setObjectName(QStringLiteral("messageBar"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::ToolTipBase);
    setUpPlainLabel(m_text, "messageText");
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_details->setObjectName(QStringLiteral("messageDetails"));
    m_details->setReadOnly(true);
    setOwnFont(m_details, [] { return programFont(); });
    m_details->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_offer->setObjectName(QStringLiteral("messageOffer"));
    m_offer->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_more->setText(tr("Details"));
    m_more->setCheckable(true);
    m_copy->setText(tr("Copy"));
    m_copy->setToolTip(tr("Copy message and details"));
    m_close->setToolTip(tr("Close this message"));
    m_close->setObjectName(QStringLiteral("messageClose"));
    for (auto* button : {m_more, m_copy, m_close}) button->setAutoRaise(true);

    auto* line = rowOf({m_icon, {m_text, 1}, m_offer, m_more, m_copy, m_close}, {.margins = NoMargins});
    fillColumn(this, {line, m_details}, {.margins = QMargins(8, 4, 4, 4)});

    m_timer.setSingleShot(true);
    m_timer.setInterval(NoticeMs);
    connect(&m_timer, &QTimer::timeout, this, &QWidget::hide);
    connect(m_offer, &QToolButton::clicked, this, [this] {
        if (m_work) m_work();
    });
    connect(m_more, &QToolButton::toggled, m_details, &QWidget::setVisible);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_copy, &QToolButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_text->text() + QLatin1Char('\n') + m_details->toPlainText());
    });
    followPalette(this, [this] { updateIcons(); });
    hide();
}

void MessageBar::present(const QString& text, const QString& details, bool error) {
    m_error = error;
    m_offer->hide();
    m_text->setText(text);
    m_details->setPlainText(details);
    const int lines = std::min(DetailLines, static_cast<int>(details.count(QLatin1Char('\n'))) + 2);
    m_details->setFixedHeight(m_details->fontMetrics().lineSpacing() * lines + 12);
    m_more->setVisible(!details.isEmpty());
    m_copy->setVisible(!details.isEmpty());
    // An error's details contain the place and the hint, so short ones are shown at once.
    const bool open = error && !details.isEmpty() && details.count(QLatin1Char('\n')) < DetailLines;
    m_more->setChecked(open);
    m_details->setVisible(open);
    updateIcons();
    m_text->setAccessibleName(text);
    show();
    updateGeometry();
    // Announces the message to screen readers.
    QAccessibleEvent alert(m_text, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageBar::setClosable(bool closable) { m_close->setVisible(closable); }

void MessageBar::showError(const QString& title, const QString& details) {
    m_timer.stop();
    present(title, details.trimmed(), true);
}

void MessageBar::showNotice(const QString& text, const QString& details) {
    if (isVisible() && m_error) return;  // a notice does not replace an error
    present(text, details, false);
    // Messages with details stay, because they take time to read.
    if (details.isEmpty())
        m_timer.start();
    else
        m_timer.stop();
}

void MessageBar::showResult(const QString& text, const QString& details) {
    if (isVisible() && m_error) return;
    m_timer.stop();
    present(text, details, false);
}

void MessageBar::offer(const QString& text, std::function<void()> work) {
    m_timer.stop();
    m_offer->setText(text);
    m_work = std::move(work);
    m_offer->show();
}

QString MessageBar::text() const { return m_text->text(); }

QString MessageBar::details() const { return m_details->toPlainText(); }

void MessageBar::updateIcons() {
    const Theme theme(palette());
    m_icon->setPixmap(theme.icon(m_error ? QStringLiteral("warning") : QStringLiteral("info"))
                          .pixmap(QSize(20, 20), devicePixelRatioF()));
    m_close->setIcon(theme.icon(QStringLiteral("close")));
}

}  // namespace mitos::views
