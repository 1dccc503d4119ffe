// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of rewrites.
#include "views/rewrites/rewrite_groups.h"

#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <utility>

namespace mitos::views {

namespace {

constexpr std::size_t MostAtOnce = 2'000;  // rows; ordering them takes a millisecond

}  // namespace

RewriteGroups::RewriteGroups(RewritesModel& model, JobRunner& jobs, QObject* parent)
    : QAbstractTableModel(parent),
      m_model(model),
      m_jobs(jobs) {
    connect(&model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        beginResetModel();
        m_jobs.discard(std::exchange(m_job, 0));
        m_lines = {};
    });
    connect(&model, &QAbstractItemModel::modelReset, this, [this] {
        m_lines = RewriteLines::of(m_model.rewrites(), m_wishes, m_model.groupNames());
        endResetModel();
    });
    connect(&model, &QAbstractItemModel::rowsInserted, this,
            [this] { relist([this] { m_lines.add(m_model.rewrites(), m_wishes); }); });
    connect(&model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
                if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), roles);
            });
}

RewriteGroups::~RewriteGroups() = default;

// --- wishes --------------------------------------------------------------------------------------------------------------

void RewriteGroups::setScope(RewriteScope scope, const std::optional<ir::Path>& subterm) {
    if (scope == m_wishes.scope && (scope == RewriteScope::Anywhere || subterm == m_wishes.subterm)) return;
    m_wishes.scope = scope;
    m_wishes.subterm = subterm;
    arrange();
}

void RewriteGroups::setText(const QString& text) {
    m_wishes.words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    arrange();
}

void RewriteGroups::setOrder(RewriteOrder order) {
    m_wishes.order = order;
    arrange();
}

void RewriteGroups::setGrouping(bool isGrouping) {
    if (isGrouping == m_wishes.isGrouping) return;
    m_wishes.isGrouping = isGrouping;
    arrange();
}

void RewriteGroups::setOpen(const QModelIndex& index, bool isOpen) {
    const RewriteLine at = line(index);
    if (at.kind == RewriteLine::Kind::Single || m_lines.group(at.group).isOpen == isOpen) return;
    if (isOpen)
        m_wishes.open.insert(keyOf(m_model.rewrite(at.source)));
    else
        m_wishes.open.remove(keyOf(m_model.rewrite(at.source)));
    relist([&] { m_lines.setOpen(at.group, isOpen); });
    if (isArranging()) arrange();
}

void RewriteGroups::arrange() {
    m_jobs.discard(std::exchange(m_job, 0));
    const RewriteRows& rows = m_model.rewrites();
    if (rows.size() <= MostAtOnce) return take(RewriteLines::of(rows, m_wishes, m_model.groupNames()));
    m_job = m_jobs.start(
        tr("Ordering rewrites"), false, this,
        [rows, wishes = m_wishes, names = m_model.groupNames()](const std::stop_token& stop, const JobRunner::Report&) {
            return RewriteLines::of(rows, wishes, names, stop);
        },
        [this](RewriteLines made) {
            m_job = 0;
            take(std::move(made));
        });
}

void RewriteGroups::take(RewriteLines made) {
    relist([&] {
        m_lines = std::move(made);
        if (m_lines.seen() < m_model.rewrites().size()) m_lines.add(m_model.rewrites(), m_wishes);
    });
    Q_EMIT arranged();
}

// --- rows ----------------------------------------------------------------------------------------------------------------

const RewriteGroup* RewriteGroups::group(const QModelIndex& index) const {
    const RewriteLine& at = line(index);
    return at.kind == RewriteLine::Kind::Head ? &m_lines.group(at.group) : nullptr;
}

QModelIndex RewriteGroups::head(const QModelIndex& index) const {
    if (line(index).kind == RewriteLine::Kind::Single) return {};
    int row = index.row();
    while (m_lines.lines()[static_cast<std::size_t>(row)].kind == RewriteLine::Kind::Member) --row;
    return this->index(row, index.column());
}

QString RewriteGroups::changeText(const RewriteGroup& group) const {
    const double before = m_model.rewrites().costBefore();
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
    return parent.isValid() ? 0 : static_cast<int>(m_lines.lines().size());
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

/// Makes the rows again after `change`. The number of rows may change too, as with QSortFilterProxyModel::invalidate():
/// a single signal is much faster than removing and inserting thousands of rows in pieces.
template <typename Change>
void RewriteGroups::relist(const Change& change) {
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList indexes = persistentIndexList();
    std::vector<RewriteLine> before;
    before.reserve(static_cast<std::size_t>(indexes.size()));
    for (const QModelIndex& index : indexes) before.push_back(line(index));
    change();
    changePersistentIndexList(indexes, moved(indexes, before));
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

/// The new places of indexes, whose lines were these `before`. Different indexes get different places, or none: Qt demands it.
QModelIndexList RewriteGroups::moved(const QModelIndexList& indexes, const std::vector<RewriteLine>& before) const {
    if (indexes.isEmpty()) return {};
    absl::flat_hash_map<int, int> bySource;
    absl::flat_hash_map<int, int> byGroup;
    for (const RewriteLine& old : before) {
        bySource[old.source] = -1;
        byGroup[old.group] = -1;
    }
    const std::vector<RewriteLine>& lines = m_lines.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool isHead = lines[i].kind == RewriteLine::Kind::Head;
        auto& places = isHead ? byGroup : bySource;
        const auto found = places.find(isHead ? lines[i].group : lines[i].source);
        if (found != places.end()) found->second = static_cast<int>(i);
    }
    absl::flat_hash_set<std::pair<int, int>> taken;
    QModelIndexList places;
    places.reserve(indexes.size());
    for (qsizetype i = 0; i < indexes.size(); ++i) {
        const RewriteLine& old = before[static_cast<std::size_t>(i)];
        const int row = old.kind == RewriteLine::Kind::Head ? byGroup[old.group] : bySource[old.source];
        const bool isFree = row >= 0 && taken.insert({row, indexes[i].column()}).second;
        places << (isFree ? index(row, indexes[i].column()) : QModelIndex());
    }
    return places;
}

QModelIndex RewriteGroups::find(int source) const {
    if (static_cast<std::size_t>(source) >= m_lines.seen() || !m_lines.isShown(source)) return {};
    const int group = m_model.rewrites().group(source);
    QModelIndex found;
    for (int i = 0; i < rowCount(); ++i) {
        const RewriteLine& at = m_lines.lines()[static_cast<std::size_t>(i)];
        const bool isHead = at.kind == RewriteLine::Kind::Head;
        if (isHead && at.group == group) found = index(i, 0);
        if (!isHead && at.source == source) return index(i, 0);
    }
    return found;
}

}  // namespace mitos::views
