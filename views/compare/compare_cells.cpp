// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of the table of runs: texts, tool tips, numbers to sort and filter by, colours, small curves.
#include "core/base/readable_number.h"
#include "views/common/format.h"
#include "views/compare/compare_model.h"
#include "views/document/choices.h"
#include "views/document/verdicts.h"

#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>

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
         {QT_TR_NOOP("Program"), QT_TR_NOOP("The program that was searched from"), Qt::AlignLeft},
         {QT_TR_NOOP("Seeds"),
          QT_TR_NOOP("How many searches, or the seed of one; runs where the search does not depend on it"),
          Qt::AlignRight},
         {QT_TR_NOOP("Best"), QT_TR_NOOP("Least cost found: the median over the seeds"), Qt::AlignRight},
         {QT_TR_NOOP("Change"), QT_TR_NOOP("Of the median, against the start of the program"), Qt::AlignRight},
         {QT_TR_NOOP("vs baseline"), QT_TR_NOOP("Of the median, relative to the median of the baseline"),
          Qt::AlignRight},
         {QT_TR_NOOP("Measured"),
          QT_TR_NOOP("Time of the result as a whole model in ONNX Runtime: the median of its runs"), Qt::AlignRight},
         {QT_TR_NOOP("× start"),
          QT_TR_NOOP(
              "That time relative to the start's, which was timed in alternation, with the interval of this ratio"),
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

/// The costs against the start of the program, and where the searches began if that is another state.
QString costsToolTip(const search::RunGroup& group, const QString& unit) {
    QString text = group.finished == 1
                       ? CompareModel::tr("%1 → %2 %3")
                             .arg(exactCostText(group.startCost()), exactCostText(group.cost.median), unit)
                       : CompareModel::tr("from %1; best %2, quartiles %3 to %4, worst %5 %6")
                             .arg(exactCostText(group.startCost()), exactCostText(group.cost.least),
                                  exactCostText(group.cost.lower), exactCostText(group.cost.upper),
                                  exactCostText(group.cost.most), unit);
    if (group.from) {
        text += QLatin1Char('\n') + CompareModel::tr("The searches began at %1, %2 %3: %4")
                                        .arg(fromUtf8(group.from->name), exactCostText(group.initialCost), unit,
                                             changeText(group.initialCost, group.cost.median));
    }
    return text;
}

QString memoryText(double bytes) {
    if (bytes > 0.0 && bytes < BytesPerMegabyte) return CompareModel::tr("< 1 MB");
    return CompareModel::tr("%1 MB").arg(QLocale().toString(bytes / BytesPerMegabyte, 'f', 0));
}

}  // namespace

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

const ResultTimes* CompareModel::timesAt(const QModelIndex& index) const {
    const search::RunGroup& group = at(index);
    if (group.best != nullptr) {
        if (const ResultTimes* const times = timesOf(idOf(*group.best)); times != nullptr) return times;
    }
    for (const Run* run : group.runs) {
        if (const ResultTimes* const times = timesOf(idOf(*run)); times != nullptr) return times;
    }
    return nullptr;
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
        case ProgramColumn: return isRun(index) ? QString() : programLabel(programOf(*groupAt(index)));
        case SeedsColumn:
            if (!isRandomized(*groupAt(index))) {
                if (isRun(index)) return {};
                return group.runs.size() == 1 ? tr("1 run") : tr("%L1 runs").arg(group.runs.size());
            }
            return isRun(index) ? tr("seed %1").arg(asked.seed) : countText(group.runs.size());
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
        case BestColumn: return amountText(group.cost.median, unit);
        case ChangeColumn: return changeText(group.startCost(), group.cost.median);
        case BaselineColumn: {
            const auto baseline = baselineOf(*groupAt(index));
            if (!baseline || m_groups[*baseline].best == nullptr) return {};
            if (!isRun(index) && *baseline == static_cast<std::size_t>(index.row())) return tr("baseline");
            return changeText(m_groups[*baseline].cost.median, group.cost.median);
        }
        case MeasuredColumn:
        case RatioColumn: {
            const ResultTimes* const times = timesAt(index);
            if (times == nullptr) return {};
            return index.column() == RatioColumn ? ratioText(times->ratio)
                                                 : durationText(times->result.whole.seconds.median);
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
        case ProgramColumn: return programTitle(programOf(*groupAt(index)));
        case BestColumn:
        case ChangeColumn:
            if (group.best == nullptr) return {};
            return group.best->outcomeKind.empty()
                       ? costsToolTip(group, unit)
                       : tr("%1\n%2: %3")
                             .arg(costsToolTip(group, unit), fromUtf8(group.best->outcomeKind),
                                  fromUtf8(group.best->outcomeSummary));
        case MeasuredColumn:
        case RatioColumn: {
            const ResultTimes* const times = timesAt(index);
            if (times == nullptr) return {};
            return tr("start %1, result %2\n%3\n%4")
                .arg(durationText(times->start.whole.seconds.median), durationText(times->result.whole.seconds.median),
                     timesSentence(*times), timesDetails(*times));
        }
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
    static constexpr std::array<const char*, ColumnCount> Numbers{
        nullptr,  nullptr, "seed",        "best",   "change", "best", "measured", "ratio",
        "within", "time",  "evaluations", "states", "memory", "best", nullptr,    nullptr};
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
        const double start = group.startCost();
        if (start == 0.0) return std::nullopt;
        return Percent * (group.cost.median - start) / std::abs(start);
    }
    if (name == QLatin1String("measured") || name == QLatin1String("ratio")) {
        const ResultTimes* const times = timesAt(index);
        if (times == nullptr) return std::nullopt;
        constexpr double PerSecond = 1000.0;
        return name == QLatin1String("ratio") ? times->ratio.value : PerSecond * times->result.whole.seconds.median;
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
        case RatioColumn: {
            const ResultTimes* const times = timesAt(index);
            if (times == nullptr) return {};
            if (times->ratio.isFaster()) return m_colors.better;
            return times->ratio.isSlower() ? m_colors.worse : m_colors.faint;
        }
        case ChangeColumn:
        case BaselineColumn: {
            const auto baseline = baselineOf(*groupAt(index));
            if (group.best == nullptr || (index.column() == BaselineColumn && !baseline)) return {};
            if (index.column() == BaselineColumn && m_groups[*baseline].best == nullptr) return {};
            const double before = index.column() == ChangeColumn ? group.startCost() : m_groups[*baseline].cost.median;
            const Change change = changeOf(before, group.cost.median);
            if (change.kind == Change::Kind::None) return m_colors.faint;
            return change.isCheaper() ? m_colors.better : m_colors.worse;
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
        if (each.best != nullptr && each.program == group.program &&
            each.asked().startState == group.asked().startState)
            least = std::min(least, each.cost.least);
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

}  // namespace mitos::views
