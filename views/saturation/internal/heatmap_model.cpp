// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/internal/heatmap_model.h"

#include "views/common/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::views {

namespace {

/// A number for a cell: two or three digits, and all those before the decimal point.
QString shortText(double value) {
    constexpr double Digits = 1000.0;
    if (value >= Digits) return QLocale().toString(value, 'f', 0);
    return QLocale().toString(value, 'g', value < 1.0 ? 2 : 3);
}

}  // namespace

HeatmapModel::HeatmapModel(QObject* parent) : QAbstractTableModel(parent) {}

void HeatmapModel::setReport(const egraph::SaturationReport& report) {
    beginResetModel();
    m_report = report;
    arrange();
    endResetModel();
}

void HeatmapModel::setCount(Count count) {
    beginResetModel();
    m_count = count;
    arrange();
    endResetModel();
}

void HeatmapModel::setOrder(Order order) {
    beginResetModel();
    m_order = order;
    arrange();
    endResetModel();
}

bool HeatmapModel::knowsGains() const {
    return std::ranges::any_of(m_report.iterations,
                               [](const egraph::IterationReport& iteration) { return iteration.gain.has_value(); });
}

double HeatmapModel::valueOf(std::size_t rule, std::size_t iteration) const {
    const auto& rules = m_report.iterations[iteration].rules;
    if (rule >= rules.size()) return 0.0;
    switch (m_count) {
        case Count::Applied: return static_cast<double>(rules[rule].applied);
        case Count::Matches: return static_cast<double>(rules[rule].matches);
        case Count::Nodes: return static_cast<double>(rules[rule].nodes);
        case Count::Gain: return rules[rule].gain;
    }
    return 0.0;
}

double HeatmapModel::shareOf(double value) const {
    constexpr double Decades = 4.0;
    if (value <= 0.0) return -1.0;
    if (m_count == Count::Gain) return std::max(0.0, 1.0 + std::log10(value / m_largest) / Decades);
    return m_largest <= 1.0 ? 1.0 : std::log(value) / std::log(m_largest);
}

void HeatmapModel::arrange() {
    m_rows.clear();
    m_largest = 0.0;
    std::vector<double> total(m_report.rules.size(), 0.0);
    std::vector<std::size_t> first(m_report.rules.size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t rule = 0; rule < m_report.rules.size(); ++rule) {
        bool used = false;
        for (std::size_t at = 0; at < m_report.iterations.size(); ++at) {
            const double value = valueOf(rule, at);
            const auto& rules = m_report.iterations[at].rules;
            used = used || (rule < rules.size() && rules[rule].matches > 0);
            total[rule] += value;
            m_largest = std::max(m_largest, value);
            if (value > 0.0) first[rule] = std::min(first[rule], at);
        }
        if (used) m_rows.push_back(rule);
    }
    if (m_order == Order::Rules) return;
    std::ranges::stable_sort(m_rows, [&](std::size_t a, std::size_t b) {
        return m_order == Order::Total ? total[a] > total[b] : first[a] < first[b];
    });
}

QString HeatmapModel::ruleAt(int row) const { return fromUtf8(m_report.rules[m_rows[static_cast<std::size_t>(row)]]); }

int HeatmapModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int HeatmapModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_report.iterations.size());
}

QVariant HeatmapModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const std::size_t rule = m_rows[static_cast<std::size_t>(index.row())];
    const auto iteration = static_cast<std::size_t>(index.column());
    const double value = valueOf(rule, iteration);
    const auto& rules = m_report.iterations[iteration].rules;
    const bool isBanned = rule < rules.size() && rules[rule].banned;
    switch (role) {
        case Qt::DisplayRole:
            if (value <= 0.0) return isBanned ? QStringLiteral("×") : QString();
            return m_count == Count::Gain ? shortText(value) : countText(static_cast<std::uint64_t>(value));
        case ShareRole: return shareOf(value);
        case BannedRole: return isBanned;
        case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignCenter);
        case Qt::ToolTipRole: return toolTip(rule, iteration);
        default: return {};
    }
}

QString HeatmapModel::toolTip(std::size_t rule, std::size_t iteration) const {
    const egraph::IterationReport& now = m_report.iterations[iteration];
    const egraph::RuleReport report = rule < now.rules.size() ? now.rules[rule] : egraph::RuleReport();
    QString text = tr("%1 in iteration %2\n%3 matches, %4 of them new, %5 e-nodes made, %6")
                       .arg(fromUtf8(m_report.rules[rule]))
                       .arg(iteration + 1)
                       .arg(countText(report.matches), countText(report.applied), countText(report.nodes),
                            durationText(report.seconds));
    if (report.banned) text += tr("\nbanned by the scheduler: too many matches");
    const std::optional<double> before = iteration == 0 ? m_report.startCost : m_report.iterations[iteration - 1].cost;
    if (now.gain && before && now.cost && *now.gain > 0.0) {
        text += tr("\ngain %1 of %2: the cheapest program went from %3 to %4")
                    .arg(costText(report.gain), costText(*now.gain), costText(*before), costText(*now.cost));
    }
    return text;
}

QVariant HeatmapModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) return {};
    return orientation == Qt::Horizontal ? QVariant(section + 1) : QVariant(ruleAt(section));
}

}  // namespace mitos::views
