// SPDX-License-Identifier: GPL-3.0-or-later
// See run_details.h.
#include "views/compare/internal/run_details.h"

#include "views/common/format.h"
#include "views/common/heat_delegate.h"
#include "views/theme/theme.h"

#include <QLineF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace mitos::views {

namespace {

constexpr double LeastTint = 0.10;
constexpr double TintRange = 0.40;
constexpr double WhiskerMargin = 4.0;
constexpr double WhiskerHeight = 3.0;

QString stepText(const rewrite::Step& step) { return fromUtf8(step.name()); }

}  // namespace

std::optional<RunThread> threadOf(const rewrite::History& history, const Run& run) {
    if (!run.resultState.isValid()) return std::nullopt;
    const std::vector<rewrite::StateId> path = history.pathTo(run.resultState);
    const auto start = std::ranges::find(path, rewrite::StateId(run.startState));
    if (start == path.end()) return std::nullopt;
    RunThread found{{history.program(*start), {}, {}}, {history.state(*start).cost}};
    for (auto at = start + 1; at != path.end(); ++at) {
        const rewrite::HistoryState& state = history.state(*at);
        found.thread.steps.push_back(*state.step);
        found.thread.states.push_back(state.root);
        found.costs.push_back(state.cost);
    }
    if (found.thread.steps.empty()) return std::nullopt;
    return found;
}

// --- gains -----------------------------------------------------------------------------------------------------------------

void RuleGainsModel::setResults(std::vector<Result> results, const QString& unit) {
    beginResetModel();
    m_results = std::move(results);
    m_unit = unit;
    std::map<std::string, double> effects;
    for (const Result& result : m_results) {
        for (const search::RuleGainSpread& gain : result.gains) {
            double& effect = effects[gain.rule];
            for (const double value : {gain.gain.lower, gain.gain.median, gain.gain.upper}) {
                if (std::isfinite(value)) effect = std::max(effect, std::abs(value));
            }
        }
    }
    m_rules.clear();
    m_largest = 0.0;
    for (const auto& [rule, effect] : effects) {
        m_rules.push_back(rule);
        m_largest = std::max(m_largest, effect);
    }
    std::ranges::stable_sort(m_rules, std::greater{}, [&](const std::string& rule) { return effects.at(rule); });
    endResetModel();
}

const search::RuleGainSpread* RuleGainsModel::at(int row, int column) const {
    const std::vector<search::RuleGainSpread>& gains = m_results[static_cast<std::size_t>(column)].gains;
    const auto found = std::ranges::find(gains, m_rules[static_cast<std::size_t>(row)], &search::RuleGainSpread::rule);
    return found == gains.end() ? nullptr : &*found;
}

QString RuleGainsModel::toolTip(const search::RuleGainSpread& gain, const QString& strategy) const {
    const QString rule = fromUtf8(gain.rule);
    const auto steps = static_cast<int>(gain.steps);
    if (gain.results == 1) {
        return tr("%1 in the result of %2: %n step(s) changed the cost by %3 %4", nullptr, steps)
            .arg(rule, strategy, exactCostText(-gain.gain.median), m_unit);
    }
    return tr("%1 in the results of %2: used in %3 of %4, %n step(s) in all; change of the cost: median %5, quartiles "
              "%6 to %7 %8",
              nullptr, steps)
        .arg(rule, strategy)
        .arg(gain.uses)
        .arg(gain.results)
        .arg(exactCostText(-gain.gain.median), exactCostText(-gain.gain.upper), exactCostText(-gain.gain.lower),
             m_unit);
}

int RuleGainsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rules.size());
}

int RuleGainsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_results.size());
}

QVariant RuleGainsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const search::RuleGainSpread* const known = at(index.row(), index.column());
    if (known == nullptr) return role == Qt::DisplayRole ? QString() : QVariant();
    const Spread& gain = known->gain;
    const bool hasScale = m_largest > 0.0 && std::isfinite(gain.lower) && std::isfinite(gain.upper);
    switch (role) {
        case Qt::DisplayRole: return isNoChange(gain.median, m_largest) ? QStringLiteral("0") : deltaText(-gain.median);
        case Qt::ToolTipRole: return toolTip(*known, m_results[static_cast<std::size_t>(index.column())].label);
        case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
        case ShareRole: return hasScale ? gain.median / m_largest : 0.0;
        case WhiskerRole:
            if (!hasScale || isNoChange(gain.upper - gain.lower, m_largest)) return {};
            return QLineF(gain.lower / m_largest, 0.0, gain.upper / m_largest, 0.0);
        default: return {};
    }
}

