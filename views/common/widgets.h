// SPDX-License-Identifier: GPL-3.0-or-later
// Properties that most widgets are given together.
#pragma once

#include <QString>

class QAbstractItemModel;
class QFormLayout;
class QLabel;
class QTableView;
class QWidget;

namespace mitos::views {

/// Sets the object name, by which tests find the widget, and the texts that are not empty.
void setUpWidget(QWidget* widget, const char* name, const QString& toolTip, const QString& accessibleName = {});
/// A label that shows texts from files as they are, on as many lines as they need.
void setUpPlainLabel(QLabel* label, const char* name);
/// Adds a row with such a label, whose text can be selected.
[[nodiscard]] QLabel* addTextRow(QFormLayout& form, const char* name, const QString& title);

/// Shows the model with whole rows selectable, one at a time, without a grid and with low rows. Tab leaves the table.
/// `title` is the table's accessible name.
void setUpRowTable(QTableView& table, QAbstractItemModel& model, const QString& name, const QString& title);

}  // namespace mitos::views
