// SPDX-License-Identifier: GPL-3.0-or-later
// See compare_filter.h.
#include "views/compare/compare_filter.h"

#include "views/common/format.h"

#include <QRegularExpression>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

/// The number with a prefix of SI: "30.5k" is 30,500.
double valueOf(const QRegularExpressionMatch& match, int number, int prefix) {
    const double value = match.captured(number).toDouble();
    const QString factor = match.captured(prefix);
    if (factor == QLatin1String("k")) return value * 1e3;
    if (factor == QLatin1String("M")) return value * 1e6;
    if (factor == QLatin1String("G")) return value * 1e9;
    return value;
}

}  // namespace

CompareFilter::CompareFilter(CompareModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
    setSortRole(CompareModel::SortRole);
    setDynamicSortFilter(true);
}

void CompareFilter::setText(const QString& text) {
    static const QRegularExpression limit(
        QStringLiteral("\\b(best|change|within|time|evaluations|states|memory|seed|measured|ratio)\\s*(<=|>=|<|>|=)\\s*"
                       "([+-]?\\d+(?:\\.\\d+)?)\\s*([kMG]?)(?![\\w.])\\s*(?:%|s\\b|ms\\b|MB\\b)?"));
    m_limits.clear();
    QString rest = text;
    rest.replace(QChar(0x2212), QLatin1Char('-'));  // as changes are shown
    auto matches = limit.globalMatch(rest);
    while (matches.hasNext()) {
        const QRegularExpressionMatch match = matches.next();
        m_limits << Limit{match.captured(1), match.captured(2), valueOf(match, 3, 4)};
    }
    rest.remove(limit);
    m_words = rest.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void CompareFilter::setProgram(std::optional<int> program) {
    m_program = program;
    invalidateFilter();
}

void CompareFilter::setStart(std::optional<SearchStart> start) {
    if (std::exchange(m_start, start) != start) invalidateFilter();
}

bool CompareFilter::fits(const QModelIndex& index) const {
    const bool inLimits = std::ranges::all_of(m_limits, [&](const Limit& limit) {
        const std::optional<double> number = m_model.number(index, limit.name);
        if (!number) return false;
        if (limit.relation == QLatin1String("<")) return *number < limit.value;
        if (limit.relation == QLatin1String("<=")) return *number <= limit.value;
        if (limit.relation == QLatin1String(">")) return *number > limit.value;
        if (limit.relation == QLatin1String(">=")) return *number >= limit.value;
        return isNoChange(*number - limit.value, limit.value);
    });
    if (!inLimits) return false;
    QString shown;
    for (int column = 0; column < CompareModel::ColumnCount; ++column)
        shown += index.siblingAtColumn(column).data().toString() + QLatin1Char(' ');
    if (const auto group = m_model.groupAt(index)) {
        shown += m_model.strategy(*group) + QLatin1Char(' ') + m_model.parameters(*group);
        if (m_model.hasSeveralPrograms()) shown += QLatin1Char(' ') + m_model.programTitle(m_model.programOf(*group));
    }
    return std::ranges::all_of(m_words, [&](const QString& word) { return shown.contains(word, Qt::CaseInsensitive); });
}

bool CompareFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = m_model.index(row, 0, parent);
    if (m_program && m_model.programOf(*m_model.groupAt(index)) != *m_program) return false;
    if (m_start && m_model.startOf(*m_model.groupAt(index)) != *m_start) return false;
    if ((m_words.isEmpty() && m_limits.isEmpty()) || fits(index)) return true;
    if (parent.isValid()) return false;
    for (int child = 0; child < m_model.rowCount(index); ++child) {
        if (fits(m_model.index(child, 0, index))) return true;
    }
    return false;
}

bool CompareFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(sortRole());
    const QVariant b = right.data(sortRole());
    if (a.userType() == QMetaType::Double && b.userType() == QMetaType::Double) return a.toDouble() < b.toDouble();
    return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
}

}  // namespace mitos::views
