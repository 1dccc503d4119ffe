// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/common/widgets.h"

#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>

namespace mitos::views {

void setUpWidget(QWidget* widget, const char* name, const QString& toolTip, const QString& accessibleName) {
    widget->setObjectName(QLatin1String(name));
    if (!toolTip.isEmpty()) widget->setToolTip(toolTip);
    if (!accessibleName.isEmpty()) widget->setAccessibleName(accessibleName);
}

void setUpPlainLabel(QLabel* label, const char* name) {
    label->setObjectName(QLatin1String(name));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
}

QLabel* addTextRow(QFormLayout& form, const char* name, const QString& title) {
    auto* label = new QLabel(form.parentWidget());
    setUpPlainLabel(label, name);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    form.addRow(title, label);
    return label;
}

void setUpRowTable(QTableView& table, QAbstractItemModel& model, const QString& name, const QString& title) {
    constexpr int Margin = 6;         // total space above and below a row's text
    constexpr int MeasuredRows = 32;  // rows measured for the width of columns
    table.setObjectName(name);
    table.setAccessibleName(title);
    table.setModel(&model);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + Margin);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setResizeContentsPrecision(MeasuredRows);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace mitos::views
