// SPDX-License-Identifier: GPL-3.0-or-later
// See history_filter.h.
#include "views/history/history_filter.h"

#include <QElapsedTimer>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr std::size_t LongestComparedAtOnce = 2'000;  // rows; comparing them takes a few milliseconds
constexpr qint64 ComparingMs = 4;

LayoutNode nodeOf(const QModelIndex& index) {
    return index.isValid() ? static_cast<LayoutNode>(index.internalId()) : NoLayoutNode;
}

}  // namespace

HistoryFilter::HistoryFilter(HistoryModel& model, QObject* parent) : QAbstractProxyModel(parent), m_model(model) {
    setSourceModel(&model);
    m_slices.setInterval(0);
    connect(&m_slices, &QTimer::timeout, this, &HistoryFilter::goOn);
    follow();
}

void HistoryFilter::follow() {
    connect(&m_model, &QAbstractItemModel::modelAboutToBeReset, this, &HistoryFilter::beginResetModel);
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        // The states compared so far are gone. The filter set last is the filter of the new history.
        const Criteria criteria = m_pass ? m_pass->criteria : m_shown;
        m_pass.reset();
        m_changed.clear();
        m_slices.stop();
        m_shown = {};
        m_rows.clear();
        m_roots.clear();
        endResetModel();
        if (criteria.isEmpty()) return;
        m_pass = Pass{criteria, {}};
        goOn();
    });
    connect(&m_model, &QAbstractItemModel::rowsAboutToBeInserted, this,
            [this](const QModelIndex& above, int first, int last) {
                if (!isFiltering()) beginInsertRows(mapFromSource(above), first, last);
            });
    connect(&m_model, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex& above, int first, int last) {
        if (!isFiltering()) return endInsertRows();
        m_rows.resize(layout().nodeCount());
        for (int row = first; row <= last; ++row) check(nodeOf(m_model.index(row, 0, above)));
    });
    connect(&m_model, &QAbstractItemModel::dataChanged, this, &HistoryFilter::changed);
    connect(&m_model, &QAbstractItemModel::headerDataChanged, this, &HistoryFilter::headerDataChanged);
}

// --- filtering -----------------------------------------------------------------------------------------------------------

void HistoryFilter::setFilter(const QString& text, bool isPinnedOnly) {
    const Criteria criteria{text.split(QLatin1Char(' '), Qt::SkipEmptyParts), isPinnedOnly};
    if (m_pass ? m_pass->criteria == criteria : m_shown == criteria) return;
    m_pass = Pass{criteria, {}};
    goOn();
}

bool HistoryFilter::matches(LayoutNode node, const Criteria& criteria) const {
    return (!criteria.isPinnedOnly || m_model.isPinned(node)) && m_model.matches(node, criteria.words);
}

/// Compares states with the filter for a few milliseconds.
void HistoryFilter::goOn() {
    const bool isShort = layout().nodeCount() <= LongestComparedAtOnce;
    QElapsedTimer clock;
    clock.start();
    const auto isOver = [&] { return !isShort && clock.elapsed() >= ComparingMs; };
    while (!m_changed.empty() && !isOver()) {
        const LayoutNode node = m_changed.back();
        m_changed.pop_back();
        check(node);
    }
    if (m_pass && m_pass->criteria.isEmpty()) {
        showOnly(*std::exchange(m_pass, std::nullopt));
    } else if (m_pass) {
        std::vector<bool>& compared = m_pass->matches;
        while (compared.size() < layout().nodeCount() && !isOver())
            compared.push_back(matches(compared.size(), m_pass->criteria));
        if (m_changed.empty() && compared.size() == layout().nodeCount())
            showOnly(*std::exchange(m_pass, std::nullopt));
    }
    if (isWorking())
        m_slices.start();
    else
        m_slices.stop();
}

/// One change of the layout instead of thousands of removed and inserted rows.
void HistoryFilter::showOnly(Pass pass) {
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    m_shown = std::move(pass.criteria);
    m_changed.clear();
    m_rows.clear();
    m_roots.clear();
    if (isFiltering()) listRows(pass.matches);
    QModelIndexList after;
    after.reserve(before.size());
    for (const QModelIndex& index : before) after << indexOf(nodeOf(index), index.column());
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
    Q_EMIT filtered();
}

