// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost/cost_table_model.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "views/common/format.h"
#include "views/document/places.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace mitos::views {

namespace {

double shareOf(double inAll, const std::vector<cost::CostPart>& parts) {
    return !parts.empty() && parts[0].total > 0.0 ? inAll / parts[0].total : 0.0;
}

CostRow makeRow(const ir::TermBank& bank, const ir::Program& program, const ExplainedCosts& costs, PlaceNames& names,
                const ir::NodePlaces& places, std::size_t index, bool operatorOnly) {
    const ir::TermId root = program.root;
    const cost::CostPart& part = costs.parts[index];
    CostRow row;
    row.path = places.path(static_cast<ir::NodePlaces::Index>(index));
    row.label = ir::labelOf(bank, *ir::subterm(bank, root, row.path), ir::bindersAbove(bank, root, row.path));
    row.place = names.at(row.path).toStdString();
    row.operatorOnly = operatorOnly;
    row.once = operatorOnly ? part.own : part.total;
    row.times = part.times;
    row.inAll = row.once * row.times;
    row.share = shareOf(row.inAll, costs.parts);
    row.reason = part.reason;
    if (operatorOnly) row.shares = part.shares;
    if (index < costs.other.size()) {
        const cost::CostPart& beside = costs.other[index];
        row.other = (operatorOnly ? beside.own : beside.total) * beside.times;
        row.otherShare = shareOf(*row.other, costs.other);
    }
    return row;
}

bool sharesNodes(const ir::TermBank& bank, const ir::Program& program) {
    return bank.dialect(program.function).sharesNodes();
}

/// Index of each node of a graph among the parts.
absl::flat_hash_map<ir::TermId, std::size_t> graphIndices(const ir::TermBank& bank, ir::TermId root) {
    absl::flat_hash_map<ir::TermId, std::size_t> indices;
    ir::forEachShared(bank, root, [&](const ir::Path&, ir::TermId node) {
        indices.emplace(node, indices.size());
        return true;
    });
    return indices;
}

std::vector<CostRow> graphOperandRows(const ir::TermBank& bank, const ir::Program& program, ir::TermId term,
                                      const ExplainedCosts& costs) {
    const auto indices = graphIndices(bank, program.root);
    const ir::NodePlaces places = nodePlaces(bank, program);
    PlaceNames names(bank, program);
    std::vector<CostRow> rows{makeRow(bank, program, costs, names, places, indices.at(term), true)};
    absl::flat_hash_set<ir::TermId> listed;
    absl::flat_hash_set<ir::TermId> paid;
    for (const ir::TermId operand : bank.children(term)) {
        if (!listed.insert(operand).second) continue;
        CostRow row = makeRow(bank, program, costs, names, places, indices.at(operand), false);
        double own = 0.0;
        double other = 0.0;
        for (const ir::TermId node : ir::SharedNodes(bank, operand)) {
            if (!paid.insert(node).second) {
                row.isRest = row.isRest || costs.parts[indices.at(node)].own > 0.0;
                continue;
            }
            own += costs.parts[indices.at(node)].own;
            if (!costs.other.empty()) other += costs.other[indices.at(node)].own;
        }
        row.once = row.inAll = own;
        row.share = shareOf(own, costs.parts);
        if (row.other) {
            row.other = other;
            row.otherShare = shareOf(other, costs.other);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::size_t treeIndex(const ir::TermBank& bank, ir::TermId root, const ir::Path& path) {
    std::size_t index = 0;
    for (const std::uint32_t step : path) {
        ++index;
        for (std::uint32_t before = 0; before < step; ++before) index += bank.treeSize(bank.child(root, before));
        root = bank.child(root, step);
    }
    return index;
}

/// Indices of the parts at and below a path.
std::vector<std::size_t> partsWithin(const ir::TermBank& bank, const ir::Program& program, const ir::Path& path) {
    const ir::TermId term = *ir::subterm(bank, program.root, path);
    std::vector<std::size_t> parts;
    if (sharesNodes(bank, program)) {
        const auto indices = graphIndices(bank, program.root);
        for (const ir::TermId node : ir::SharedNodes(bank, term)) parts.push_back(indices.at(node));
        return parts;
    }
    parts.resize(bank.treeSize(term));
    std::iota(parts.begin(), parts.end(), treeIndex(bank, program.root, path));
    return parts;
}

/// "launch 56 %, memory 44 %".
QString madeText(const CostRow& row) {
    QStringList parts;
    for (const cost::CostShare& share : row.shares) {
        if (!(row.once > 0.0)) break;
        parts << CostTableModel::tr("%1 %2 %").arg(fromUtf8(share.name),
                                                   QLocale().toString(share.cost / row.once * 100.0, 'f', 0));
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace

std::size_t partIndex(const ir::TermBank& bank, const ir::Program& program, const ir::Path& path) {
    if (!sharesNodes(bank, program)) return treeIndex(bank, program.root, path);
    return graphIndices(bank, program.root).at(*ir::subterm(bank, program.root, path));
}

std::vector<CostRow> operandRows(const ir::TermBank& bank, const ir::Program& program, const ir::Path& path,
                                 const ExplainedCosts& costs) {
    const ir::TermId term = *ir::subterm(bank, program.root, path);
    if (sharesNodes(bank, program)) return graphOperandRows(bank, program, term, costs);
    const std::size_t first = treeIndex(bank, program.root, path);
    const ir::NodePlaces places = nodePlaces(bank, program);
    PlaceNames names(bank, program);
    std::vector<CostRow> rows{makeRow(bank, program, costs, names, places, first, true)};
    std::size_t index = first + 1;
    for (const ir::TermId child : bank.children(term)) {
        rows.push_back(makeRow(bank, program, costs, names, places, index, false));
        index += bank.treeSize(child);
    }
    return rows;
}

std::vector<CostRow> mostExpensiveRows(const ir::TermBank& bank, const ir::Program& program, const ir::Path& path,
                                       const ExplainedCosts& costs, std::size_t most) {
    std::vector<std::size_t> order = partsWithin(bank, program, path);
    std::erase_if(order, [&](std::size_t part) { return !(costs.parts[part].own * costs.parts[part].times > 0.0); });
    const auto kept = static_cast<std::ptrdiff_t>(std::min(most, order.size()));
    std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](std::size_t a, std::size_t b) {
        const double x = costs.parts[a].own * costs.parts[a].times;
        const double y = costs.parts[b].own * costs.parts[b].times;
        return x > y || (x == y && a < b);
    });
    const ir::NodePlaces places = nodePlaces(bank, program);
    PlaceNames names(bank, program);
    std::vector<CostRow> rows;
    for (std::ptrdiff_t i = 0; i < kept; ++i) {
        rows.push_back(makeRow(bank, program, costs, names, places, order[static_cast<std::size_t>(i)], true));
    }
    return rows;
}

CostTableModel::CostTableModel(QObject* parent)
    : TableModel({{tr("Part")},
                  {tr("Once"), Qt::AlignRight, tr("Cost when it is computed once")},
                  {tr("Times"), Qt::AlignRight,
                   tr("How often it counts in the whole program: loop bodies as often as the loop turns")},
                  {tr("In all"), Qt::AlignRight, tr("Once × times")},
                  {tr("Share"), Qt::AlignRight, tr("Part of the program's cost")},
                  {tr("Made of"), Qt::AlignRight, tr("What the operator's cost consists of")},
                  {QString(), Qt::AlignRight, tr("In all, under the second model")},
                  {tr("Share"), Qt::AlignRight}},
                 parent) {}

void CostTableModel::setRows(std::vector<CostRow> rows, const QString& other) {
    beginResetModel();
    m_rows = std::move(rows);
    setTitle(Other, other);
    endResetModel();
}

bool CostTableModel::hasMade() const {
    return std::ranges::any_of(m_rows, [](const CostRow& row) { return !row.shares.empty(); });
}

QVariant CostTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::TextAlignmentRole)
        return TableModel::headerData(section, orientation, role);
    return static_cast<int>((section == Part ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

QVariant CostTableModel::cell(int which, int column, int role) const {
    const CostRow& row = this->row(which);
    if (role == Qt::ToolTipRole) return tr("%1\n%2").arg(fromUtf8(row.place), fromUtf8(row.reason));
    if (role == ShareRole) return column == OtherShare ? row.otherShare.value_or(-1.0) : row.share;
    const auto number = [&]() -> std::optional<double> {
        switch (column) {
            case Once: return row.once;
            case Times: return row.times;
            case InAll: return row.inAll;
            case Share: return row.share;
            case Other: return row.other;
            case OtherShare: return row.otherShare;
            default: return std::nullopt;
        }
    }();
    const QString label = row.operatorOnly ? tr("%1 (operator)  %2")
                          : row.isRest     ? tr("%1, without nodes paid above  %2")
                                           : tr("%1  %2");
    // The place of a weight equals its label, so it is not repeated.
    const QString part =
        label.arg(fromUtf8(row.label), row.place == row.label ? QString() : fromUtf8(row.place)).trimmed();
    if (column == Made && (role == Qt::DisplayRole || role == SortRole)) return madeText(row);
    if (role == SortRole) return column == Part ? QVariant(part) : number ? QVariant(*number) : QVariant();
    if (role != Qt::DisplayRole) return {};
    if (column == Part) return part;
    if (!number) return QString();
    if (column == Share || column == OtherShare) return tr("%1 %").arg(QLocale().toString(*number * 100.0, 'f', 1));
    return costText(*number);
}

}  // namespace mitos::views
