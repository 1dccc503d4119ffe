// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the cost explanation.
#include "views/cost/cost_table_model.h"

#include "views/common/format.h"

#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

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

CostTableModel::CostTableModel(QObject* parent)
    : TableModel({{tr("Part")},
                  {tr("Once"), Qt::AlignRight, tr("Cost when it is computed once")},
                  {tr("Times"), Qt::AlignRight,
                   tr("How often it counts in the whole program: loop bodies as often as the loop turns")},
                  {tr("In all"), Qt::AlignRight, tr("Once × times")},
                  {tr("Share"), Qt::AlignRight, tr("Part of the program's cost")},
                  {tr("Made of"), Qt::AlignRight, tr("What the operator's cost consists of")},
                  {QString(), Qt::AlignRight, tr("In all, under the model chosen beside")},
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
    if (role == Qt::ToolTipRole) {
        return tr("%1\n%2").arg(fromUtf8(row.place), fromUtf8(row.reason));
    }
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
                          : row.isRest     ? tr("%1, what is not paid above  %2")
                                           : tr("%1  %2");
    // The place of a weight equals its label, so it is not repeated.
    const QString part =
        label.arg(fromUtf8(row.label), row.place == row.label ? QString() : fromUtf8(row.place)).trimmed();
    if (column == Made && (role == Qt::DisplayRole || role == SortRole)) return madeText(row);
    if (role == SortRole) return column == Part ? QVariant(part) : number ? QVariant(*number) : QVariant();
    if (role != Qt::DisplayRole) return {};
    if (column == Part) return part;
    if (!number) return QString();
    if (column == Share || column == OtherShare) {
        return tr("%1 %").arg(QLocale().toString(*number * 100.0, 'f', 1));
    }
    return costText(*number);
}

}  // namespace mitos::views
