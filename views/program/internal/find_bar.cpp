// SPDX-License-Identifier: GPL-3.0-or-later
// The find bar: a field, the number of matches, previous, next, close.
#include "views/program/internal/find_bar.h"

#include "views/common/widgets.h"
#include "views/theme/theme.h"

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
    fillRow(this, {{m_edit, 1}, m_count, m_previous, m_next, m_close}, {.margins = QMargins(6, 3, 6, 3)});
    connect(m_edit, &QLineEdit::textChanged, this, &FindBar::textChanged);
    connect(m_edit, &QLineEdit::returnPressed, this, &FindBar::next);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previous);
    connect(m_next, &QToolButton::clicked, this, &FindBar::next);
    connect(m_close, &QToolButton::clicked, this, &FindBar::closed);
    followPalette(this, [this] { updateIcons(); });
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

}  // namespace mitos::views
