// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of a tree search that chose the next rule for an e-graph (egraph-mcts.txt, section 4.1), as an item model.
#pragma once

#include "search/guide_tree.h"

#include <QAbstractItemModel>
#include <QColor>
#include <QString>
#include <memory>
#include <string>
#include <vector>

namespace mitos::views {

/// A row for each node below its parent's, the most visited first; the root is the only top row.
class GuideTreeModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Rule, Visits, Reward, Cost, Nodes, State, ColumnCount };
    /// In the column Visits: the part of the root's visits, 0…1.
    static constexpr int ShareRole = Qt::UserRole;
    /// Whether the node is on the principal line: the chosen child, and from there on always the most visited one.
    static constexpr int PrincipalRole = Qt::UserRole + 1;

    explicit GuideTreeModel(QObject* parent);

    /// `rules` has the names of rules by number. Null: no tree.
    void setTree(std::shared_ptr<const search::GuideTree> tree, std::vector<std::string> rules, const QString& unit);
    [[nodiscard]] const search::GuideTree* tree() const { return m_tree.get(); }
    /// The rules from the root to the node of that index.
    [[nodiscard]] std::vector<std::uint32_t> rulesTo(const QModelIndex& index) const;
    /// The rows of the principal line, the root first.
    [[nodiscard]] std::vector<QModelIndex> principalLine() const;
    [[nodiscard]] QString ruleName(std::uint32_t rule) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(std::size_t node, int column) const;

    std::shared_ptr<const search::GuideTree> m_tree;
    std::vector<std::string> m_rules;
    QString m_unit;
    std::vector<std::vector<std::uint32_t>> m_children;  ///< of each node, the most visited first
    std::vector<int> m_rows;                             ///< of each node among its siblings
    std::vector<bool> m_isPrincipal;
};

}  // namespace mitos::views
