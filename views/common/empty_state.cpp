// SPDX-License-Identifier: GPL-3.0-or-later
// The placeholder of a view without content.
#include "views/common/empty_state.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace mitos::views {

EmptyState::EmptyState(QWidget* parent) : QWidget(parent), m_label(new QLabel(this)), m_button(new QPushButton(this)) {
    setObjectName(QStringLiteral("emptyState"));
    m_label->setObjectName(QStringLiteral("emptyStateText"));
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignCenter);
    m_label->setForegroundRole(QPalette::PlaceholderText);
    m_button->setObjectName(QStringLiteral("emptyStateAction"));
    m_button->hide();

    auto* layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addWidget(m_label);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    layout->addStretch(1);
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
