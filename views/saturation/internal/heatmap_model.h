// SPDX-License-Identifier: GPL-3.0-or-later
// The effect of each rule in each iteration, as a table (egraph-mcts.txt, figures 7 and 8).
#pragma once

#include "core/egraph/report.h"
#include "views/common/heat_delegate.h"

#include <QAbstractTableModel>
#include <vector>

namespace mitos::views {

/// A row for each rule that found something, a column for each iteration.
class HeatmapModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Count { Applied, Matches, Nodes, Gain };
    enum class Order { Total, FirstUse, Rules };
    /// 0…1 on a logarithmic scale from 1 to the largest count; gains, which may be of any size, use the four decades
    /// below the largest. Negative if nothing happened.
    static constexpr int ShareRole = HeatDelegate::ShareRole;
    static constexpr int BannedRole = HeatDelegate::CrossedRole;

    explicit HeatmapModel(QObject* parent = nullptr);

    void setReport(const egraph::SaturationReport& report);
    void setCount(Count count);
    void setOrder(Order order);
    [[nodiscard]] QString ruleAt(int row) const;
    /// Whether the report contains the rules' gains for any iteration.
    [[nodiscard]] bool knowsGains() const;
    [[nodiscard]] std::size_t unusedRules() const { return m_report.rules.size() - m_rows.size(); }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void arrange();
    [[nodiscard]] double valueOf(std::size_t rule, std::size_t iteration) const;
    [[nodiscard]] double shareOf(double value) const;
    [[nodiscard]] QString toolTip(std::size_t rule, std::size_t iteration) const;

    egraph::SaturationReport m_report;
    Count m_count = Count::Applied;
    Order m_order = Order::Total;
    std::vector<std::size_t> m_rows;  // rule of each row
    double m_largest = 0.0;
};

}  // namespace mitos::views
