// SPDX-License-Identifier: GPL-3.0-or-later
// The times of operations in one or two cost profiles, as the rows of a table.
#pragma once

#include "core/cost/profile.h"
#include "views/common/table_model.h"

#include <QColor>
#include <QSortFilterProxyModel>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mitos::views {

/// An operation with its times, in seconds.
struct OperationRow {
    QString name;  ///< "Conv strides=[2,2] of f32[1,3,224,224], f32[64,3,7,7] constant"
    std::optional<cost::Measurement> time;
    std::optional<cost::Measurement> other;  ///< in the second profile
    QString refusal;                         ///< why it could not be measured; empty if it was, or was not tried
    std::uint32_t nodes = 0;                 ///< of the open program that run it
    double share = 0.0;                      ///< of the summed times of the open program, 0…1

    [[nodiscard]] bool isMeasured() const { return time.has_value(); }
};

using Profile = std::shared_ptr<const cost::CostProfile>;

/// A row for each operation of the profiles (`other` may be null) and of the program; those of the program first, the longest first.
[[nodiscard]] std::vector<OperationRow> operationRows(const cost::CostProfile& profile, const cost::CostProfile* other,
                                                      const std::vector<cost::UsedOperation>& used);

/// "12.3 µs", "4.56 ms": four significant digits at most.
[[nodiscard]] QString timeText(double seconds);

class OperationTable final : public TableModel {
    Q_OBJECT
public:
    enum Column { Name, Time, Spread, Other, Ratio, Nodes, Share, Age, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;
    static constexpr int ShareRole = Qt::UserRole + 1;

    explicit OperationTable(QObject* parent);
    /// `now` is the time that ages refer to, in seconds since 1970.
    void setRows(std::vector<OperationRow> rows, const QString& otherTitle, std::int64_t now);
    [[nodiscard]] const std::vector<OperationRow>& all() const { return m_rows; }
    void setFaintColor(const QColor& color) { m_faint = color; }

private:
    [[nodiscard]] std::size_t rows() const override { return m_rows.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] QString text(const OperationRow& row, int column) const;

    std::vector<OperationRow> m_rows;
    std::int64_t m_now = 0;
    QColor m_faint;
};

/// Shows the rows that contain all words and, if asked, only those of the open program.
class OperationFilter final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    OperationFilter(OperationTable& table, QObject* parent);
    void setWords(const QString& words);
    void setOnlyUsed(bool onlyUsed);
    [[nodiscard]] bool shows(std::size_t row) const;

private:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

    OperationTable& m_table;
    QStringList m_words;
    bool m_onlyUsed = false;
};

}  // namespace mitos::views
