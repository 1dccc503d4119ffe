// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/measure/internal/operation_table.h"

#include "views/common/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace mitos::views {

namespace {

constexpr int SignificantDigits = 4;
constexpr double Percent = 100.0;

std::optional<cost::Measurement> timeIn(const cost::CostProfile& profile, const cost::Operation& operation) {
    const auto found = profile.times.find(operation);
    return found == profile.times.end() ? std::nullopt : std::optional(found->second);
}

/// "today", "3 days", "2 months": how old a time is.
QString ageText(std::int64_t seconds) {
    constexpr std::int64_t Minute = 60;
    constexpr std::int64_t Hour = 60 * Minute;
    constexpr std::int64_t Day = 24 * Hour;
    constexpr std::int64_t Month = 30 * Day;
    if (seconds < Minute) return OperationTable::tr("now");
    if (seconds < Hour) return OperationTable::tr("%L1 min").arg(seconds / Minute);
    if (seconds < Day) return OperationTable::tr("%L1 h").arg(seconds / Hour);
    if (seconds < 2 * Month) return OperationTable::tr("%L1 d").arg(seconds / Day);
    return OperationTable::tr("%L1 months").arg(seconds / Month);
}

}  // namespace

std::vector<OperationRow> operationRows(const cost::CostProfile& profile, const cost::CostProfile* other,
                                        const std::vector<cost::UsedOperation>& used) {
    std::map<cost::Operation, std::uint32_t> operations;  // with the nodes that run them
    for (const cost::UsedOperation& each : used) operations[each.operation] += each.nodes;
    for (const cost::CostProfile* each : {&profile, other}) {
        if (each == nullptr) continue;
        for (const auto& [operation, time] : each->times) operations.try_emplace(operation, 0);
        for (const auto& [operation, reason] : each->refused) operations.try_emplace(operation, 0);
    }
    std::vector<OperationRow> rows;
    double sum = 0.0;
    for (const auto& [operation, nodes] : operations) {
        OperationRow row;
        row.name = fromUtf8(cost::text(operation));
        row.time = timeIn(profile, operation);
        if (other != nullptr) row.other = timeIn(*other, operation);
        if (const auto refused = profile.refused.find(operation); refused != profile.refused.end())
            row.refusal = fromUtf8(refused->second);
        row.nodes = nodes;
        row.share = row.time ? nodes * row.time->minimum : 0.0;
        sum += row.share;
        rows.push_back(std::move(row));
    }
    for (OperationRow& row : rows) row.share = sum > 0.0 ? row.share / sum : 0.0;
    std::ranges::stable_sort(rows, [](const OperationRow& a, const OperationRow& b) {
        const auto key = [](const OperationRow& row) {
            return std::pair(row.share, row.time ? row.time->minimum : 0.0);
        };
        return std::pair(a.nodes > 0, key(a)) > std::pair(b.nodes > 0, key(b));
    });
    return rows;
}

QString timeText(double seconds) {
    constexpr double Thousand = 1000.0;
    if (!(seconds > 0.0)) return QStringLiteral("0 ns");
    double value = seconds * 1e9;
    const std::array units{"ns", "µs", "ms", "s"};
    std::size_t unit = 0;
    while (unit + 1 < units.size() && value >= Thousand) {
        value /= Thousand;
        ++unit;
    }
    const int before = value < 1.0 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
    return QStringLiteral("%1 %2").arg(QLocale().toString(value, 'f', std::max(0, SignificantDigits - before)),
                                       QString::fromUtf8(units[unit]));
}

OperationTable::OperationTable(QObject* parent)
    : TableModel({{tr("Operation")},
                  {tr("Time"), Qt::AlignRight, tr("The shortest of several batches: noise only adds time")},
                  {tr("Spread"), Qt::AlignRight, tr("Half of the batches lie within so much of each other")},
                  {QString(), Qt::AlignRight, tr("Time in the second profile")},
                  {tr("Ratio"), Qt::AlignRight, tr("Second profile ÷ first profile")},
                  {tr("Nodes"), Qt::AlignRight, tr("So many nodes of the open program run it")},
                  {tr("Share"), Qt::AlignRight, tr("Part of the summed times of the open program")},
                  {tr("Age"), Qt::AlignRight, tr("Since it was measured")}},
                 parent) {}

