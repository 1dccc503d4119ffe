// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of rewrites.
#include "views/rewrites/rewrite_groups.h"

#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

namespace mitos::views {

namespace {

/// Identifies a group in other states.
QString keyOf(const RewriteRow& row) { return RewritesModel::ruleText(*row.rule) + QLatin1Char(' ') + row.assumed; }

}  // namespace

RewriteGroups::RewriteGroups(RewritesModel& model, RewritesFilter& filter, QObject* parent)
    : QAbstractTableModel(parent),
      m_model(model),
      m_filter(filter) {
    connect(&filter, &QAbstractItemModel::modelReset, this, [this] {
        beginResetModel();
        regroup();
        list();
        endResetModel();
    });
    connect(&filter, &QAbstractItemModel::layoutChanged, this, [this] { relist([this] { regroup(); }); });
    connect(&filter, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int first, int last) {
        relist([&] {
            if (first == static_cast<int>(m_order.size()))
                add(first, last);
            else
                regroup();
        });
    });
    connect(&filter, &QAbstractItemModel::rowsRemoved, this, [this] { relist([this] { regroup(); }); });
    connect(&filter, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
                if (!m_lines.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), roles);
            });
    regroup();
    list();
}

void RewriteGroups::setGrouping(bool isGrouping) {
    if (isGrouping == m_isGrouping) return;
    relist([&] {
        m_isGrouping = isGrouping;
        regroup();
    });
}

void RewriteGroups::setOpen(const QModelIndex& index, bool isOpen) {
    const Line at = line(index);
    if (at.kind == Kind::Single || groupOf(at).isOpen == isOpen) return;
    if (isOpen)
        m_open.insert(keyOf(m_model.rewrite(at.source)));
    else
        m_open.remove(keyOf(m_model.rewrite(at.source)));
    relist([&] { groupOf(at).isOpen = isOpen; });
}

RewriteGroup& RewriteGroups::groupOf(const Line& line) {
    return m_groups[static_cast<std::size_t>(m_groupAt[static_cast<std::size_t>(line.group)])];
}

const RewriteGroup& RewriteGroups::groupOf(const Line& line) const {
    return m_groups[static_cast<std::size_t>(m_groupAt[static_cast<std::size_t>(line.group)])];
}

const RewriteGroup* RewriteGroups::group(const QModelIndex& index) const {
    const Line& at = line(index);
    return at.kind == Kind::Head ? &groupOf(at) : nullptr;
}

QModelIndex RewriteGroups::head(const QModelIndex& index) const {
    if (line(index).kind == Kind::Single) return {};
    int row = index.row();
    while (m_lines[static_cast<std::size_t>(row)].kind == Kind::Member) --row;
    return this->index(row, index.column());
}

QString RewriteGroups::changeText(const RewriteGroup& group) const {
    const double before = m_model.costBefore();
    if (isNoChange(group.most - group.least, before)) return differenceText(before, before + group.least);
    const bool isOneSign = (group.least < 0) == (group.most < 0) && group.least != 0;
    return deltaText(group.least) + QStringLiteral(" … ") +
           (isOneSign ? signedText(group.most) : deltaText(group.most));
}

QString RewriteGroups::subtermsText(const RewriteGroup& group) const {
    constexpr int MaxSubterms = 8;  // more do not fit in a line
    constexpr int MaxLength = 20;   // of each, so that several are seen
    QStringList texts;
    for (const int row : group.rows) {
        QString text = m_model.rewrite(row).shown;
        if (text.size() > MaxLength) text = text.left(MaxLength - 1) + QStringLiteral("…");
        if (texts.contains(text)) continue;
        if (texts.size() == MaxSubterms) {
            texts << QStringLiteral("…");
            break;
        }
        texts << text;
    }
    return texts.join(QStringLiteral(", "));
}

int RewriteGroups::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int RewriteGroups::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : RewritesModel::ColumnCount;
}

QVariant RewriteGroups::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const QVariant own = m_model.index(source(index), index.column()).data(role);
    const RewriteGroup* found = group(index);
    if (found == nullptr) return own;
    const auto count = static_cast<int>(found->rows.size());
    if (role == Qt::AccessibleTextRole && index.column() == RewritesModel::RuleColumn) {
        const QString text = found->isOpen ? tr("%1, %L2 rewrites, open") : tr("%1, %L2 rewrites, closed");
        return text.arg(m_model.index(source(index), index.column()).data().toString()).arg(count);
    }
    if (role != Qt::DisplayRole) return own;
    switch (index.column()) {
        case RewritesModel::RuleColumn: return own.toString() + QStringLiteral(" ×%L1").arg(count);
        case RewritesModel::DeltaColumn: return changeText(*found);
        case RewritesModel::WhereColumn: return subtermsText(*found);
        case RewritesModel::SeenColumn: return {};
        default: return own;
    }
}

