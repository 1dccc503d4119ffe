// SPDX-License-Identifier: GPL-3.0-or-later
// A title with the program's name and cost, above its text.
#include "views/program/code_pane.h"

#include "views/common/elided_label.h"
#include "views/common/widgets.h"
#include "views/program/code_view.h"
#include "views/theme/theme.h"

#include <QLabel>
#include <QToolButton>

namespace mitos::views {

CodePane::CodePane(const QString& name, const QString& accessibleName, bool closable, QWidget* parent)
    : QWidget(parent),
      m_title(new ElidedLabel(this)),
      m_costs(new QLabel(this)),
      m_close(new QToolButton(this)),
      m_code(new CodeView(this)) {
    m_code->setObjectName(name);
    m_code->setAccessibleName(accessibleName);
    m_code->setFrameShape(QFrame::NoFrame);
    m_title->setObjectName(name + QStringLiteral("Title"));
    m_costs->setObjectName(name + QStringLiteral("Cost"));
    m_title->setContentsMargins(8, 3, 0, 3);
    m_costs->setContentsMargins(8, 3, 8, 3);
    m_costs->setTextFormat(Qt::PlainText);
    m_close->setObjectName(name + QStringLiteral("Close"));
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Stop comparing"));
    m_close->setVisible(closable);
    connect(m_close, &QToolButton::clicked, this, &CodePane::closed);
    auto* head = rowOf({{m_title, 1}, m_costs, m_close}, {.margins = NoMargins});
    fillColumn(this, {head, {m_code, 1}}, {.margins = NoMargins, .spacing = 0});
    followPalette(this, [this] { m_close->setIcon(Theme(palette()).icon(QStringLiteral("close"))); });
    hide();
}

void CodePane::setTitle(const QString& title, const QString& costs) {
    m_costs->setText(costs);
    m_costs->setVisible(!costs.isEmpty());
    m_title->setText(title);
}

}  // namespace mitos::views