void HistoryFilter::listRows(const std::vector<bool>& matches) {
    std::vector<bool> isShown = matches;
    for (LayoutNode node = isShown.size(); node-- > 0;) {  // rows come after those they are below
        const LayoutNode above = layout().node(node).parent;
        if (isShown[node] && above != NoLayoutNode) isShown[above] = true;
    }
    m_rows.resize(matches.size());
    const auto list = [&](LayoutNode parent) {
        for (const LayoutNode node : layout().childrenOf(parent)) {
            if (!isShown[node]) continue;
            std::vector<LayoutNode>& siblings = shownBelow(parent);
            m_rows[node].row = siblings.size();
            siblings.push_back(node);
        }
    };
    for (LayoutNode node = 0; node < matches.size(); ++node) m_rows[node].matches = matches[node];
    list(NoLayoutNode);
    for (LayoutNode node = 0; node < matches.size(); ++node) list(node);
}

// --- following the model ---------------------------------------------------------------------------------------------------

void HistoryFilter::changed(const QModelIndex& first, const QModelIndex& last, const QList<int>& roles) {
    const std::vector<LayoutNode>& siblings = layout().childrenOf(nodeOf(first.parent()));
    const bool isShort = layout().nodeCount() <= LongestComparedAtOnce;
    const bool isCompared = isFiltering() || m_pass;
    for (auto row = static_cast<std::size_t>(first.row()); isCompared && row <= static_cast<std::size_t>(last.row());
         ++row) {
        const LayoutNode node = siblings[row];
        if (!isShort)
            m_changed.push_back(node);
        else if (isFiltering())
            check(node);
    }
    if (isWorking()) m_slices.start();
    if (!isFiltering()) {
        Q_EMIT dataChanged(mapFromSource(first), mapFromSource(last), roles);
        return;
    }
    const auto isShown = [this](LayoutNode node) { return rowOf(node) != Hidden; };
    const auto begin = siblings.begin() + first.row();
    const auto end = siblings.begin() + last.row() + 1;
    const auto top = std::find_if(begin, end, isShown);
    if (top == end) return;
    const auto bottom = std::find_if(std::make_reverse_iterator(end), std::make_reverse_iterator(top), isShown);
    Q_EMIT dataChanged(indexOf(*top, first.column()), indexOf(*bottom, last.column()), roles);
}

/// Compares a row with the filter again, and shows or hides it.
void HistoryFilter::check(LayoutNode node) {
    if (m_pass && node < m_pass->matches.size()) m_pass->matches[node] = matches(node, m_pass->criteria);
    if (!isFiltering()) return;
    m_rows[node].matches = matches(node, m_shown);
    const bool isShown = m_rows[node].row != Hidden;
    if (m_rows[node].matches && !isShown) show(node);
    if (!m_rows[node].matches && isShown && m_rows[node].children.empty()) hide(node);
}

/// Inserts the outermost row that is hidden still, with the way from it to the node below it.
void HistoryFilter::show(LayoutNode node) {
    std::vector<LayoutNode> way{node};
    for (LayoutNode above = layout().node(node).parent; above != NoLayoutNode && m_rows[above].row == Hidden;
         above = layout().node(above).parent)
        way.push_back(above);
    const LayoutNode top = way.back();
    std::vector<LayoutNode>& siblings = shownBelow(layout().node(top).parent);
    const auto place = std::ranges::lower_bound(siblings, layout().node(top).row, {},
                                                [this](LayoutNode node) { return layout().node(node).row; });
    const auto row = static_cast<int>(place - siblings.begin());
    beginInsertRows(indexOf(layout().node(top).parent), row, row);
    siblings.insert(place, top);
    for (std::size_t i = static_cast<std::size_t>(row); i < siblings.size(); ++i) m_rows[siblings[i]].row = i;
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
        m_rows[way[i]].row = 0;
        m_rows[way[i + 1]].children = {way[i]};
    }
    endInsertRows();
}

