// SPDX-License-Identifier: GPL-3.0-or-later
// See run_details.h.
#include "views/compare/internal/run_details.h"

#include "views/common/format.h"
#include "views/theme/theme.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace mitos::views {

namespace {

constexpr double LeastTint = 0.10;
constexpr double TintRange = 0.40;

QString stepText(const rewrite::Step& step) { return fromUtf8(step.name()); }

}  // namespace

std::optional<RunThread> threadOf(const Document& document, RunNumber number) {
    const Run* run = document.isOpen() ? document.run(number) : nullptr;
    if (run == nullptr || !run->resultState.isValid()) return std::nullopt;
    const rewrite::History& history = document.history();
    const std::vector<rewrite::StateId> path = history.pathTo(run->resultState);
    const auto start = std::ranges::find(path, rewrite::StateId(run->startState));
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
        for (const search::RuleGain& gain : result.gains) {
            double& effect = effects[gain.rule];
            if (std::isfinite(gain.gain)) effect = std::max(effect, std::abs(gain.gain));
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

const search::RuleGain* RuleGainsModel::at(int row, int column) const {
    const std::vector<search::RuleGain>& gains = m_results[static_cast<std::size_t>(column)].gains;
    const auto found = std::ranges::find(gains, m_rules[static_cast<std::size_t>(row)], &search::RuleGain::rule);
    return found == gains.end() ? nullptr : &*found;
}

int RuleGainsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rules.size());
}

int RuleGainsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_results.size());
}

QVariant RuleGainsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const search::RuleGain* gain = at(index.row(), index.column());
    if (gain == nullptr) return role == Qt::DisplayRole ? QString() : QVariant();
    switch (role) {
        case Qt::DisplayRole: return isNoChange(gain->gain, m_largest) ? QStringLiteral("0") : deltaText(-gain->gain);
        case Qt::ToolTipRole:
            return tr("%1 in the result of %2: %n step(s) changed the cost by %3 %4", nullptr,
                      static_cast<int>(gain->steps))
                .arg(fromUtf8(gain->rule), m_results[static_cast<std::size_t>(index.column())].label,
                     exactCostText(-gain->gain), m_unit);
        case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
        case ShareRole: return m_largest > 0.0 && std::isfinite(gain->gain) ? gain->gain / m_largest : 0.0;
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
