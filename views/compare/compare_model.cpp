// SPDX-License-Identifier: GPL-3.0-or-later
// See compare_model.h.
#include "views/compare/compare_model.h"

#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/verdicts.h"

#include <QPolygonF>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace mitos::views {

namespace {

constexpr double BytesPerMegabyte = 1024.0 * 1024.0;
constexpr double Percent = 100.0;
constexpr std::size_t MostCurvePoints = 64;

struct ColumnText {
    const char* title;
    const char* toolTip;
    Qt::AlignmentFlag alignment;
};

const std::array<ColumnText, CompareModel::ColumnCount>& columns() {
    static constexpr std::array<ColumnText, CompareModel::ColumnCount> All{
        {{QT_TR_NOOP("Strategy"), QT_TR_NOOP("With the parameters that differ from the usual ones"), Qt::AlignLeft},
         {QT_TR_NOOP("Seeds"), QT_TR_NOOP("How many searches, or the seed of one"), Qt::AlignRight},
         {QT_TR_NOOP("Best"), QT_TR_NOOP("Least cost found: the median over the seeds"), Qt::AlignRight},
         {QT_TR_NOOP("Change"), QT_TR_NOOP("Of the median, relative to the start"), Qt::AlignRight},
         {QT_TR_NOOP("vs baseline"), QT_TR_NOOP("Of the median, relative to the median of the baseline"),
          Qt::AlignRight},
         {QT_TR_NOOP("Within 1 %"), QT_TR_NOOP("Time until the cost was within 1 % of the search's best (median)"),
          Qt::AlignRight},
         {QT_TR_NOOP("Time"), QT_TR_NOOP("Of the whole search (median)"), Qt::AlignRight},
         {QT_TR_NOOP("Evaluations"), QT_TR_NOOP("Expressions evaluated (median)"), Qt::AlignRight},
         {QT_TR_NOOP("States"), QT_TR_NOOP("Distinct expressions seen (median)"), Qt::AlignRight},
         {QT_TR_NOOP("Memory"), QT_TR_NOOP("Held by terms and the search's tables, an estimate (median)"),
          Qt::AlignRight},
         {QT_TR_NOOP("Curve"), QT_TR_NOOP("Best cost over time of the best search"), Qt::AlignHCenter},
         {QT_TR_NOOP("Ended by"), QT_TR_NOOP("Why the searches ended"), Qt::AlignLeft},
         {QT_TR_NOOP("Verdicts"), QT_TR_NOOP("Whether threads were replayed and values are the same"), Qt::AlignLeft}}};
    return All;
}

bool makesCurve(const search::SearchEvent& event) {
    return event.is<search::Started>() || event.is<search::Improved>();
}

QString memoryText(double bytes) {
    if (bytes > 0.0 && bytes < BytesPerMegabyte) return CompareModel::tr("< 1 MB");
    return CompareModel::tr("%1 MB").arg(QLocale().toString(bytes / BytesPerMegabyte, 'f', 0));
}

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

CompareModel::CompareModel(Document& document, QObject* parent) : QAbstractItemModel(parent), m_document(document) {
    refresh();
}

void CompareModel::setColors(const Colors& colors) {
    m_colors = colors;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole});
}

// --- following the document ------------------------------------------------------------------------------------------------

/// The thread and the other events may be megabytes.
void CompareModel::keep(const Run& run) {
    Run& kept = m_runs[run.number];
    std::vector<search::SearchEvent> events;
    std::ranges::copy_if(run.events, std::back_inserter(events), makesCurve);
    kept = run;
    kept.thread.clear();
    kept.events = std::move(events);
}

void CompareModel::refresh() {
    beginResetModel();
    m_groups.clear();
    m_single.clear();
    m_runs.clear();
    m_strategies.clear();
    for (const auto& strategy : search::allStrategies())
        m_strategies.push_back(search::fitted(strategy->info(), m_document.dialect()));
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) keep(run);
        if (m_document.run(m_baseline) == nullptr) m_baseline = 0;
    } else {
        m_baseline = 0;
    }
    regroup();
    endResetModel();
}

