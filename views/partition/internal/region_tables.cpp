// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/partition/internal/region_tables.h"

#include "views/common/format.h"

#include <QLocale>
#include <utility>

namespace mitos::views {

namespace {

constexpr Qt::Alignment Right = Qt::AlignRight | Qt::AlignVCenter;

}  // namespace

RegionTable::RegionTable(QObject* parent)
    : TableModel({{.title = tr("#"), .alignment = Qt::AlignCenter},
                  {.title = tr("Form"),
                   .alignment = Qt::AlignCenter,
                   .toolTip = tr(
                       "Regions of one form have equal operators with equal types and edges; they are searched once")},
                  {.title = tr("Root"), .toolTip = tr("The node where the pattern matches")},
                  {.title = tr("Inputs"), .toolTip = tr("Values that the region uses and does not compute")},
                  {.title = tr("Outputs"), .toolTip = tr("Values that are used outside, or are results")},
                  {.title = tr("Strategy"), .toolTip = tr("The strategy that searches regions of this form")},
                  {.title = tr("Operators"), .alignment = Right},
                  {.title = tr("Cost"), .alignment = Right, .toolTip = tr("The cost of the region by itself")},
                  {.title = tr("Share"), .alignment = Right, .toolTip = tr("That cost as a part of the whole cost")}},
                 parent) {}

void RegionTable::setRegions(std::shared_ptr<const FoundRegions> found, const QString& unit) {
    beginResetModel();
    m_found = std::move(found);
    m_unit = unit;
    endResetModel();
}

void RegionTable::setStrategies(QStringList strategies) {
    m_strategies = std::move(strategies);
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, Strategy), index(rowCount() - 1, Strategy));
}

QString RegionTable::text(const ShownRegion& region, int row, int column) const {
    switch (column) {
        case Number: return countText(static_cast<std::uint64_t>(row) + 1);
        case Form: return countText(region.form);
        case Root: return region.root;
        case Operators: return countText(region.region.nodes.size());
        case Inputs: return region.inputs;
        case Outputs: return region.outputs;
        case Cost: return region.cost ? amountText(*region.cost, m_unit) : tr("not priced");
        case Share: break;
        case Strategy: return m_strategies.value(static_cast<qsizetype>(region.form) - 1);
        default: return {};
    }
    const double share = m_found->share(static_cast<std::size_t>(row));
    return share < 0.0 ? QString() : tr("%1 %").arg(QLocale().toString(100.0 * share, 'f', 1));
}

QVariant RegionTable::cell(int row, int column, int role) const {
    const auto index = static_cast<std::size_t>(row);
    const ShownRegion& region = m_found->regions[index];
    if (role == Qt::DisplayRole) return text(region, row, column);
    if (role == ShareRole && column == Share) return m_found->share(index);
    if (role != Qt::ToolTipRole) return {};
    if (!region.problem.isEmpty()) return tr("%1: %2").arg(region.name, region.problem);
    if (column == Cost && region.cost) return exactCostText(*region.cost);
    return tr("%1: %2\nInputs: %3\nOutputs: %4").arg(region.name, region.operators, region.inputs, region.outputs);
}

RefusedTable::RefusedTable(QObject* parent)
    : TableModel({{.title = tr("Root")},
                  {.title = tr("Why not")},
                  {.title = tr("Instead"), .toolTip = tr("The region that a smaller match with this root became")},
                  {.title = tr("Operators"), .alignment = Right}},
                 parent) {}

void RefusedTable::setRegions(std::shared_ptr<const FoundRegions> found) {
    beginResetModel();
    m_found = std::move(found);
    endResetModel();
}

QVariant RefusedTable::cell(int row, int column, int role) const {
    const ShownRefusal& match = m_found->refused[static_cast<std::size_t>(row)];
    if (role == Qt::ToolTipRole) return tr("%1, but %2").arg(match.reason, match.law);
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case Root: return match.root;
        case Operators: return countText(match.match.nodes);
        case Instead: return match.match.instead ? tr("region %1").arg(*match.match.instead + 1) : QString();
        default: return match.reason;
    }
}

}  // namespace mitos::views