QVariant RewriteGroups::headerData(int section, Qt::Orientation orientation, int role) const {
    return m_model.headerData(section, orientation, role);
}

void RewriteGroups::regroup() {
    m_order.clear();
    m_groups.clear();
    m_groupAt.clear();
    add(0, m_filter.rowCount() - 1);
}

void RewriteGroups::add(int first, int last) {
    m_groupAt.resize(static_cast<std::size_t>(m_model.groupCount()), -1);
    for (int i = first; i <= last; ++i) {
        const int row = m_filter.mapToSource(m_filter.index(i, 0)).row();
        m_order.push_back(row);
        if (!m_isGrouping) continue;
        const double change = m_model.delta(row);
        int& at = m_groupAt[static_cast<std::size_t>(m_model.group(row))];
        if (at < 0) {
            at = static_cast<int>(m_groups.size());
            m_groups.push_back({.rows = {row},
                                .best = row,
                                .least = change,
                                .most = change,
                                .isOpen = m_open.contains(keyOf(m_model.rewrite(row)))});
            continue;
        }
        RewriteGroup& group = m_groups[static_cast<std::size_t>(at)];
        group.rows.push_back(row);
        if (m_model.rewrite(row).costAfter < m_model.rewrite(group.best).costAfter) group.best = row;
        group.least = std::min(group.least, change);
        group.most = std::max(group.most, change);
    }
}

void RewriteGroups::list() {
    m_lines.clear();
    if (!m_isGrouping) {
        m_lines.reserve(m_order.size());
        for (const int row : m_order) m_lines.push_back({.source = row, .group = m_model.group(row)});
        return;
    }
    for (const RewriteGroup& group : m_groups) {
        const int id = m_model.group(group.best);
        const bool isSingle = group.rows.size() == 1;
        m_lines.push_back({.source = group.best, .group = id, .kind = isSingle ? Kind::Single : Kind::Head});
        if (isSingle || !group.isOpen) continue;
        for (const int row : group.rows) m_lines.push_back({.source = row, .group = id, .kind = Kind::Member});
    }
}

/// Makes the rows again after `change`. The number of rows may change too, as with QSortFilterProxyModel::invalidate():
/// a single signal is much faster than removing and inserting thousands of rows in pieces.
template <typename Change>
void RewriteGroups::relist(const Change& change) {
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const std::vector<Line> before = m_lines;
    change();
    list();
    const QModelIndexList indexes = persistentIndexList();
    changePersistentIndexList(indexes, moved(indexes, before));
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

/// The new places of indexes into `lines`. Different indexes get different places, or none: Qt demands it.
QModelIndexList RewriteGroups::moved(const QModelIndexList& indexes, const std::vector<Line>& lines) const {
    absl::flat_hash_map<int, int> bySource;
    absl::flat_hash_map<int, int> byGroup;
    const auto old = [&](const QModelIndex& index) { return lines[static_cast<std::size_t>(index.row())]; };
    for (const QModelIndex& index : indexes) {
        bySource[old(index).source] = -1;
        byGroup[old(index).group] = -1;
    }
    for (std::size_t i = 0; i < m_lines.size() && !bySource.empty(); ++i) {
        const Line& line = m_lines[i];
        auto& places = line.kind == Kind::Head ? byGroup : bySource;
        const auto found = places.find(line.kind == Kind::Head ? line.group : line.source);
        if (found != places.end()) found->second = static_cast<int>(i);
    }
    absl::flat_hash_set<std::pair<int, int>> taken;
    QModelIndexList places;
    places.reserve(indexes.size());
    for (const QModelIndex& index : indexes) {
        const Line line = old(index);
        const int row = line.kind == Kind::Head ? byGroup[line.group] : bySource[line.source];
        const bool isFree = row >= 0 && taken.insert({row, index.column()}).second;
        places << (isFree ? this->index(row, index.column()) : QModelIndex());
    }
    return places;
}

QModelIndex RewriteGroups::find(int source) const {
    if (!m_filter.mapFromSource(m_model.index(source, 0)).isValid()) return {};
    QModelIndex found;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const bool isHead = m_lines[i].kind == Kind::Head;
        if (isHead && m_lines[i].group == m_model.group(source)) found = index(static_cast<int>(i), 0);
        if (!isHead && m_lines[i].source == source) return index(static_cast<int>(i), 0);
    }
    return found;
}

}  // namespace mitos::views
