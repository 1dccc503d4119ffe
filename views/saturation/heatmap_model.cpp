// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/heatmap_model.h"

#include "views/common/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::views {

namespace {

QString number(std::uint64_t value) { return QLocale().toString(static_cast<qulonglong>(value)); }

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

std::uint64_t HeatmapModel::countOf(std::size_t rule, std::size_t iteration) const {
    const auto& rules = m_report.iterations[iteration].rules;
    if (rule >= rules.size()) return 0;
    switch (m_count) {
        case Count::Applied: return rules[rule].applied;
        case Count::Matches: return rules[rule].matches;
        case Count::Nodes: return rules[rule].nodes;
    }
    return 0;
}

void HeatmapModel::arrange() {
    m_rows.clear();
    m_largest = 0;
    std::vector<std::uint64_t> total(m_report.rules.size(), 0);
    std::vector<std::size_t> first(m_report.rules.size(), std::numeric_limits<std::size_t>::max());
    for (std::size_t rule = 0; rule < m_report.rules.size(); ++rule) {
        bool used = false;
        for (std::size_t at = 0; at < m_report.iterations.size(); ++at) {
            const std::uint64_t count = countOf(rule, at);
            const auto& rules = m_report.iterations[at].rules;
            used = used || (rule < rules.size() && rules[rule].matches > 0);
            total[rule] += count;
            m_largest = std::max(m_largest, count);
            if (count > 0) first[rule] = std::min(first[rule], at);
        }
        if (used) m_rows.push_back(rule);
    }
    if (m_order == Order::Rules) return;
    std::stable_sort(m_rows.begin(), m_rows.end(), [&](std::size_t a, std::size_t b) {
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
    const std::uint64_t count = countOf(rule, iteration);
    const auto& rules = m_report.iterations[iteration].rules;
    const egraph::RuleReport report = rule < rules.size() ? rules[rule] : egraph::RuleReport();
    switch (role) {
        case Qt::DisplayRole: return count > 0 ? number(count) : report.banned ? QStringLiteral("×") : QString();
        case ShareRole:
            if (count == 0) return -1.0;
            if (m_largest <= 1) return 1.0;
            return std::log(static_cast<double>(count)) / std::log(static_cast<double>(m_largest));
        case BannedRole: return report.banned;
        case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignCenter);
        case Qt::ToolTipRole: {
            QString text = tr("%1 in iteration %2\n%3 matches, %4 of them new, %5 e-nodes made, %6")
                               .arg(fromUtf8(m_report.rules[rule]))
                               .arg(iteration + 1)
                               .arg(number(report.matches), number(report.applied), number(report.nodes),
                                    durationText(report.seconds));
            if (report.banned) text += tr("\nbanned by the scheduler: too many matches");
            return text;
        }
        default: return {};
    }
}

QVariant HeatmapModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) return {};
    return orientation == Qt::Horizontal ? QVariant(section + 1) : QVariant(ruleAt(section));
}

}  // namespace mitos::views
