// SPDX-License-Identifier: GPL-3.0-or-later
// The common look and keys of tables in which the user chooses one row.
#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;

namespace mitos::views {

/// Shows the model with whole rows selectable, one at a time, without a grid and with low rows. Tab leaves the table.
/// `title` is the table's accessible name.
void setUpRowTable(QTableView& table, QAbstractItemModel& model, const QString& name, const QString& title);

}  // namespace mitos::views
