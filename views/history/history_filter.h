// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the history that match a filter, and the way to them.
#pragma once

#include "views/history/history_model.h"

#include <QAbstractProxyModel>
#include <QStringList>
#include <QTimer>
#include <limits>
#include <optional>
#include <vector>

namespace mitos::views {

/// Without a filter its rows are those of the model, so that a row costs nothing here however long the history is. Its indexes have the
/// same LayoutNode as those of the model.
///
/// A long history is filtered in slices between events: until all states are compared with the filter, the rows stay as they are. A
/// newer filter replaces one that is in progress.
class HistoryFilter : public QAbstractProxyModel {
    Q_OBJECT
public:
    explicit HistoryFilter(HistoryModel& model, QObject* parent = nullptr);

    /// Every word of the text must occur in a row; filtered() follows, in a short history at once.
    void setFilter(const QString& text, bool isPinnedOnly);
    /// Whether the rows shown are filtered.
    [[nodiscard]] bool isFiltering() const { return !m_shown.isEmpty(); }
    /// Whether states have not been compared with the filter yet.
    [[nodiscard]] bool isWorking() const { return m_pass.has_value() || !m_changed.empty(); }

    [[nodiscard]] HistoryModel& history() const { return m_model; }
    [[nodiscard]] rewrite::StateId state(const QModelIndex& index) const { return m_model.state(mapToSource(index)); }
    /// Whether the row after it on its level, as far as it is shown, continues it.
    [[nodiscard]] bool isContinued(const QModelIndex& index) const;
    /// Whether a later row of its level is a branch, which leaves the state that both are below of.
    [[nodiscard]] bool hasLaterBranch(const QModelIndex& index) const;
    /// The rows that have rows below them.
    [[nodiscard]] QModelIndexList parents() const;

    [[nodiscard]] QModelIndex mapToSource(const QModelIndex& index) const override;
    [[nodiscard]] QModelIndex mapFromSource(const QModelIndex& source) const override;
    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] bool hasChildren(const QModelIndex& parent = {}) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void filtered();  ///< the rows are those of the filter that was set last

private:
    struct Criteria {
        QStringList words;
        bool isPinnedOnly = false;

        [[nodiscard]] bool isEmpty() const { return words.isEmpty() && !isPinnedOnly; }
        friend bool operator==(const Criteria&, const Criteria&) = default;
    };
    /// A filter in progress: the states compared with it so far.
    struct Pass {
        Criteria criteria;
        std::vector<bool> matches;
    };
    static constexpr std::size_t Hidden = std::numeric_limits<std::size_t>::max();
    struct Row {
        bool matches = false;  ///< itself, not only rows below it
        std::size_t row = Hidden;
        std::vector<LayoutNode> children;  ///< those shown
    };

    [[nodiscard]] const HistoryLayout& layout() const { return m_model.layout(); }
    [[nodiscard]] const std::vector<LayoutNode>& childrenOf(LayoutNode parent) const;
    [[nodiscard]] std::vector<LayoutNode>& shownBelow(LayoutNode parent);
    [[nodiscard]] std::size_t rowOf(LayoutNode node) const;
    [[nodiscard]] QModelIndex indexOf(LayoutNode node, int column = 0) const;
    [[nodiscard]] bool matches(LayoutNode node, const Criteria& criteria) const;
    void follow();
    void goOn();
    void showOnly(Pass pass);
    void listRows(const std::vector<bool>& matches);
    void changed(const QModelIndex& first, const QModelIndex& last, const QList<int>& roles);
    void check(LayoutNode node);
    void show(LayoutNode node);
    void hide(LayoutNode node);

    HistoryModel& m_model;
    Criteria m_shown;  ///< the filter of the rows shown
    std::optional<Pass> m_pass;
    std::vector<LayoutNode> m_changed;  ///< states to be compared again
    QTimer m_slices;
    std::vector<Row> m_rows;  ///< by LayoutNode; empty without a filter, as is m_roots
    std::vector<LayoutNode> m_roots;
};

}  // namespace mitos::views
