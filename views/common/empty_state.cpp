// SPDX-License-Identifier: GPL-3.0-or-later
// The placeholder of a view without content.
#include "views/common/empty_state.h"

#include "views/common/layouts.h"

#include <QLabel>
#include <QPushButton>

namespace mitos::views {

EmptyState::EmptyState(QWidget* parent) : QWidget(parent), m_label(new QLabel(this)), m_button(new QPushButton(this)) {
    setObjectName(QStringLiteral("emptyState"));
    m_label->setObjectName(QStringLiteral("emptyStateText"));
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignCenter);
    m_label->setForegroundRole(QPalette::PlaceholderText);
    m_button->setObjectName(QStringLiteral("emptyStateAction"));
    m_button->hide();

    fillColumn(this, {stretch(), m_label, {m_button, 0, Qt::AlignHCenter}, stretch()});
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action) m_action();
    });
}

void EmptyState::explain(const QString& text, const QString& actionText, std::function<void()> action) {
    m_label->setText(text);
    m_button->setText(actionText);
    m_action = std::move(action);
    m_button->setVisible(!actionText.isEmpty() && m_action);
}

QString EmptyState::text() const { return m_label->text(); }

}  // namespace mitos::views