/// Removes the outermost row that was shown only because of the node.
void HistoryFilter::hide(LayoutNode node) {
    std::vector<LayoutNode> way{node};
    for (LayoutNode above = layout().node(node).parent;
         above != NoLayoutNode && !m_rows[above].matches && m_rows[above].children.size() == 1;
         above = layout().node(above).parent)
        way.push_back(above);
    const LayoutNode top = way.back();
    std::vector<LayoutNode>& siblings = shownBelow(layout().node(top).parent);
    const std::size_t row = m_rows[top].row;
    beginRemoveRows(indexOf(layout().node(top).parent), static_cast<int>(row), static_cast<int>(row));
    siblings.erase(siblings.begin() + static_cast<std::ptrdiff_t>(row));
    for (std::size_t i = row; i < siblings.size(); ++i) m_rows[siblings[i]].row = i;
    for (const LayoutNode hidden : way) {
        m_rows[hidden].row = Hidden;
        m_rows[hidden].children.clear();
    }
    endRemoveRows();
}

// --- the rows --------------------------------------------------------------------------------------------------------------

const std::vector<LayoutNode>& HistoryFilter::childrenOf(LayoutNode parent) const {
    if (!isFiltering()) return layout().childrenOf(parent);
    return parent == NoLayoutNode ? m_roots : m_rows[parent].children;
}

std::vector<LayoutNode>& HistoryFilter::shownBelow(LayoutNode parent) {
    return parent == NoLayoutNode ? m_roots : m_rows[parent].children;
}

std::size_t HistoryFilter::rowOf(LayoutNode node) const {
    return isFiltering() ? m_rows[node].row : layout().node(node).row;
}

QModelIndex HistoryFilter::indexOf(LayoutNode node, int column) const {
    if (node == NoLayoutNode) return {};
    const std::size_t row = rowOf(node);
    return row == Hidden ? QModelIndex() : createIndex(static_cast<int>(row), column, static_cast<quintptr>(node));
}

bool HistoryFilter::isContinued(const QModelIndex& index) const {
    const std::vector<LayoutNode>& siblings = childrenOf(nodeOf(index.parent()));
    const auto next = static_cast<std::size_t>(index.row()) + 1;
    return next < siblings.size() && !layout().node(siblings[next]).isBranch;
}

bool HistoryFilter::hasLaterBranch(const QModelIndex& index) const {
    const LayoutNode above = layout().node(nodeOf(index)).parent;
    if (above == NoLayoutNode) return false;
    const LayoutNode last = layout().node(above).lastBranch;
    if (last == NoLayoutNode) return false;
    if (rowOf(last) != Hidden) return rowOf(last) > static_cast<std::size_t>(index.row());
    const std::vector<LayoutNode>& siblings = childrenOf(above);
    return std::any_of(siblings.begin() + index.row() + 1, siblings.end(),
                       [this](LayoutNode node) { return layout().node(node).isBranch; });
}

QModelIndexList HistoryFilter::parents() const {
    QModelIndexList found;
    for (LayoutNode node = 0; node < layout().nodeCount(); ++node) {
        if (!childrenOf(node).empty()) found << indexOf(node);
    }
    return found;
}

QModelIndex HistoryFilter::mapToSource(const QModelIndex& index) const {
    return index.isValid() ? m_model.indexOfNode(nodeOf(index), index.column()) : QModelIndex();
}

QModelIndex HistoryFilter::mapFromSource(const QModelIndex& source) const {
    return indexOf(nodeOf(source), source.column());
}

QModelIndex HistoryFilter::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= HistoryModel::ColumnCount || row >= rowCount(parent)) return {};
    return createIndex(row, column, static_cast<quintptr>(childrenOf(nodeOf(parent))[static_cast<std::size_t>(row)]));
}

QModelIndex HistoryFilter::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOf(layout().node(nodeOf(child)).parent) : QModelIndex();
}

int HistoryFilter::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() && parent.column() != 0) return 0;
    return static_cast<int>(childrenOf(nodeOf(parent)).size());
}

int HistoryFilter::columnCount(const QModelIndex& /*parent*/) const { return HistoryModel::ColumnCount; }

bool HistoryFilter::hasChildren(const QModelIndex& parent) const { return rowCount(parent) > 0; }

/// A tree view looks at every row for rows below it; the flag answers that at once.
Qt::ItemFlags HistoryFilter::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = m_model.flags(mapToSource(index));
    return childrenOf(nodeOf(index)).empty() ? flags | Qt::ItemNeverHasChildren : flags;
}

}  // namespace mitos::views
