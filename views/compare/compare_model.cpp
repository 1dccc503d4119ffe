// SPDX-License-Identifier: GPL-3.0-or-later
// See compare_model.h.
#include "views/compare/compare_model.h"

#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/session_names.h"
#include "views/document/verdicts.h"

#include <QPolygonF>
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
         {QT_TR_NOOP("Program"), QT_TR_NOOP("The program that was searched from"), Qt::AlignLeft},
         {QT_TR_NOOP("Seeds"),
          QT_TR_NOOP("How many searches, or the seed of one; runs where the search does not depend on it"),
          Qt::AlignRight},
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

/// Events that are looked at in one go, within a few milliseconds.
constexpr std::size_t MostAtOnce = 10'000;

bool makesCurve(const search::SearchEvent& event) {
    return event.is<search::Started>() || event.is<search::Improved>() || event.is<search::Iteration>();
}

/// The event without what a curve does not need: the report on an iteration names every rule.
search::SearchEvent slim(const search::SearchEvent& event) {
    if (!event.is<search::Iteration>()) return event;
    search::SearchEvent iteration;
    iteration.what = search::Iteration{};
    return iteration;
}

QString memoryText(double bytes) {
    if (bytes > 0.0 && bytes < BytesPerMegabyte) return CompareModel::tr("< 1 MB");
    return CompareModel::tr("%1 MB").arg(QLocale().toString(bytes / BytesPerMegabyte, 'f', 0));
}

}  // namespace

CompareModel::CompareModel(Document& document, QObject* parent) : QAbstractItemModel(parent), m_document(document) {
    m_keeping.setSingleShot(true);
    m_keeping.setInterval(0);
    connect(&m_keeping, &QTimer::timeout, this, &CompareModel::goOnKeeping);
    refresh();
}

void CompareModel::setColors(const Colors& colors) {
    m_colors = colors;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole});
}

// --- following the document ------------------------------------------------------------------------------------------------

/// The thread and the other events may be megabytes: they are looked at once, and stay where they are.
void CompareModel::keep(ComparedRunId id, const Run& run) {
    const auto [entry, isNew] = m_runs.try_emplace(id);
    Kept& kept = entry->second;
    if (isNew) {
        m_order.push_back(id);
        m_ids[&kept.run] = id;
    }
    if (kept.seen > run.events.size()) {
        kept.seen = 0;
        kept.run.events.clear();
    }
    static_cast<search::RunFacts&>(kept.run) = static_cast<const search::RunFacts&>(run);
    for (const std::size_t end = std::min(run.events.size(), kept.seen + MostAtOnce); kept.seen < end; ++kept.seen) {
        if (makesCurve(run.events[kept.seen])) kept.run.events.push_back(slim(run.events[kept.seen]));
    }
    if (kept.seen < run.events.size()) m_keeping.start();
}

void CompareModel::goOnKeeping() {
    for (const ComparedRunId id : m_order) {
        const Kept& kept = m_runs.at(id);
        const Run* run = wholeRun(id);
        if (run == nullptr || kept.seen >= run->events.size()) continue;
        m_keeping.start();
        keep(id, *run);
        if (kept.seen == run->events.size()) refresh(id);
        return;
    }
}

void CompareModel::forget() {
    beginResetModel();
    m_groups.clear();
    m_groupIds.clear();
    m_single.clear();
    m_order.clear();
    m_ids.clear();
    m_runs.clear();
    m_hidden = 0;
    endResetModel();
}

void CompareModel::refresh() {
    beginResetModel();
    m_strategies.clear();
    for (const auto& strategy : search::allStrategies())
        m_strategies.push_back(search::fitted(strategy->info(), m_document.dialect()));
    std::map<ComparedRunId, const Run*> all;
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) all[{0, run.number}] = &run;
        for (int program = 1; program < programs(); ++program) {
            for (const Run* run : m_document.comparedPrograms().runsOf(program)) all[{program, run->number}] = run;
        }
    }
    m_groups.clear();
    m_single.clear();
    m_ids.clear();
    m_runs.clear();
    std::erase_if(m_order, [&all](ComparedRunId id) { return !all.contains(id); });
    const std::vector<ComparedRunId> order = std::exchange(m_order, {});
    for (const ComparedRunId id : order) keep(id, *all.extract(id).mapped());
    for (const auto& [id, run] : all) keep(id, *run);
    regroup();
    endResetModel();
}