void CompareModel::refresh(RunNumber number) {
    const Run* run = m_document.run(number);
    if (run == nullptr) {
        refresh();
        return;
    }
    const std::string& model = m_document.costModel().info().name;
    const bool isShown = m_runs.contains(number) && run->costModel == model;
    keep(*run);
    if (isShown || run->costModel != model) {
        regroup();
        if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        if (const auto group = groupOf(number)) {
            const QModelIndex parent = index(static_cast<int>(*group), 0);
            Q_EMIT dataChanged(index(0, 0, parent), index(rowCount(parent) - 1, ColumnCount - 1, parent));
        }
        return;
    }
    // A new run: the last of a group, or a group of its own after the others.
    const std::vector<search::TableRun> one{{{}, &m_runs.at(number)}};
    const auto isLike = [&one](const search::RunGroup& group) {
        std::vector<search::TableRun> both{{{}, group.runs.front()}, one.front()};
        return search::groupedRuns(both).size() == 1;
    };
    const auto found = std::ranges::find_if(m_groups, isLike);
    const auto row = static_cast<int>(found - m_groups.begin());
    if (found == m_groups.end()) {
        beginInsertRows({}, row, row);
    } else {
        const auto runs = static_cast<int>(found->runs.size());
        beginInsertRows(index(row, 0), runs, runs);
    }
    regroup();
    endInsertRows();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void CompareModel::regroup() {
    const std::string& model = m_document.costModel().info().name;
    std::vector<search::TableRun> runs;
    for (const auto& [number, run] : m_runs) {
        if (run.costModel == model) runs.push_back({m_document.title().toStdString(), &run});
    }
    m_hidden = static_cast<int>(m_runs.size() - runs.size());
    m_groups = search::groupedRuns(runs);
    m_single.clear();
    m_leastMedian = HUGE_VAL;
    for (const search::RunGroup& group : m_groups) {
        auto& single = m_single.emplace_back();
        for (const Run* run : group.runs) {
            const search::TableRun one{group.program, run};
            single.push_back(std::move(search::groupedRuns({&one, 1}).front()));
        }
        if (group.best != nullptr) m_leastMedian = std::min(m_leastMedian, group.cost.median);
    }
}

void CompareModel::setBaseline(RunNumber run) {
    m_baseline = run;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
}

CurveStyle CompareModel::style(std::size_t group) const {
    CurveStyle style{static_cast<int>(group), static_cast<int>(group)};
    if (const auto found = m_styles.find(m_groups[group].asked().number); found != m_styles.end()) {
        if (found->second.colour >= 0) style.colour = found->second.colour;
        if (found->second.dash >= 0) style.dash = found->second.dash;
    }
    return style;
}

QString CompareModel::setStyle(std::size_t group, CurveStyle style) {
    CurveStyle& kept = m_styles.try_emplace(m_groups[group].asked().number, CurveStyle{-1, -1}).first->second;
    if (style.colour >= 0) kept.colour = style.colour;
    if (style.dash >= 0) kept.dash = style.dash;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    QStringList texts;
    for (const auto& [run, chosen] : m_styles)
        texts << QStringLiteral("%1:%2:%3").arg(run).arg(chosen.colour).arg(chosen.dash);
    return texts.join(QLatin1Char(' '));
}

void CompareModel::setStyles(const QString& text) {
    m_styles.clear();
    for (const QString& one : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QStringList parts = one.split(QLatin1Char(':'));
        if (parts.size() != 3) continue;
        const CurveStyle style{parts[1].toInt(), parts[2].toInt()};
        if (style.colour < Theme::Categories && style.dash < PlotPanel::DashPatterns)
            m_styles[parts[0].toInt()] = style;
    }
}

// --- reading ---------------------------------------------------------------------------------------------------------------

const search::RunGroup& CompareModel::at(const QModelIndex& index) const {
    const auto row = static_cast<std::size_t>(index.row());
    return isRun(index) ? m_single[index.internalId() - 1][row] : m_groups[row];
}

const Run* CompareModel::run(RunNumber number) const {
    const auto found = m_runs.find(number);
    return found == m_runs.end() ? nullptr : &found->second;
}

std::optional<std::size_t> CompareModel::groupAt(const QModelIndex& index) const {
    if (!index.isValid()) return std::nullopt;
    return isRun(index) ? index.internalId() - 1 : static_cast<std::size_t>(index.row());
}

std::optional<std::size_t> CompareModel::groupOf(RunNumber run) const {
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        if (std::ranges::find(m_groups[i].runs, run, &Run::number) != m_groups[i].runs.end()) return i;
    }
    return std::nullopt;
}

