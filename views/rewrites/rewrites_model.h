// SPDX-License-Identifier: GPL-3.0-or-later
// Table of rewrites, and the filter in front of it.
#pragma once

#include "views/rewrites/rewrite_list.h"

#include <absl/container/flat_hash_map.h>

#include <QAbstractTableModel>
#include <QColor>
#include <QSortFilterProxyModel>
#include <optional>

namespace mitos::views {

class RewritesModel : public QAbstractTableModel {
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
    /// What a column sorts by: a number or a text.
    static constexpr int SortRole = Qt::UserRole;

    /// Colours of a cost that falls or rises, and of remarks.
    struct Colors {
        QColor better;
        QColor worse;
        QColor faint;
    };

    explicit RewritesModel(QObject* parent = nullptr);

    /// Starts over for a state of that cost.
    void clear(double costBefore);
    void append(std::vector<RewriteRow> rows);
    /// Another history: no program has been seen.
    void forgetSeen();
    /// States the history holds besides those said before, with the content hash of their program.
    void addSeen(const std::vector<std::pair<std::uint64_t, rewrite::StateId>>& states);
    void setColors(const Colors& colors);
    /// Directions that failed their test.
    void setFailed(std::vector<eval::DoubtfulRule> failed);

    [[nodiscard]] const RewriteRow& rewrite(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] double costBefore() const { return m_costBefore; }
    [[nodiscard]] double delta(const RewriteRow& row) const;
    /// Whether its rule failed its test, or it takes something for granted.
    [[nodiscard]] bool isDoubtful(const RewriteRow& row) const;
    [[nodiscard]] int cheaper() const { return m_cheaper; }  ///< rows that lower the cost
    /// "distribute →", "distribute ←".
    [[nodiscard]] static QString ruleText(const rules::DirectedRule& rule);
    [[nodiscard]] static QString soundnessText(rules::Soundness soundness);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QVariant text(const RewriteRow& row, int column) const;
    [[nodiscard]] QVariant sortKey(const RewriteRow& row, int column) const;
    [[nodiscard]] QVariant toolTip(const RewriteRow& row, int column) const;

    std::vector<RewriteRow> m_rows;
    absl::flat_hash_map<std::uint64_t, rewrite::StateId> m_seen;
    Colors m_colors;
    std::vector<eval::DoubtfulRule> m_failed;
    double m_costBefore = 0.0;
    int m_cheaper = 0;
};

/// Where rewrites are listed from.
enum class RewriteScope { Anywhere, WithinSelection, AtSelection };

/// Filters by place and text; sorts only when told to, so that nothing moves under the cursor.
class RewritesFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RewritesFilter(RewritesModel& model, QObject* parent = nullptr);

    void setScope(RewriteScope scope, const std::optional<ir::Path>& subterm);
    void setText(const QString& text);
    [[nodiscard]] const RewriteRow& rewrite(const QModelIndex& index) const;

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