void CompareModel::refresh(ComparedRunId id) {
    const Run* run = wholeRun(id);
    if (run == nullptr) {
        refresh();
        return;
    }
    const std::string& model = m_document.costModel().info().name;
    const bool isShown = m_runs.contains(id) && run->costModel == model;
    keep(id, *run);
    if (isShown || run->costModel != model) {
        regroup();
        if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        if (const auto group = groupOf(id)) {
            const QModelIndex parent = index(static_cast<int>(*group), 0);
            Q_EMIT dataChanged(index(0, 0, parent), index(rowCount(parent) - 1, ColumnCount - 1, parent));
        }
        return;
    }
    // A new run: the last of a group, or a group of its own after the others.
    const std::string program = programTitle(id.program).toStdString();
    const std::vector<search::TableRun> one{{program, &m_runs.at(id).run}};
    const auto isLike = [&one](const search::RunGroup& group) {
        std::vector<search::TableRun> both{{group.program, group.runs.front()}, one.front()};
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
    for (const ComparedRunId id : m_order) {
        const Run& run = m_runs.at(id).run;
        if (run.costModel == model) runs.push_back({programTitle(id.program).toStdString(), &run});
    }
    m_hidden = static_cast<int>(m_runs.size() - runs.size());
    m_groups = search::groupedRuns(runs);
    m_groupIds.clear();
    m_single.clear();
    m_leastMedian.clear();
    for (const search::RunGroup& group : m_groups) {
        m_groupIds.push_back(idOf(group.asked()));
        auto& single = m_single.emplace_back();
        for (const Run* run : group.runs) {
            const search::TableRun one{group.program, run};
            single.push_back(std::move(search::groupedRuns({&one, 1}).front()));
        }
        if (group.best == nullptr) continue;
        double& least = m_leastMedian.try_emplace(m_groupIds.back().program, HUGE_VAL).first->second;
        least = std::min(least, group.cost.median);
    }
}

// --- programs --------------------------------------------------------------------------------------------------------------

QString CompareModel::programTitle(int program) const {
    return program == 0 ? m_document.title() : m_document.comparedPrograms().at(program).title;
}

QString CompareModel::programLabel(int program) const {
    const QString name = programName(programTitle(program));
    for (int other = 0; other < programs(); ++other) {
        if (other != program && programName(programTitle(other)) == name) return programTitle(program);
    }
    return name;
}

const rewrite::History* CompareModel::historyOf(int program) const {
    if (!m_document.isOpen()) return nullptr;
    if (program == 0) return &m_document.history();
    const std::shared_ptr<const Opened>& opened = m_document.comparedPrograms().at(program).opened;
    return opened != nullptr && opened->history ? &*opened->history : nullptr;
}

const ir::TermBank& CompareModel::bankOf(int program) const {
    return program == 0 ? m_document.bank() : *m_document.comparedPrograms().at(program).opened->bank;
}

// --- baseline and styles ---------------------------------------------------------------------------------------------------

bool CompareModel::askTheSame(std::size_t group, std::size_t other) const {
    const Run& one = m_groups[group].asked();
    const Run& two = m_groups[other].asked();
    return one.strategy == two.strategy && one.parameters == two.parameters && one.budget == two.budget &&
           one.rules == two.rules && one.allowsAssumptions == two.allowsAssumptions;
}

void CompareModel::setBaseline(ComparedRunId run) {
    m_baseline = run;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
}

std::optional<std::size_t> CompareModel::baselineOf(std::size_t group) const {
    const auto chosen = groupOf(m_baseline);
    if (!chosen || programOf(*chosen) == programOf(group)) return chosen;
    for (std::size_t other = 0; other < m_groups.size(); ++other) {
        if (programOf(other) == programOf(group) && askTheSame(*chosen, other)) return other;
    }
    return std::nullopt;
}

CurveStyle CompareModel::style(std::size_t group) const {
    CurveStyle style{static_cast<int>(group), static_cast<int>(group)};
    if (hasSeveralPrograms()) {
        std::vector<std::size_t> kinds;  // a group for each way of searching
        std::size_t own = 0;
        for (std::size_t i = 0; i <= group; ++i) {
            const auto same = std::ranges::find_if(kinds, [&](std::size_t kind) { return askTheSame(kind, i); });
            own = static_cast<std::size_t>(same - kinds.begin());
            if (same == kinds.end()) kinds.push_back(i);
        }
        style = {static_cast<int>(own), programOf(group)};
    }
    if (const auto found = m_styles.find(m_groupIds[group]); found != m_styles.end()) {
        if (found->second.colour >= 0) style.colour = found->second.colour;
        if (found->second.dash >= 0) style.dash = found->second.dash;
    }
    return style;
}

QString CompareModel::setStyle(std::size_t group, CurveStyle style) {
    CurveStyle& kept = m_styles.try_emplace(m_groupIds[group], CurveStyle{-1, -1}).first->second;
    if (style.colour >= 0) kept.colour = style.colour;
    if (style.dash >= 0) kept.dash = style.dash;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    QStringList texts;
    for (const auto& [run, chosen] : m_styles)
        texts << QStringLiteral("%1:%2:%3").arg(textOf(run)).arg(chosen.colour).arg(chosen.dash);
    return texts.join(QLatin1Char(' '));
}

void CompareModel::setStyles(const QString& text) {
    m_styles.clear();
    for (const QString& one : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QStringList parts = one.split(QLatin1Char(':'));
        if (parts.size() != 3) continue;
        const CurveStyle style{parts[1].toInt(), parts[2].toInt()};
        if (style.colour < Theme::Categories && style.dash < PlotPanel::DashPatterns)
            m_styles[comparedRunFrom(parts[0])] = style;
    }
}

// --- reading ---------------------------------------------------------------------------------------------------------------

const search::RunGroup& CompareModel::at(const QModelIndex& index) const {
    const auto row = static_cast<std::size_t>(index.row());
    return isRun(index) ? m_single[index.internalId() - 1][row] : m_groups[row];
}

const Run* CompareModel::run(ComparedRunId id) const {
    const auto found = m_runs.find(id);
    return found == m_runs.end() ? nullptr : &found->second.run;
}

const Run* CompareModel::wholeRun(ComparedRunId id) const {
    if (!m_document.isOpen()) return nullptr;
    return id.program == 0 ? m_document.run(id.run) : m_document.comparedPrograms().run(id);
}

std::optional<std::size_t> CompareModel::groupAt(const QModelIndex& index) const {
    if (!index.isValid()) return std::nullopt;
    return isRun(index) ? index.internalId() - 1 : static_cast<std::size_t>(index.row());
}

std::optional<std::size_t> CompareModel::groupOf(ComparedRunId id) const {
    const Run* const kept = run(id);
    for (std::size_t i = 0; i < m_groups.size() && kept != nullptr; ++i) {
        if (std::ranges::find(m_groups[i].runs, kept) != m_groups[i].runs.end()) return i;
    }
    return std::nullopt;
}

std::vector<ComparedRunId> CompareModel::runsOf(std::size_t group) const {
    std::vector<ComparedRunId> ids;
    for (const Run* run : m_groups[group].runs) ids.push_back(idOf(*run));
    return ids;
}

ComparedRunId CompareModel::runAt(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    const search::RunGroup& group = at(index);
    return idOf(group.best != nullptr ? *group.best : group.asked());
}

QString CompareModel::strategy(std::size_t group) const {
    return strategyLabel(fromUtf8(m_groups[group].asked().strategy));
}

QString CompareModel::parameters(std::size_t group) const {
    const Run& asked = m_groups[group].asked();
    QStringList parts;
    if (const std::string own = search::ownParameters(asked, m_strategies); !own.empty()) parts << fromUtf8(own);
    const auto differs = [&](const auto& value) {
        for (std::size_t other = 0; other < m_groups.size(); ++other) {
            if (programOf(other) == programOf(group) && value(m_groups[other].asked()) != value(asked)) return true;
        }
        return false;
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
    QString name = strategy(group);
    for (std::size_t other = 0; other < m_groups.size(); ++other) {
        if (other == group || programOf(other) != programOf(group) ||
            m_groups[other].asked().strategy != m_groups[group].asked().strategy)
            continue;
        if (const QString own = parameters(group); !own.isEmpty()) name = tr("%1, %2").arg(name, own);
        break;
    }
    return hasSeveralPrograms() ? tr("%1 · %2").arg(name, programLabel(programOf(group))) : name;
}

bool CompareModel::isBest(std::size_t group) const {
    const search::RunGroup& one = m_groups[group];
    if (one.best == nullptr) return false;
    const auto others = std::ranges::count(m_groupIds, programOf(group), &ComparedRunId::program);
    const double least = m_leastMedian.at(programOf(group));
    return others > 1 && isNoChange(one.cost.median - least, least);
}

bool CompareModel::isRandomized(std::size_t group) const {
    const auto info = std::ranges::find(m_strategies, m_groups[group].asked().strategy, &search::StrategyInfo::name);
    return info == m_strategies.end() || info->randomized;
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
        case BestColumn: return QStringLiteral("%1 %2").arg(costText(group.cost.median), unit);
        case ChangeColumn: return changeText(group.initialCost, group.cost.median);
        case BaselineColumn: {
            const auto baseline = baselineOf(*groupAt(index));
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
        case ProgramColumn: return programTitle(programOf(*groupAt(index)));
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
    static constexpr std::array<const char*, ColumnCount> Numbers{nullptr,  nullptr,  "seed",  "best",        "change",
                                                                  "best",   "within", "time",  "evaluations", "states",
                                                                  "memory", "best",   nullptr, nullptr};
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
            const auto baseline = baselineOf(*groupAt(index));
            if (group.best == nullptr || (index.column() == BaselineColumn && !baseline)) return {};
            if (index.column() == BaselineColumn && m_groups[*baseline].best == nullptr) return {};
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
        if (each.best != nullptr && each.program == group.program) least = std::min(least, each.cost.least);
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

QString textOf(ComparedRunId id) {
    return id.program == 0 ? QString::number(id.run) : QStringLiteral("%1/%2").arg(id.program).arg(id.run);
}

ComparedRunId comparedRunFrom(const QString& text) {
    const qsizetype slash = text.indexOf(QLatin1Char('/'));
    return slash < 0 ? ComparedRunId{0, text.toInt()}
                     : ComparedRunId{text.left(slash).toInt(), text.mid(slash + 1).toInt()};
}

}  // namespace mitos::views
