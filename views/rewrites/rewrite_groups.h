// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the list of rewrites: single rewrites, and groups of rewrites by one rule that open and close.
#pragma once

#include "views/job_runner/job_runner.h"
#include "views/rewrites/rewrites_model.h"

#include <QAbstractTableModel>
#include <vector>

namespace mitos::views {

/// A flat list over RewritesModel: what the user wishes to see (RewriteWishes), in groups (RewriteLines). A group's row stands for its best
/// rewrite: `rewrite` returns that one, and so do the columns that have no text of their own for groups.
///
/// Thousands of rows are filtered and ordered in a job: until it is done, the list stays as it is; a newer wish drops the older one.
/// Indexes follow their rewrites.
class RewriteGroups : public QAbstractTableModel {
    Q_OBJECT
public:
    RewriteGroups(RewritesModel& model, JobRunner& jobs, QObject* parent = nullptr);
    ~RewriteGroups() override;

    void setScope(RewriteScope scope, const std::optional<ir::Path>& subterm);
    void setText(const QString& text);
    /// Rows that arrive later come last. Rows do not move when the rewrites' data change.
    void setOrder(RewriteOrder order);
    /// Whether equal rules are grouped; otherwise every rewrite is a row.
    void setGrouping(bool isGrouping);
    /// Opens or closes the group of this row: the row of the group, or of a rewrite in it. It stays so for other states.
    void setOpen(const QModelIndex& index, bool isOpen);
    /// Whether the rows are not yet as they were wished last.
    [[nodiscard]] bool isArranging() const { return m_job != 0; }

    [[nodiscard]] const RewriteRow& rewrite(const QModelIndex& index) const { return m_model.rewrite(source(index)); }
    /// The row in RewritesModel of `rewrite(index)`.
    [[nodiscard]] int source(const QModelIndex& index) const { return line(index).source; }
    /// Number of rewrites that the filter accepts, in groups or not.
    [[nodiscard]] int shown() const { return static_cast<int>(m_lines.shown()); }
    /// The group whose row this is; null for a single rewrite.
    [[nodiscard]] const RewriteGroup* group(const QModelIndex& index) const;
    /// Whether the row is a rewrite of an open group.
    [[nodiscard]] bool isMember(const QModelIndex& index) const {
        return line(index).kind == RewriteLine::Kind::Member;
    }
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

Q_SIGNALS:
    void arranged();  ///< the rows are as they were wished last

private:
    [[nodiscard]] const RewriteLine& line(const QModelIndex& index) const {
        return m_lines.lines()[static_cast<std::size_t>(index.row())];
    }
    void arrange();
    void take(RewriteLines made);
    template <typename Change>
    void relist(const Change& change);
    [[nodiscard]] QModelIndexList moved(const QModelIndexList& indexes, const std::vector<RewriteLine>& before) const;

    RewritesModel& m_model;
    JobRunner& m_jobs;
    RewriteWishes m_wishes;
    RewriteLines m_lines;
    JobId m_job = 0;
};

}  // namespace mitos::views
