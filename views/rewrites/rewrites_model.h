// SPDX-License-Identifier: GPL-3.0-or-later
// The table of rewrites and its filter, and the nodes that a rewrite affects.
#pragma once

#include "views/common/table_model.h"
#include "views/rewrites/rewrite_list.h"

#include <absl/container/flat_hash_map.h>

#include <QColor>
#include <QHash>
#include <QSortFilterProxyModel>
#include <optional>

namespace mitos::views {

/// The nodes affected by a rewrite, which are highlighted in the program while the pointer is on the rewrite in a list.
struct Touched {
    std::vector<ir::Path> places;  ///< in the program, the roots first
    std::size_t roots = 0;         ///< how many of them are roots
};

/// The roots of the rewrite; in a graph also every node below them that the replacement does not contain. Takes time
/// linear in the program.
[[nodiscard]] Touched touchedPlaces(const ir::TermBank& bank, const ir::Program& program,
                                    const rewrite::Rewrite& rewrite);

class RewritesModel : public TableModel {
    Q_OBJECT
public:
    enum Column {
        RuleColumn,
        DeltaColumn,
        WhereColumn,
        CostColumn,
        SizeColumn,
        SoundnessColumn,
        SeenColumn,
        ColumnCount
    };
    /// The sort key of a cell: a number or a text.
    static constexpr int SortRole = Qt::UserRole;

    /// Colours of falling and rising costs, and of faint text.
    struct Colors {
        QColor better;
        QColor worse;
        QColor faint;
    };

    explicit RewritesModel(QObject* parent = nullptr);

    /// Removes all rows and starts with a state of that cost. Returns the rows, because freeing 50,000 of them takes milliseconds.
    std::vector<RewriteRow> clear(double costBefore);
    void append(std::vector<RewriteRow> rows);
    /// Forgets the known program states, because the history is another one.
    void forgetSeen();
    /// Adds states of the history, each with the content hash of its program.
    void addSeen(const std::vector<std::pair<std::uint64_t, rewrite::StateId>>& states);
    void setColors(const Colors& colors);
    /// Sets the directions that failed their test.
    void setFailed(std::vector<eval::DoubtfulRule> failed);

    [[nodiscard]] const RewriteRow& rewrite(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    /// The group of a row: rows of one directed rule with the same assumptions are in one group. Counted from 0.
    [[nodiscard]] int group(int row) const { return m_groups[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int groupCount() const { return static_cast<int>(m_groupOf.size()); }
    [[nodiscard]] double costBefore() const { return m_costBefore; }
    /// The change of the cost by a row's rewrite; 0 if it is only rounding.
    [[nodiscard]] double delta(int row) const { return m_deltas[static_cast<std::size_t>(row)]; }
    /// Whether the row's rule failed its test, or the rewrite makes an assumption.
    [[nodiscard]] bool isDoubtful(const RewriteRow& row) const;
    [[nodiscard]] int cheaper() const { return m_cheaper; }  ///< number of rows that lower the cost
    /// The name of a directed rule: "distribute →", "distribute ←".
    [[nodiscard]] static QString ruleText(const rules::DirectedRule& rule);
    [[nodiscard]] static QString soundnessText(rules::Soundness soundness);

private:
    [[nodiscard]] std::size_t rows() const override { return m_rows.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] QVariant text(int which, int column) const;
    [[nodiscard]] QVariant sortKey(int which, int column) const;
    [[nodiscard]] QVariant toolTip(const RewriteRow& row, int column) const;

    std::vector<RewriteRow> m_rows;
    std::vector<int> m_groups;
    std::vector<double> m_deltas;  // beside the rows, as sorting 50,000 of them reads little else
    QHash<std::pair<const rules::DirectedRule*, QString>, int> m_groupOf;  ///< by rule and assumptions
    absl::flat_hash_map<std::uint64_t, rewrite::StateId> m_seen;
    Colors m_colors;
    std::vector<eval::DoubtfulRule> m_failed;
    double m_costBefore = 0.0;
    int m_cheaper = 0;
};

/// The part of the program whose rewrites are listed. Without a selection, within it means anywhere.
enum class RewriteScope { Anywhere, WithinSelection, AtSelection };

/// Filters by place and text; sorts only on request, so that rows do not move under the cursor.
class RewritesFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RewritesFilter(RewritesModel& model, QObject* parent = nullptr);

    void setScope(RewriteScope scope, const std::optional<ir::Path>& subterm);
    void setText(const QString& text);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RewritesModel& m_model;
    RewriteScope m_scope = RewriteScope::Anywhere;
    std::optional<ir::Path> m_subterm;
    QStringList m_words;
};

}  // namespace mitos::views