QVariant RuleGainsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const auto at = static_cast<std::size_t>(section);
    return orientation == Qt::Horizontal ? m_results[at].label : fromUtf8(m_rules[at]);
}

void GainDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const double share = index.data(RuleGainsModel::ShareRole).toDouble();
    if (share != 0.0) {
        const Theme theme(option.palette);
        QColor tint = share > 0.0 ? theme.better() : theme.worse();
        tint.setAlphaF(static_cast<float>(LeastTint + TintRange * std::abs(share)));
        painter->fillRect(option.rect.adjusted(0, 0, -1, -1), tint);
    }
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant whisker = index.data(RuleGainsModel::WhiskerRole);
    if (!whisker.isValid()) return;
    // From the largest loss at the left to the largest gain at the right, 0 in the middle.
    const QRectF room = QRectF(option.rect).adjusted(WhiskerMargin, 0, -WhiskerMargin, 0);
    const auto placeOf = [&room](double value) { return room.center().x() + value * room.width() / 2; };
    const QLineF quartiles = whisker.toLineF();
    const double y = room.bottom() - WhiskerHeight;
    painter->save();
    painter->setPen(QPen(option.palette.color(QPalette::Text), 1));
    painter->drawLine(QPointF(placeOf(quartiles.x1()), y), QPointF(placeOf(quartiles.x2()), y));
    for (const double end : {quartiles.x1(), share, quartiles.x2()})
        painter->drawLine(QPointF(placeOf(end), y - WhiskerHeight / 2), QPointF(placeOf(end), y + WhiskerHeight / 2));
    painter->restore();
}

// --- uses ------------------------------------------------------------------------------------------------------------------

void RuleUsesModel::setResults(std::vector<Result> results) {
    beginResetModel();
    m_results = std::move(results);
    std::map<std::string, std::vector<std::vector<double>>> uses;  // by rule, result and seed
    for (std::size_t result = 0; result < m_results.size(); ++result) {
        for (const std::vector<search::RuleUse>& seed : m_results[result].seeds) {
            for (const search::RuleUse& use : seed) {
                auto& ofRule = uses.try_emplace(use.rule, m_results.size()).first->second;
                ofRule[result].push_back(use.uses);
            }
        }
    }
    std::map<std::string, std::vector<double>> medians;
    std::map<std::string, double> most;
    m_largest = 0.0;
    m_rules.clear();
    for (auto& [rule, ofRule] : uses) {
        m_rules.push_back(rule);
        for (std::size_t result = 0; result < m_results.size(); ++result) {
            std::vector<double> seeds = std::move(ofRule[result]);
            seeds.resize(std::max<std::size_t>(m_results[result].seeds.size(), 1), 0.0);
            const double median = spreadOf(std::move(seeds)).median;
            medians[rule].push_back(median);
            most[rule] = std::max(most[rule], median);
            m_largest = std::max(m_largest, median);
        }
    }
    std::ranges::stable_sort(m_rules, std::greater{}, [&](const std::string& rule) { return most.at(rule); });
    m_uses.assign(m_results.size(), {});
    for (const std::string& rule : m_rules) {
        for (std::size_t result = 0; result < m_results.size(); ++result)
            m_uses[result].push_back(medians.at(rule)[result]);
    }
    endResetModel();
}

int RuleUsesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rules.size());
}

int RuleUsesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_results.size());
}

double RuleUsesModel::at(const QModelIndex& index) const {
    return m_uses[static_cast<std::size_t>(index.column())][static_cast<std::size_t>(index.row())];
}