RunNumber CompareModel::runAt(const QModelIndex& index) const {
    if (!index.isValid()) return 0;
    const search::RunGroup& group = at(index);
    return group.best != nullptr ? group.best->number : group.asked().number;
}

QString CompareModel::strategy(std::size_t group) const {
    return strategyLabel(fromUtf8(m_groups[group].asked().strategy));
}

QString CompareModel::parameters(std::size_t group) const {
    const Run& asked = m_groups[group].asked();
    QStringList parts;
    if (const std::string own = search::ownParameters(asked, m_strategies); !own.empty()) parts << fromUtf8(own);
    const auto differs = [&](const auto& value) {
        return std::ranges::any_of(m_groups,
                                   [&](const search::RunGroup& each) { return value(each.asked()) != value(asked); });
    };
    if (differs([](const Run& run) { return search::toString(run.budget); }))
        parts << fromUtf8(search::toString(asked.budget));
    if (differs([](const Run& run) { return run.rules; })) parts << fromUtf8(asked.rules);
    if (differs([](const Run& run) { return run.startState; })) parts << tr("from #%1").arg(asked.startState);
    if (differs([](const Run& run) { return run.allowsAssumptions; }) && asked.allowsAssumptions)
        parts << tr("signs assumed");
    return parts.join(QStringLiteral(", "));
}

QString CompareModel::label(std::size_t group) const {
    const QString name = strategy(group);
    for (std::size_t other = 0; other < m_groups.size(); ++other) {
        if (other == group || m_groups[other].asked().strategy != m_groups[group].asked().strategy) continue;
        const QString own = parameters(group);
        return own.isEmpty() ? name : tr("%1, %2").arg(name, own);
    }
    return name;
}

bool CompareModel::isBest(std::size_t group) const {
    const search::RunGroup& one = m_groups[group];
    return m_groups.size() > 1 && one.best != nullptr && isNoChange(one.cost.median - m_leastMedian, m_leastMedian);
}

QModelIndex CompareModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex CompareModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || !isRun(child)) return {};
    return createIndex(static_cast<int>(child.internalId() - 1), 0, quintptr{0});
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(m_groups.size());
    if (isRun(parent) || parent.column() > 0) return 0;
    return static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].runs.size());
}

int CompareModel::columnCount(const QModelIndex& /*parent*/) const { return ColumnCount; }

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    const ColumnText& column = columns()[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return tr(column.title);
    if (role == Qt::ToolTipRole) return tr(column.toolTip);
    if (role == Qt::TextAlignmentRole) return static_cast<int>(column.alignment | Qt::AlignVCenter);
    return {};
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    switch (role) {
        case Qt::DisplayRole: return text(index);
        case Qt::ToolTipRole: return toolTip(index);
        case Qt::ForegroundRole: return foreground(index);
        case Qt::TextAlignmentRole: return headerData(index.column(), Qt::Horizontal, role);
        case SortRole: return sortKey(index);
        case CurveRole: return index.column() == CurveColumn ? curve(index) : QVariant();
        default: return {};
    }
}

