// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the list of rewrites: single rewrites, and groups of rewrites by one rule that open and close.
#pragma once

#include "views/rewrites/rewrites_model.h"

#include <QAbstractTableModel>
#include <QSet>
#include <vector>

namespace mitos::views {

/// The rewrites of one group in the list's order. Rows are numbers of RewritesModel.
struct RewriteGroup {
    std::vector<int> rows;
    int best = 0;        ///< the row with the least cost after; the first of them if there are several
    double least = 0.0;  ///< changes of the cost
    double most = 0.0;
    bool isOpen = false;
};

/// A flat list over RewritesFilter, in its order. A group stands where its first rewrite is; if it has several rewrites,
/// it is one row, followed by a row for each rewrite while the group is open. A group's row stands for its best rewrite:
/// `rewrite` returns that one, and so do the columns that have no text of their own for groups.
class RewriteGroups : public QAbstractTableModel {
    Q_OBJECT
public:
    RewriteGroups(RewritesModel& model, RewritesFilter& filter, QObject* parent = nullptr);

    /// Whether equal rules are grouped; otherwise every rewrite is a row.
    void setGrouping(bool isGrouping);
    /// Opens or closes the group of this row: the row of the group, or of a rewrite in it. It stays so for other states.
    void setOpen(const QModelIndex& index, bool isOpen);

    [[nodiscard]] const RewriteRow& rewrite(const QModelIndex& index) const { return m_model.rewrite(source(index)); }
    /// The row in RewritesModel of `rewrite(index)`.
    [[nodiscard]] int source(const QModelIndex& index) const { return line(index).source; }
    /// The group whose row this is; null for a single rewrite.
    [[nodiscard]] const RewriteGroup* group(const QModelIndex& index) const;
    /// Whether the row is a rewrite of an open group.
    [[nodiscard]] bool isMember(const QModelIndex& index) const { return line(index).kind == Kind::Member; }
    /// The row of this row of RewritesModel, or that of its group if it is closed; invalid if the filter rejects it.
    [[nodiscard]] QModelIndex find(int source) const;
    /// The row of the group that this row belongs to; invalid if it is in none.
    [[nodiscard]] QModelIndex head(const QModelIndex& index) const;
    /// "▲ +0.1 … +25.6", or one change if all are equal.
    [[nodiscard]] QString changeText(const RewriteGroup& group) const;
    /// The first subterms of the group, shortened, in the reading form: "A[i], B[j], …".
    [[nodiscard]] QString subtermsText(const RewriteGroup& group) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    enum class Kind { Single, Head, Member };
    struct Line {
        int source = 0;
        int group = 0;  ///< RewritesModel::group
        Kind kind = Kind::Single;
    };

    [[nodiscard]] const Line& line(const QModelIndex& index) const {
        return m_lines[static_cast<std::size_t>(index.row())];
    }
    [[nodiscard]] RewriteGroup& groupOf(const Line& line);
    [[nodiscard]] const RewriteGroup& groupOf(const Line& line) const;
    void regroup();
    void add(int first, int last);
    void list();
    template <typename Change>
    void relist(const Change& change);
    [[nodiscard]] QModelIndexList moved(const QModelIndexList& indexes, const std::vector<Line>& lines) const;

    RewritesModel& m_model;
    RewritesFilter& m_filter;
    std::vector<int> m_order;  ///< the filter's rows
    std::vector<RewriteGroup> m_groups;
    std::vector<int> m_groupAt;  ///< by RewritesModel::group; -1: no rewrite of it is shown
    std::vector<Line> m_lines;
    QSet<QString> m_open;
    bool m_isGrouping = true;
};

}  // namespace mitos::views
