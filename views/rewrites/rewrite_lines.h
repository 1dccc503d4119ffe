// SPDX-License-Identifier: GPL-3.0-or-later
// The rewrites of a state, and the lines that the list shows of them: filtered, ordered, grouped. No widgets, so that a job can make them.
#pragma once

#include "views/rewrites/rewrite_list.h"

#include <QHash>
#include <QSet>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace mitos::views {

/// The rewrites of one state in the order of their arrival, with their cost changes and groups. A copy shares the rewrites, so that a job
/// can read it while more of them arrive.
class RewriteRows {
public:
    explicit RewriteRows(double costBefore = 0.0) : m_costBefore(costBefore) {}
    void add(std::vector<RewriteRow> rows);

    [[nodiscard]] std::size_t size() const { return m_rows.size(); }
    [[nodiscard]] const RewriteRow& operator[](int row) const { return *m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] double costBefore() const { return m_costBefore; }
    /// The change of the cost by a row's rewrite; 0 if it is only rounding.
    [[nodiscard]] double delta(int row) const { return m_deltas[static_cast<std::size_t>(row)]; }
    /// The group of a row: rows of one directed rule with the same assumptions are in one group. Counted from 0.
    [[nodiscard]] int group(int row) const { return m_groups[static_cast<std::size_t>(row)]; }
    /// By group, its first row.
    [[nodiscard]] const std::vector<int>& firstRows() const { return m_firstRows; }
    [[nodiscard]] int cheaper() const { return m_cheaper; }  ///< number of rows that lower the cost

private:
    std::vector<std::shared_ptr<const std::vector<RewriteRow>>> m_batches;
    std::vector<const RewriteRow*> m_rows;
    std::vector<double> m_deltas;  // beside the rows, as sorting 50,000 of them reads little else
    std::vector<int> m_groups;
    std::vector<int> m_firstRows;
    QHash<std::pair<const rules::DirectedRule*, QString>, int> m_groupOf;  // by rule and assumptions
    double m_costBefore = 0.0;
    int m_cheaper = 0;
};

/// The part of the program whose rewrites are listed. Without a selection, within it means anywhere.
enum class RewriteScope { Anywhere, WithinSelection, AtSelection };

enum class RewriteOrder { Arrival, Cost, Rule, Place, Size, Soundness };

/// The part and the order of the rewrites that the user asked for.
struct RewriteWishes {
    RewriteScope scope = RewriteScope::Anywhere;
    std::optional<ir::Path> subterm = {};
    QStringList words = {};  ///< each must occur in the rule or the subterm
    RewriteOrder order = RewriteOrder::Arrival;
    bool isGrouping = true;
    QSet<QString> open = {};  ///< keys of open groups (keyOf)
};

/// The rewrites of one group in the list's order.
struct RewriteGroup {
    std::vector<int> rows;
    int best = 0;        ///< the row with the least cost after; the first of them if there are several
    double least = 0.0;  ///< changes of the cost
    double most = 0.0;
    bool isOpen = false;
};

/// A line of the list.
struct RewriteLine {
    enum class Kind { Single, Head, Member };
    int source = 0;  ///< number of the row
    int group = 0;   ///< RewriteRows::group
    Kind kind = Kind::Single;
};

/// The name of a directed rule: "distribute →", "distribute ←".
[[nodiscard]] QString ruleText(const rules::DirectedRule& rule);
/// Identifies a group in other states.
[[nodiscard]] QString keyOf(const RewriteRow& row);

/// A group stands where its first rewrite is; if it has several rewrites, it is one line, followed by a line for each rewrite while the
/// group is open.
class RewriteLines {
public:
    /// The lines of all rows; of some of them only if a stop is requested. `names`: the rules' names by group, for the order by rule.
    [[nodiscard]] static RewriteLines of(const RewriteRows& rows, const RewriteWishes& wishes,
                                         const std::vector<QString>& names, const std::stop_token& stop = {});

    /// Adds the rows that came in since, at the end.
    void add(const RewriteRows& rows, const RewriteWishes& wishes);
    void setOpen(int group, bool isOpen);

    [[nodiscard]] const std::vector<RewriteLine>& lines() const { return m_lines; }
    [[nodiscard]] std::size_t shown() const { return m_order.size(); }  ///< number of rows that are accepted
    [[nodiscard]] std::size_t seen() const {
        return m_isShown.size();
    }  ///< number of rows that were compared with the wishes
    [[nodiscard]] bool isShown(int row) const { return m_isShown[static_cast<std::size_t>(row)]; }
    [[nodiscard]] const RewriteGroup& group(int group) const {
        return m_groups[static_cast<std::size_t>(m_groupAt[static_cast<std::size_t>(group)])];
    }

private:
    void accept(const RewriteRows& rows, const RewriteWishes& wishes, const std::stop_token& stop);
    void group(const RewriteRows& rows, const RewriteWishes& wishes, std::size_t first);
    void list(const RewriteRows& rows);

    std::vector<int> m_order;     // the accepted rows
    std::vector<bool> m_isShown;  // by row
    std::vector<RewriteGroup> m_groups;
    std::vector<int> m_groupAt;  // by RewriteRows::group; -1: no rewrite of it is shown
    std::vector<RewriteLine> m_lines;
    bool m_isGrouping = true;
};

}  // namespace mitos::views