QString CompareModel::text(const QModelIndex& index) const {
    const search::RunGroup& group = at(index);
    const Run& asked = group.asked();
    const QString unit = fromUtf8(m_document.costModel().info().unit);
    switch (index.column()) {
        case StrategyColumn: {
            if (isRun(index)) return tr("#%1").arg(asked.number);
            const auto row = static_cast<std::size_t>(index.row());
            const QString own = parameters(row);
            return own.isEmpty() ? strategy(row) : tr("%1  %2").arg(strategy(row), own);
        }
        case SeedsColumn: return isRun(index) ? tr("seed %1").arg(asked.seed) : countText(group.runs.size());
        case StopColumn: {
            if (asked.state == search::RunState::Running && isRun(index)) return tr("running");
            if (group.stops.empty()) return tr("running");
            QStringList stops;
            for (const std::string& stop : group.stops) stops << fromUtf8(stop).section(QLatin1Char('\n'), 0, 0);
            return stops.join(QStringLiteral(", "));
        }
        case VerdictsColumn: {
            if (group.finished == 0) return {};
            if (isRun(index)) return asked.verdict ? marksText(*asked.verdict) : tr("being checked");
            const auto all = static_cast<int>(group.runs.size());
            if (group.refuted > 0) return tr("✗ %1 of %2 wrong").arg(group.refuted).arg(all);
            if (group.judged < group.runs.size()) return tr("%1 of %2 judged").arg(group.judged).arg(all);
            const auto doubtful = static_cast<int>(group.judged - group.good);
            return doubtful > 0 ? tr("⚠ %1 of %2 with reservations").arg(doubtful).arg(all)
                                : tr("✓ replayed  ✓ same values");
        }
        default: break;
    }
    if (group.best == nullptr) {
        const double best = asked.bestCost;
        return index.column() == BestColumn && asked.state == search::RunState::Running ? costText(best) : QString();
    }
    switch (index.column()) {
        case BestColumn: return QStringLiteral("%1 %2").arg(costText(group.cost.median), unit);
        case ChangeColumn: return changeText(group.initialCost, group.cost.median);
        case BaselineColumn: {
            const auto baseline = groupOf(m_baseline);
            if (!baseline || m_groups[*baseline].best == nullptr) return {};
            if (!isRun(index) && *baseline == static_cast<std::size_t>(index.row())) return tr("baseline");
            return changeText(m_groups[*baseline].cost.median, group.cost.median);
        }
        case NearBestColumn: return durationText(group.nearBestSeconds);
        case TimeColumn: return durationText(group.seconds);
        case EvaluationsColumn: return countText(static_cast<std::uint64_t>(group.evaluations));
        case StatesColumn: return countText(static_cast<std::uint64_t>(group.states));
        case MemoryColumn: return memoryText(group.memoryBytes);
        default: return {};
    }
}

QString CompareModel::toolTip(const QModelIndex& index) const {
    const search::RunGroup& group = at(index);
    const QString unit = fromUtf8(m_document.costModel().info().unit);
    switch (index.column()) {
        case StrategyColumn: {
            QStringList lines{strategyLabel(fromUtf8(group.asked().strategy))};
            for (const auto& [name, value] : group.asked().parameters)
                lines << fromUtf8(name) + QStringLiteral(" = ") + fromUtf8(parameterText(value));
            lines << tr("limits: %1").arg(fromUtf8(search::toString(group.asked().budget)));
            lines << tr("rules: %1").arg(fromUtf8(group.asked().rules));
            return lines.join(QLatin1Char('\n'));
        }
        case BestColumn:
        case ChangeColumn:
            if (group.best == nullptr) return {};
            if (group.finished == 1)
                return tr("%1 → %2 %3").arg(exactCostText(group.initialCost), exactCostText(group.cost.median), unit);
            return tr("from %1; best %2, quartiles %3 to %4, worst %5 %6")
                .arg(exactCostText(group.initialCost), exactCostText(group.cost.least), exactCostText(group.cost.lower),
                     exactCostText(group.cost.upper), exactCostText(group.cost.most), unit);
        case VerdictsColumn: {
            QStringList lines;
            for (const Run* run : group.runs) {
                if (run->verdict)
                    lines << tr("#%1, seed %2: %3").arg(run->number).arg(run->seed).arg(verdictText(*run->verdict));
            }
            return lines.join(QLatin1Char('\n'));
        }
        default: return text(index);
    }
}

QVariant CompareModel::sortKey(const QModelIndex& index) const {
    static constexpr std::array<const char*, ColumnCount> Numbers{nullptr,  "seed",  "best",        "change", "best",
                                                                  "within", "time",  "evaluations", "states", "memory",
                                                                  "best",   nullptr, nullptr};
    const char* const name = Numbers[static_cast<std::size_t>(index.column())];
    if (name == nullptr) return text(index);
    if (index.column() == SeedsColumn && !isRun(index)) return static_cast<double>(at(index).runs.size());
    return number(index, QLatin1String(name)).value_or(HUGE_VAL);
}

