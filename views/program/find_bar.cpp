// SPDX-License-Identifier: GPL-3.0-or-later
// The find bar: a field, the number of matches, previous, next, close.
#include "views/program/find_bar.h"

#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace mitos::views {

FindBar::FindBar(QWidget* parent)
    : QWidget(parent),
      m_edit(new QLineEdit(this)),
      m_count(new QLabel(this)),
      m_previous(new QToolButton(this)),
      m_next(new QToolButton(this)),
      m_close(new QToolButton(this)) {
    setObjectName(QStringLiteral("findBar"));
    m_edit->setObjectName(QStringLiteral("findEdit"));
    m_edit->setPlaceholderText(tr("Find in the program"));
    m_edit->setClearButtonEnabled(true);
    m_previous->setToolTip(tr("Previous (Shift+F3)"));
    m_next->setToolTip(tr("Next (F3)"));
    m_close->setToolTip(tr("Close (Esc)"));
    for (auto* button : {m_previous, m_next, m_close}) button->setAutoRaise(true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 3, 6, 3);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_count);
    layout->addWidget(m_previous);
    layout->addWidget(m_next);
    layout->addWidget(m_close);
    connect(m_edit, &QLineEdit::textChanged, this, &FindBar::textChanged);
    connect(m_edit, &QLineEdit::returnPressed, this, &FindBar::next);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previous);
    connect(m_next, &QToolButton::clicked, this, &FindBar::next);
    connect(m_close, &QToolButton::clicked, this, &FindBar::closed);
    updateIcons();
}

void FindBar::updateIcons() {
    const Theme theme(palette());
    m_previous->setIcon(theme.icon(QStringLiteral("widen")));
    m_next->setIcon(theme.icon(QStringLiteral("narrow")));
    m_close->setIcon(theme.icon(QStringLiteral("close")));
}

void FindBar::open() {
    show();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

QString FindBar::text() const { return isVisible() ? m_edit->text() : QString(); }

void FindBar::showCount(int current, int count) {
    if (m_edit->text().isEmpty())
        m_count->clear();
    else
        m_count->setText(count == 0 ? tr("not found") : tr("%1 of %2").arg(current).arg(count));
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT closed();
        return;
    }
    QWidget::keyPressEvent(event);
}

void FindBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) updateIcons();
    QWidget::changeEvent(event);
}

}  // namespace mitos::views