QVariant RuleUsesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const double uses = at(index);
    const Result& result = m_results[static_cast<std::size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole: return uses > 0.0 ? costText(uses) : QString();
        case HeatDelegate::ShareRole:
            if (uses <= 0.0) return -1.0;
            return m_largest <= 1.0 ? 1.0 : std::max(0.0, std::log(uses) / std::log(m_largest));
        case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignCenter);
        case Qt::ToolTipRole: {
            const QString rule = fromUtf8(m_rules[static_cast<std::size_t>(index.row())]);
            const QString count = costText(uses);
            return result.isOfEGraph
                       ? tr("%1 was applied %2 times to the e-graph of %3").arg(rule, count, result.label)
                       : tr("%1 was applied %2 times on the way to the result of %3").arg(rule, count, result.label);
        }
        default: return {};
    }
}

QVariant RuleUsesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const auto at = static_cast<std::size_t>(section);
    return orientation == Qt::Horizontal ? m_results[at].label : fromUtf8(m_rules[at]);
}

// --- steps -----------------------------------------------------------------------------------------------------------------

StepsModel::StepsModel(QObject* parent)
    : TableModel({{{}, Qt::AlignLeft | Qt::AlignVCenter, {}},
                  {tr("Both"), Qt::AlignCenter, tr("Steps that both took: the same rule at the same subterm")},
                  {{}, Qt::AlignLeft | Qt::AlignVCenter, {}}},
                 parent) {}

void StepsModel::setThreads(const ir::TermBank& bank, const QString& left, const std::optional<RunThread>& leftThread,
                            const QString& right, const std::optional<RunThread>& rightThread) {
    const auto sideOf = [](const std::optional<RunThread>& from) {
        Side side;
        if (!from) return side;
        for (std::size_t i = 0; i < from->thread.steps.size(); ++i) {
            side.steps << stepText(from->thread.steps[i]);
            side.changes << (isNoChange(from->costs[i + 1] - from->costs[i], from->costs[i])
                                 ? QString()
                                 : deltaText(from->costs[i + 1] - from->costs[i]));
            side.costs << exactCostText(from->costs[i + 1]);
        }
        return side;
    };
    beginResetModel();
    setTitle(LeftColumn, left);
    setTitle(RightColumn, right);
    m_left = sideOf(leftThread);
    m_right = sideOf(rightThread);
    const auto threadIn = [](const std::optional<RunThread>& from) { return from ? from->thread : rewrite::Thread(); };
    m_rows = search::alignedSteps(bank, threadIn(leftThread), threadIn(rightThread));
    m_common = static_cast<std::size_t>(std::ranges::count_if(m_rows, &search::AlignedStep::isCommon));
    endResetModel();
}

void StepsModel::clear() {
    beginResetModel();
    setTitle(LeftColumn, {});
    setTitle(RightColumn, {});
    m_left = {};
    m_right = {};
    m_rows.clear();
    m_common = 0;
    endResetModel();
}

void StepsModel::setFaint(const QColor& faint) {
    m_faint = faint;
    announce(LeftColumn, RightColumn, {Qt::ForegroundRole});
}

std::size_t StepsModel::steps(Column side) const {
    return static_cast<std::size_t>(side == LeftColumn ? m_left.steps.size() : m_right.steps.size());
}

QVariant StepsModel::cell(int row, int column, int role) const {
    const search::AlignedStep& aligned = m_rows[static_cast<std::size_t>(row)];
    if (role == Qt::ForegroundRole) return aligned.isCommon() ? QVariant(m_faint) : QVariant();
    if (column == CommonColumn) {
        if (role == Qt::AccessibleTextRole) return aligned.isCommon() ? tr("both took it") : QString();
        return role == Qt::DisplayRole && aligned.isCommon() ? QStringLiteral("=") : QVariant();
    }
    const Side& side = column == LeftColumn ? m_left : m_right;
    const std::optional<std::size_t>& step = column == LeftColumn ? aligned.left : aligned.right;
    if (!step) return {};
    const auto at = static_cast<qsizetype>(*step);
    if (role == Qt::DisplayRole) {
        const QString text = tr("%1  %2").arg(at + 1).arg(side.steps[at]);
        return side.changes[at].isEmpty() ? text : tr("%1   %2").arg(text, side.changes[at]);
    }
    if (role == Qt::ToolTipRole) return tr("cost after it: %1").arg(side.costs[at]);
    return {};
}

}  // namespace mitos::views