std::optional<double> CompareModel::number(const QModelIndex& index, const QString& name) const {
    const search::RunGroup& group = at(index);
    if (name == QLatin1String("seed"))
        return isRun(index) ? std::optional(static_cast<double>(group.asked().seed)) : std::nullopt;
    if (group.best == nullptr) return std::nullopt;
    if (name == QLatin1String("best")) return group.cost.median;
    if (name == QLatin1String("change")) {
        if (group.initialCost == 0.0) return std::nullopt;
        return Percent * (group.cost.median - group.initialCost) / std::abs(group.initialCost);
    }
    if (name == QLatin1String("within")) return group.nearBestSeconds;
    if (name == QLatin1String("time")) return group.seconds;
    if (name == QLatin1String("evaluations")) return group.evaluations;
    if (name == QLatin1String("states")) return group.states;
    if (name == QLatin1String("memory")) return group.memoryBytes / BytesPerMegabyte;
    return std::nullopt;
}

QVariant CompareModel::foreground(const QModelIndex& index) const {
    const search::RunGroup& group = at(index);
    switch (index.column()) {
        case StopColumn: return m_colors.faint;
        case VerdictsColumn:
            if (group.judged == 0) return m_colors.faint;
            return group.good == group.runs.size() ? m_colors.passed
                   : group.judged == group.good    ? m_colors.faint
                                                   : m_colors.worse;
        case ChangeColumn:
        case BaselineColumn: {
            const auto baseline = groupOf(m_baseline);
            if (group.best == nullptr || (index.column() == BaselineColumn && !baseline)) return {};
            const double before = index.column() == ChangeColumn ? group.initialCost : m_groups[*baseline].cost.median;
            const double delta = group.cost.median - before;
            if (isNoChange(delta, before)) return m_colors.faint;
            return delta < 0 ? m_colors.better : m_colors.worse;
        }
        default: return {};
    }
}

QVariant CompareModel::curve(const QModelIndex& index) const {
    const search::RunGroup& group = at(index);
    const Run& run = group.best != nullptr ? *group.best : group.asked();
    const std::vector<search::Improvement> points = search::curveOf(run);
    if (points.empty()) return {};
    double least = points.back().best;
    for (const search::RunGroup& each : m_groups) {
        if (each.best != nullptr) least = std::min(least, each.cost.least);
    }
    const double high = points.front().best;
    const double last = std::max({run.statistics.seconds, points.back().seconds, 1e-6});
    QPolygonF polygon;
    const std::size_t stride = points.size() / MostCurvePoints + 1;
    const auto add = [&](double seconds, double best) {
        polygon << QPointF(seconds / last, high > least ? (high - best) / (high - least) : 0.0);
    };
    for (std::size_t i = 0; i < points.size(); i += stride) add(points[i].seconds, points[i].best);
    add(points.back().seconds, points.back().best);
    add(last, points.back().best);
    return polygon;
}

// --- filter ----------------------------------------------------------------------------------------------------------------

CompareFilter::CompareFilter(CompareModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
    setSortRole(CompareModel::SortRole);
    setDynamicSortFilter(true);
}

void CompareFilter::setText(const QString& text) {
    static const QRegularExpression limit(
        QStringLiteral("\\b(best|change|within|time|evaluations|states|memory|seed)\\s*(<=|>=|<|>|=)\\s*"
                       "([+-]?\\d+(?:\\.\\d+)?)\\s*([kMG]?)(?![\\w.])\\s*(?:%|s\\b|MB\\b)?"));
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
    if (const auto group = m_model.groupAt(index)) shown += m_model.strategy(*group) + m_model.parameters(*group);
    return std::ranges::all_of(m_words, [&](const QString& word) { return shown.contains(word, Qt::CaseInsensitive); });
}

bool CompareFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = m_model.index(row, 0, parent);
    if (!isFiltering() || fits(index)) return true;
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
