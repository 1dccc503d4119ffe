// SPDX-License-Identifier: GPL-3.0-or-later
// Tables whose rows are things to choose one of: the same look and keys in every view.
#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;

namespace mitos::views {

/// Shows the model with whole rows selectable, one at a time, no grid and low rows. Tab leaves the table. `title` is what
/// a screen reader says.
void setUpRowTable(QTableView& table, QAbstractItemModel& model, const QString& name, const QString& title);

}  // namespace mitos::views
