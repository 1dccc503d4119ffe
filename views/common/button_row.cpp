// SPDX-License-Identifier: GPL-3.0-or-later
// The row of flat buttons at the top of a view.
#include "views/common/button_row.h"

#include <QToolButton>

namespace mitos::views {

ButtonRow::ButtonRow() { addStretch(1); }

QToolButton* ButtonRow::addButton(const QString& name, const QString& text, const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    insertWidget(m_buttons++, button);
    return button;
}

}  // namespace mitos::views
