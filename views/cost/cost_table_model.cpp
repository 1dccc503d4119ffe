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

CostTableModel::CostTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void CostTableModel::setRows(std::vector<CostRow> rows, const QString& other) {
    beginResetModel();
    m_rows = std::move(rows);
    m_other = other;
    endResetModel();
}

bool CostTableModel::hasMade() const {
    return std::ranges::any_of(m_rows, [](const CostRow& row) { return !row.shares.empty(); });
}

int CostTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CostTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant CostTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const CostRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    if (role == Qt::TextAlignmentRole) return column == Part ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
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

QVariant CostTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::ToolTipRole) {
        switch (section) {
            case Once: return tr("Cost when it is computed once");
            case Times: return tr("How often it counts in the whole program: loop bodies as often as the loop turns");
            case InAll: return tr("Once × times");
            case Share: return tr("Part of the program's cost");
            case Made: return tr("What the operator's cost consists of");
            case Other: return tr("In all, under the model chosen beside");
            default: return {};
        }
    }
    if (role == Qt::TextAlignmentRole) {
        return int((section == Part ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Part: return tr("Part");
        case Once: return tr("Once");
        case Times: return tr("Times");
        case InAll: return tr("In all");
        case Share: return tr("Share");
        case Made: return tr("Made of");
        case Other: return m_other;
        case OtherShare: return tr("Share");
        default: return {};
    }
}

}  // namespace mitos::views
