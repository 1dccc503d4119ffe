// SPDX-License-Identifier: GPL-3.0-or-later
// A title with the program's name and cost, above its text.
#include "views/program/difference_pane.h"

#include "views/program/code_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace mitos::views {

DifferencePane::DifferencePane(const QString& name, const QString& accessibleName, bool closable, QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_close(new QToolButton(this)),
      m_code(new CodeView(this)) {
    m_code->setObjectName(name);
    m_code->setAccessibleName(accessibleName);
    m_code->setFrameShape(QFrame::NoFrame);
    m_title->setObjectName(name + QStringLiteral("Title"));
    m_title->setContentsMargins(8, 3, 8, 3);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_close->setObjectName(name + QStringLiteral("Close"));
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Stop comparing"));
    m_close->setVisible(closable);
    connect(m_close, &QToolButton::clicked, this, &DifferencePane::closed);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 0, 0);
    head->addWidget(m_title, 1);
    head->addWidget(m_close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(m_code, 1);
    updateIcons();
    hide();
}

void DifferencePane::setTitle(const QString& title) {
    m_title->setText(title);
    m_title->setToolTip(title);
}

void DifferencePane::updateIcons() { m_close->setIcon(Theme(palette()).icon(QStringLiteral("close"))); }

void DifferencePane::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) updateIcons();
    QWidget::changeEvent(event);
}

}  // namespace mitos::views