void OperationTable::setRows(std::vector<OperationRow> rows, const QString& otherTitle, std::int64_t now) {
    beginResetModel();
    m_rows = std::move(rows);
    m_now = now;
    setTitle(Other, otherTitle);
    endResetModel();
}

QString OperationTable::text(const OperationRow& row, int column) const {
    switch (column) {
        case Name: return row.name;
        case Time:
            if (row.time) return timeText(row.time->minimum);
            return row.refusal.isEmpty() ? tr("not measured") : tr("refused");
        case Spread: return row.time ? QStringLiteral("± %1").arg(timeText(row.time->spread / 2)) : QString();
        case Other: return row.other ? timeText(row.other->minimum) : QString();
        case Ratio:
            if (!row.time || !row.other || !(row.time->minimum > 0.0)) return {};
            return QStringLiteral("× %1").arg(QLocale().toString(row.other->minimum / row.time->minimum, 'f', 2));
        case Nodes: return row.nodes > 0 ? countText(row.nodes) : QString();
        case Share:
            return row.nodes > 0 && row.time ? tr("%1 %").arg(QLocale().toString(row.share * Percent, 'f', 1))
                                             : QString();
        case Age: return row.time ? ageText(std::max<std::int64_t>(0, m_now - row.time->when)) : QString();
        default: return {};
    }
}

QVariant OperationTable::cell(int which, int column, int role) const {
    const OperationRow& row = m_rows[static_cast<std::size_t>(which)];
    if (role == Qt::DisplayRole) return text(row, column);
    if (role == Qt::ForegroundRole) return row.isMeasured() || !m_faint.isValid() ? QVariant() : QVariant(m_faint);
    if (role == ShareRole) return column == Share && row.nodes > 0 ? row.share : -1.0;
    if (role == Qt::ToolTipRole) {
        if (!row.time) return row.refusal.isEmpty() ? row.name : tr("%1\n%2").arg(row.name, row.refusal);
        return tr("%1\nshortest %2, median %3, spread %4\n%L5 batches of %L6 launches")
            .arg(row.name, timeText(row.time->minimum), timeText(row.time->median), timeText(row.time->spread))
            .arg(row.time->batches)
            .arg(row.time->launches);
    }
    if (role != SortRole) return {};
    switch (column) {
        case Time: return row.time ? row.time->minimum : -1.0;
        case Spread: return row.time ? row.time->spread : -1.0;
        case Other: return row.other ? row.other->minimum : -1.0;
        case Ratio: return row.time && row.other ? row.other->minimum / row.time->minimum : -1.0;
        case Nodes: return row.nodes;
        case Share: return row.share;
        case Age: return row.time ? QVariant(static_cast<qlonglong>(m_now - row.time->when)) : QVariant(-1);
        default: return row.name;
    }
}

OperationFilter::OperationFilter(OperationTable& table, QObject* parent)
    : QSortFilterProxyModel(parent),
      m_table(table) {
    setSourceModel(&table);
    setSortRole(OperationTable::SortRole);
}

void OperationFilter::setWords(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void OperationFilter::setOnlyUsed(bool onlyUsed) {
    m_onlyUsed = onlyUsed;
    invalidateFilter();
}

bool OperationFilter::shows(std::size_t which) const {
    const OperationRow& row = m_table.all()[which];
    if (m_onlyUsed && row.nodes == 0) return false;
    return std::ranges::all_of(m_words,
                               [&](const QString& word) { return row.name.contains(word, Qt::CaseInsensitive); });
}

bool OperationFilter::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
    return shows(static_cast<std::size_t>(row));
}

}  // namespace mitos::views
