// SPDX-License-Identifier: GPL-3.0-or-later
// The table of rewrites.
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

RewriteRows RewritesModel::clear(double costBefore) {
    beginResetModel();
    RewriteRows before = std::exchange(m_rows, RewriteRows(costBefore));
    endResetModel();
    return before;
}

void RewritesModel::append(std::vector<RewriteRow> rows) {
    if (rows.empty()) return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
    m_rows.add(std::move(rows));
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

QString RewritesModel::nameOf(const RewriteRow& row) const {
    return (isDoubtful(row) ? QStringLiteral("⚠ ") : QString()) + ruleText(*row.rule);
}

std::vector<QString> RewritesModel::groupNames() const {
    std::vector<QString> names;
    for (const int first : m_rows.firstRows()) names.push_back(nameOf(rewrite(first)));
    return names;
}

QString RewritesModel::soundnessText(rules::Soundness soundness) {
    switch (soundness) {
        case rules::Soundness::Exact: return tr("exact");
        case rules::Soundness::ExactButZeroSign: return tr("exact but for the sign of zero");
        case rules::Soundness::ExactButNaN: return tr("exact but for NaN");
        case rules::Soundness::RealOnly: return tr("real-only");
        case rules::Soundness::Domain: return tr("domain");
    }
    return {};
}

QVariant RewritesModel::cell(int which, int column, int role) const {
    const RewriteRow& row = rewrite(which);
    switch (role) {
        case Qt::DisplayRole: return text(which, column);
        case Qt::ToolTipRole: return toolTip(row, column);
        case Qt::ForegroundRole: {
            if (column != DeltaColumn) return {};
            const double change = m_rows.delta(which);
            const QColor color = change < 0 ? m_colors.better : change > 0 ? m_colors.worse : m_colors.faint;
            return color.isValid() ? QVariant(color) : QVariant();
        }
        default: return {};
    }
}

QVariant RewritesModel::text(int which, int column) const {
    const RewriteRow& row = rewrite(which);
    switch (column) {
        case RuleColumn: return nameOf(row);
        case DeltaColumn: return deltaText(m_rows.delta(which));
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
        case CostColumn:
            return tr("Cost %1 before, %2 after").arg(costText(m_rows.costBefore()), costText(row.costAfter));
        case WhereColumn: return QStringLiteral("%1\n%2").arg(row.where, fromUtf8(row.step().place()));
        case SizeColumn: return tr("Change of the program's size in nodes");
        case SoundnessColumn:
            if (!row.assumed.isEmpty()) return tr("Equal where %1; nothing is known against it").arg(row.assumed);
            switch (row.rule->rule().soundness) {
                case rules::Soundness::Exact: return tr("The same value, bit for bit");
                case rules::Soundness::ExactButZeroSign:
                    return tr("The same value, bit for bit, but 0 and -0 may stand for each other");
                case rules::Soundness::ExactButNaN: return tr("The same value, bit for bit, where nothing is NaN");
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

}  // namespace mitos::views
