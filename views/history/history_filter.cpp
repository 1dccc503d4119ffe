// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of the history's rows.
#include "views/history/history_filter.h"

namespace mitos::views {

HistoryFilter::HistoryFilter(HistoryModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
    setRecursiveFilteringEnabled(true);
    setDynamicSortFilter(true);
}

void HistoryFilter::setText(const QString& text) {
    m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidate();
}

void HistoryFilter::setPinnedOnly(bool pinned) {
    m_pinnedOnly = pinned;
    invalidate();
}

bool HistoryFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (!isFiltering()) return true;
    const QModelIndex index = m_model.index(row, HistoryModel::StateColumn, parent);
    return (!m_pinnedOnly || m_model.isPinned(index)) && m_model.matches(index, m_words);
}

}  // namespace mitos::views
