// SPDX-License-Identifier: GPL-3.0-or-later
// Filters the rows of the history by words or pins, and keeps their ancestors.
#pragma once

#include "views/history/history_model.h"

#include <QSortFilterProxyModel>

namespace mitos::views {

class HistoryFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit HistoryFilter(HistoryModel& model, QObject* parent = nullptr);

    void setText(const QString& text);
    void setPinnedOnly(bool pinned);
    /// Whether the filter may hide rows.
    [[nodiscard]] bool isFiltering() const { return m_pinnedOnly || !m_words.isEmpty(); }

    [[nodiscard]] HistoryModel& history() const { return m_model; }
    [[nodiscard]] rewrite::StateId state(const QModelIndex& index) const { return m_model.state(mapToSource(index)); }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    HistoryModel& m_model;
    QStringList m_words;
    bool m_pinnedOnly = false;
};

}  // namespace mitos::views
