// SPDX-License-Identifier: GPL-3.0-or-later
// See compare_model.h.
#include "views/compare/compare_model.h"

#include "search/placement/training_run.h"
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/gain_text.h"
#include "views/document/session_names.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace mitos::views {

namespace {

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
    m_times.clear();
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
        readTimes();
        for (const Run& run : m_document.runs()) {
            if (!search::isTraining(run)) all[{0, run.number}] = &run;
        }
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

void CompareModel::refreshTimes() {
    if (!m_document.isOpen()) return;
    readTimes();
    if (rowCount() == 0) return;
    regroup();
    Q_EMIT dataChanged(index(0, MeasuredColumn), index(rowCount() - 1, RatioColumn));
    for (int row = 0; row < rowCount(); ++row) {
        const QModelIndex parent = index(row, 0);
        Q_EMIT dataChanged(index(0, MeasuredColumn, parent), index(rowCount(parent) - 1, RatioColumn, parent));
    }
}

void CompareModel::readTimes() {
    m_times.clear();
    for (int program = 0; program < programs(); ++program) m_times.push_back(storedTimes(m_document, program));
}

bool CompareModel::hasTimes() const {
    return std::ranges::any_of(m_order, [this](ComparedRunId id) { return timesOf(id) != nullptr; });
}

const ResultTimes* CompareModel::timesOf(ComparedRunId id) const {
    const std::optional<TimedResult> result = resultOf(id);
    if (!result || std::cmp_greater_equal(id.program, m_times.size())) return nullptr;
    const std::vector<ResultTimes>& times = m_times[static_cast<std::size_t>(id.program)];
    const auto found = std::ranges::find(times, result->states, &ResultTimes::states);
    return found == times.end() ? nullptr : &*found;
}

std::optional<TimedResult> CompareModel::resultOf(ComparedRunId id) const {
    const Run* const known = run(id);
    if (known == nullptr || known->state != search::RunState::Finished) return std::nullopt;
    const StatePair states{rewrite::StateId(0), known->resultState};
    const bool isChange = states.result.isValid() && states.result != states.start;
    return isChange ? std::optional(TimedResult{id.program, states}) : std::nullopt;
}

std::optional<search::Beginning> CompareModel::beginningOf(ComparedRunId id, const Run& run) const {
    const rewrite::History* const history = historyOf(id.program);
    const rewrite::StateId began(run.startState);
    if (history == nullptr || began == history->start() || began.value >= history->size()) return std::nullopt;
    return search::Beginning{.name = stateName(*history, began).toStdString(),
                             .startCost = history->state(history->start()).cost};
}

search::TableRun CompareModel::untimedRun(ComparedRunId id, const Run& run) const {
    return {.program = programTitle(id.program).toStdString(), .run = &run, .from = beginningOf(id, run)};
}

search::TableRun CompareModel::tableRun(ComparedRunId id, const Run& run) const {
    search::TableRun row = untimedRun(id, run);
    if (const ResultTimes* const times = timesOf(id); times != nullptr) {
        row.time = search::WholeTime{.seconds = times->result.whole.seconds.median,
                                     .startSeconds = times->start.whole.seconds.median,
                                     .ratio = times->ratio,
                                     .runtime = times->runtime.toStdString()};
    }
    return row;
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
    const search::TableRun one = untimedRun(id, m_runs.at(id).run);
    const auto isLike = [&one](const search::RunGroup& group) {
        std::vector<search::TableRun> both{{.program = group.program, .run = group.runs.front()}, one};
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
        if (run.costModel == model) runs.push_back(untimedRun(id, run));
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
            const search::TableRun one{.program = group.program, .run = run, .from = group.from};
            single.push_back(std::move(search::groupedRuns({&one, 1}).front()));
        }
        if (group.best == nullptr) continue;
        double& least =
            m_leastMedian.try_emplace({m_groupIds.back().program, group.asked().startState}, HUGE_VAL).first->second;
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

// --- beginnings ------------------------------------------------------------------------------------------------------------

SearchStart CompareModel::startOf(std::size_t group) const {
    const std::uint32_t state = m_groups[group].asked().startState;
    return state == 0 ? SearchStart() : SearchStart{programOf(group), state};
}

std::vector<SearchStart> CompareModel::starts() const {
    std::vector<SearchStart> all;
    for (std::size_t group = 0; group < m_groups.size(); ++group) all.push_back(startOf(group));
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

QString CompareModel::startText(SearchStart start) const {
    if (start.isStart()) return tr("From the start");
    const rewrite::History* const history = historyOf(start.program);
    const rewrite::StateId state(start.state);
    QString text = tr("From state %1").arg(start.state);
    if (history != nullptr && start.state < history->size())
        text = tr("From %1, %2").arg(stateName(*history, state), costText(history->state(state).cost));
    return hasSeveralPrograms() ? tr("%1 · %2").arg(text, programLabel(start.program)) : text;
}

bool CompareModel::areComparable(std::size_t group, std::size_t other) const {
    return programOf(group) == programOf(other) && startOf(group) == startOf(other);
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
    if (!chosen || areComparable(*chosen, group)) return chosen;
    for (std::size_t other = 0; other < m_groups.size(); ++other) {
        if (areComparable(other, group) && askTheSame(*chosen, other)) return other;
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
            if (areComparable(other, group) && value(m_groups[other].asked()) != value(asked)) return true;
        }
        return false;
    };
    if (differs([](const Run& run) { return search::toString(run.budget); }))
        parts << fromUtf8(search::toString(asked.budget));
    if (differs([](const Run& run) { return run.rules; })) parts << fromUtf8(asked.rules);
    if (differs([](const Run& run) { return run.allowsAssumptions; }) && asked.allowsAssumptions)
        parts << tr("signs assumed");
    return parts.join(QStringLiteral(", "));
}

QString CompareModel::label(std::size_t group) const {
    QString name = strategy(group);
    for (std::size_t other = 0; other < m_groups.size(); ++other) {
        if (other == group || !areComparable(other, group) ||
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
    bool hasOthers = false;
    for (std::size_t other = 0; other < m_groups.size(); ++other)
        hasOthers = hasOthers || (other != group && areComparable(other, group));
    const double least = m_leastMedian.at({programOf(group), one.asked().startState});
    return hasOthers && isNoChange(one.cost.median - least, least);
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

QString textOf(ComparedRunId id) {
    return id.program == 0 ? QString::number(id.run) : QStringLiteral("%1/%2").arg(id.program).arg(id.run);
}

ComparedRunId comparedRunFrom(const QString& text) {
    const qsizetype slash = text.indexOf(QLatin1Char('/'));
    return slash < 0 ? ComparedRunId{0, text.toInt()}
                     : ComparedRunId{text.left(slash).toInt(), text.mid(slash + 1).toInt()};
}

}  // namespace mitos::views
