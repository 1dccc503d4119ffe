// SPDX-License-Identifier: GPL-3.0-or-later
// The transitions of a traced match, as a table.
#pragma once

#include "core/rules/trace.h"

#include <QAbstractTableModel>
#include <QColor>
#include <memory>

namespace mitos::views {

class MatchStepsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { NumberColumn, TransitionColumn, ActionColumn, DetailColumn, ColumnCount };

    explicit MatchStepsModel(QObject* parent = nullptr);

    void setTrace(std::shared_ptr<const rules::MatchTrace> trace);
    /// Colours of transitions that succeed and of those that fail.
    void setColors(const QColor& success, const QColor& refusal);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QVariant text(int row, int column) const;

    std::shared_ptr<const rules::MatchTrace> m_trace;
    QColor m_success;
    QColor m_refusal;
};

}  // namespace mitos::views
