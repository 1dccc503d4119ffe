// SPDX-License-Identifier: GPL-3.0-or-later
// The table of rewrites and its filter.
#include "views/rewrites/rewrites_model.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>

namespace mitos::views {

Touched touchedPlaces(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite) {
    Touched touched;
    touched.places = rewrite.step.positions;
    touched.roots = touched.places.size();
    if (!bank.dialect(program.function).sharesNodes()) return touched;
    const ir::SharedNodes stays(bank, rewrite.replacement);
    absl::flat_hash_set<ir::TermId> roots;
    absl::flat_hash_set<ir::TermId> goes;
    std::vector<ir::TermId> open;
    for (const ir::Path& root : touched.places) {
        if (const auto term = ir::subterm(bank, program.root, root)) open.push_back(*term);
    }
    roots.insert(open.begin(), open.end());
    while (!open.empty()) {
        const ir::TermId node = open.back();
        open.pop_back();
        if (roots.count(node) == 0 && (stays.contains(node) || !goes.insert(node).second)) continue;
        for (const ir::TermId child : bank.children(node)) {
            if (roots.count(child) == 0) open.push_back(child);
        }
    }
    ir::forEachShared(bank, program.root, [&](const ir::Path& path, ir::TermId node) {
        if (goes.count(node) > 0) touched.places.push_back(path);
        return true;
    });
    return touched;
}

RewritesModel::RewritesModel(QObject* parent)
    : TableModel({{tr("Rule")},
                  {tr("Δ cost"), Qt::AlignRight},
                  {tr("Where")},
                  {tr("Cost after"), Qt::AlignRight},
                  {tr("Δ size"), Qt::AlignRight},
                  {tr("Soundness")},
                  {QStringLiteral("↺"), Qt::AlignHCenter, tr("Whether the history has the resulting program already")}},
                 parent) {}

std::vector<RewriteRow> RewritesModel::clear(double costBefore) {
    beginResetModel();
    std::vector<RewriteRow> before = std::exchange(m_rows, {});
    m_groups.clear();
    m_deltas.clear();
    m_groupOf.clear();
    m_costBefore = costBefore;
    m_cheaper = 0;
    endResetModel();
    return before;
}

void RewritesModel::append(std::vector<RewriteRow> rows) {
    if (rows.empty()) return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
    for (const RewriteRow& row : rows) {
        const double change = row.costAfter - m_costBefore;
        m_deltas.push_back(isNoChange(change, m_costBefore) ? 0.0 : change);
        if (m_deltas.back() < 0) ++m_cheaper;
        const int next = groupCount();
        const auto group = m_groupOf.constFind({row.rule.get(), row.assumed});
        m_groups.push_back(group != m_groupOf.cend() ? *group : next);
        if (group == m_groupOf.cend()) m_groupOf.insert({row.rule.get(), row.assumed}, next);
    }
    m_rows.insert(m_rows.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    endInsertRows();
}

void RewritesModel::forgetSeen() {
    m_seen.clear();
    announce(SeenColumn, SeenColumn);
}

void RewritesModel::addSeen(const std::vector<std::pair<std::uint64_t, rewrite::StateId>>& states) {
    for (const auto& [hash, state] : states) m_seen.try_emplace(hash, state);
    announce(SeenColumn, SeenColumn);
}

void RewritesModel::setColors(const Colors& colors) {
    m_colors = colors;
    announce(0, ColumnCount - 1, {Qt::ForegroundRole});
}

void RewritesModel::setFailed(std::vector<eval::DoubtfulRule> failed) {
    m_failed = std::move(failed);
    announce(RuleColumn, RuleColumn);
}

bool RewritesModel::isDoubtful(const RewriteRow& row) const {
    return !row.assumed.isEmpty() || doubtOf(m_failed, *row.rule) != nullptr;
}

QString RewritesModel::ruleText(const rules::DirectedRule& rule) {
    const bool forward = rule.direction() == rules::Direction::Forward;
    return fromUtf8(rule.rule().name) + (forward ? QStringLiteral(" →") : QStringLiteral(" ←"));
}

QString RewritesModel::soundnessText(rules::Soundness soundness) {
    switch (soundness) {
        case rules::Soundness::Exact: return tr("exact");
        case rules::Soundness::RealOnly: return tr("real-only");
        case rules::Soundness::Domain: return tr("domain");
    }
    return {};
}

QVariant RewritesModel::cell(int which, int column, int role) const {
    const RewriteRow& row = rewrite(which);
    switch (role) {
        case Qt::DisplayRole: return text(which, column);
        case SortRole: return sortKey(which, column);
        case Qt::ToolTipRole: return toolTip(row, column);
        case Qt::ForegroundRole: {
            if (column != DeltaColumn) return {};
            const double change = delta(which);
            const QColor color = change < 0 ? m_colors.better : change > 0 ? m_colors.worse : m_colors.faint;
            return color.isValid() ? QVariant(color) : QVariant();
        }
        default: return {};
    }
}

QVariant RewritesModel::text(int which, int column) const {
    const RewriteRow& row = rewrite(which);
    switch (column) {
        case RuleColumn: return (isDoubtful(row) ? QStringLiteral("⚠ ") : QString()) + ruleText(*row.rule);
        case DeltaColumn: return deltaText(delta(which));
        case WhereColumn: return row.where;
        case CostColumn: return costText(row.costAfter);
        case SizeColumn: return signedText(static_cast<double>(row.sizeChange));
        case SoundnessColumn:
            return row.assumed.isEmpty() ? soundnessText(row.rule->rule().soundness)
                                         : tr("assuming %1").arg(row.assumed);
        case SeenColumn: return m_seen.contains(row.resultHash) ? QStringLiteral("↺") : QString();
        default: return {};
    }
}

QVariant RewritesModel::sortKey(int which, int column) const {
    const RewriteRow& row = rewrite(which);
    switch (column) {
        case DeltaColumn:
        case CostColumn: return delta(which);
        case SizeColumn: return static_cast<qlonglong>(row.sizeChange);
        case SoundnessColumn: return static_cast<int>(row.rule->rule().soundness);
        case SeenColumn: return m_seen.contains(row.resultHash) ? 1 : 0;
        default: return text(which, column);
    }
}

QVariant RewritesModel::toolTip(const RewriteRow& row, int column) const {
    switch (column) {
        case RuleColumn: {
            const eval::DoubtfulRule* doubt = doubtOf(m_failed, *row.rule);
            QStringList lines;
            if (doubt != nullptr) lines << tr("Failed its test: %1").arg(fromUtf8(doubt->reason));
            if (!row.assumed.isEmpty()) lines << tr("Assumes %1").arg(row.assumed);
            lines << fromUtf8(row.rule->rule().doc);
            return lines.join(QLatin1Char('\n'));
        }
        case DeltaColumn:
        case CostColumn: return tr("Cost %1 before, %2 after").arg(costText(m_costBefore), costText(row.costAfter));
        case WhereColumn: return QStringLiteral("%1\n%2").arg(row.where, fromUtf8(row.step().place()));
        case SizeColumn: return tr("Change of the program's size in nodes");
        case SoundnessColumn:
            if (!row.assumed.isEmpty()) return tr("Equal where %1; nothing is known against it").arg(row.assumed);
            switch (row.rule->rule().soundness) {
                case rules::Soundness::Exact: return tr("The same value, bit for bit");
                case rules::Soundness::RealOnly: return tr("Equal over the real numbers; rounding may differ");
                case rules::Soundness::Domain:
                    return tr("Equal where the left side has a finite value and sizes are positive; may drop failures");
            }
            return {};
        case SeenColumn: {
            const auto seen = m_seen.find(row.resultHash);
            if (seen == m_seen.end()) return {};
            return tr("The history has this program already: state #%1").arg(seen->second.value);
        }
        default: return {};
    }
}

RewritesFilter::RewritesFilter(RewritesModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
    setSortRole(RewritesModel::SortRole);
    setDynamicSortFilter(false);
}

void RewritesFilter::setScope(RewriteScope scope, const std::optional<ir::Path>& subterm) {
    if (scope == m_scope && (scope == RewriteScope::Anywhere || subterm == m_subterm)) return;
    m_scope = scope;
    m_subterm = subterm;
    invalidate();
}

void RewritesFilter::setText(const QString& text) {
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidate();  // filters all rows at once; invalidateFilter() would remove thousands one by one
}

bool RewritesFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    switch (left.column()) {
        case RewritesModel::DeltaColumn:
        case RewritesModel::CostColumn: return m_model.delta(left.row()) < m_model.delta(right.row());
        case RewritesModel::SizeColumn:
            return m_model.rewrite(left.row()).sizeChange < m_model.rewrite(right.row()).sizeChange;
        default: return QSortFilterProxyModel::lessThan(left, right);
    }
}

bool RewritesFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (parent.isValid()) return false;
    const RewriteRow& rewrite = m_model.rewrite(row);
    if (m_scope == RewriteScope::AtSelection && !m_subterm) return false;
    if (m_scope != RewriteScope::Anywhere && m_subterm) {
        const bool inside = std::ranges::any_of(rewrite.positions, [this](const ir::Path& position) {
            return m_scope == RewriteScope::AtSelection ? position == *m_subterm : ir::isWithin(position, *m_subterm);
        });
        if (!inside) return false;
    }
    if (m_words.isEmpty()) return true;
    const QString rule = fromUtf8(rewrite.rule->rule().name);
    return std::ranges::all_of(m_words, [&](const QString& word) {
        return rule.contains(word, Qt::CaseInsensitive) || rewrite.subterm.contains(word, Qt::CaseInsensitive);
    });
}

}  // namespace mitos::views
