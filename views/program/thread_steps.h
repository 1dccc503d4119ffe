// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a thread as a table: a row for each state, with the rule that leads to it, the place, and the program.
#pragma once

#include "core/rewrite/step.h"

#include <QString>
#include <QTableWidget>
#include <vector>

namespace mitos::views {

/// The texts of a row; the first row has the start, and neither a rule nor a place.
struct ThreadRow {
    QString rule;
    QString place;
    QString term;  ///< on a line, cut off
};
/// Thread-safe. Takes long for many states of large programs.
[[nodiscard]] std::vector<ThreadRow> threadRows(const ir::TermBank& bank, const rewrite::Thread& thread);

class ThreadSteps final : public QTableWidget {
    Q_OBJECT
public:
    explicit ThreadSteps(const char* name, QWidget* parent = nullptr);

    void setRows(const std::vector<ThreadRow>& rows);
    /// The state of the current row: 0 is the start; -1: none.
    [[nodiscard]] int state() const { return currentRow(); }
    void showState(int state);

Q_SIGNALS:
    void stateChosen(int state);
};

}  // namespace mitos::views
