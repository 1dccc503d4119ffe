// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of states laid out as rows, and the item model of these rows, with each state's rule, cost and marks.
#pragma once

#include "views/document/document.h"
#include "views/document/gain_text.h"

#include <QAbstractItemModel>
#include <QColor>
#include <QHash>
#include <QIcon>
#include <QList>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace mitos::views {

/// Number of a row in the layout, in order of creation. A row never leaves the row that it is below of; the layout only grows.
using LayoutNode = std::size_t;
inline constexpr LayoutNode NoLayoutNode = std::numeric_limits<LayoutNode>::max();

/// The kinds of rows. Runs and repetitions are groups of states.
enum class RowKind {
    State,
    Repetition,  ///< states of a run that the same step led to, one after the other
    Run,
};

/// The first child of a state continues on its level, in the next row there; every further child opens a branch below it, after the
/// branches that are there. So the rows of a chain of states follow each other, whatever began after it. The states that one run added are below one row for the run, which can be folded. Within it, states with consecutive numbers that steps of the same name led
/// to (rewrite::repeats), each the first child of the one before, are below one row for the repetition. A repetition begins only if its
/// second state is in the history when the first one is laid out, because rows stay below the row that they were created in.
class HistoryLayout {
public:
    struct Node {
        rewrite::StateId state;  ///< a group's row: the last state of the group so far
        rewrite::StateId first;  ///< a group's row: its first state; else the state itself
        RowKind kind = RowKind::State;
        bool isBranch = false;  ///< leaves a state that already has another continuation
        LayoutNode parent = NoLayoutNode;
        std::size_t row = 0;    ///< among the parent's children
        std::size_t steps = 0;  ///< a group's row: number of its states
        std::vector<LayoutNode> children;
        LayoutNode lastBranch = NoLayoutNode;  ///< the last of the children that is a branch

        /// Whether the row is for several states: a run or a repetition.
        [[nodiscard]] bool isGroup() const { return kind != RowKind::State; }
    };

    /// Number of states laid out; they are laid out in order of id.
    [[nodiscard]] std::size_t stateCount() const { return m_byState.size(); }
    [[nodiscard]] std::size_t nodeCount() const { return m_nodes.size(); }
    [[nodiscard]] const Node& node(LayoutNode id) const { return m_nodes[id]; }
    [[nodiscard]] const std::vector<LayoutNode>& roots() const { return m_roots; }
    [[nodiscard]] const std::vector<LayoutNode>& childrenOf(LayoutNode parent) const {
        return parent == NoLayoutNode ? m_roots : m_nodes[parent].children;
    }
    [[nodiscard]] LayoutNode nodeOf(rewrite::StateId state) const { return m_byState[state.value]; }
    /// The row of the run that contains a state, or nothing.
    [[nodiscard]] LayoutNode runOf(rewrite::StateId state) const { return groupOf(state, RowKind::Run); }
    /// The row of the repetition that contains a state, or nothing.
    [[nodiscard]] LayoutNode repetitionOf(rewrite::StateId state) const { return groupOf(state, RowKind::Repetition); }

    /// Lays out the next state, whose id is stateCount(): creates its row, after those of the groups that it opens. Each row is created by
    /// `insert(parent, row, add)`, which calls `add()`; `row` is its number among the rows below the parent.
    template <typename Insert>
    void addNext(const rewrite::History& history, Insert insert) {
        Placement placement = nextPlacement(history);
        const rewrite::StateId next(static_cast<std::uint32_t>(stateCount()));
        const auto addRow = [&](RowKind kind) {
            const std::size_t row =
                std::exchange(placement.row, std::nullopt).value_or(childrenOf(placement.parent).size());
            insert(placement.parent, row, [&] {
                placement.parent = add(kind, placement.parent, row, next, std::exchange(placement.isBranch, false));
            });
        };
        if (placement.opensRun) addRow(RowKind::Run);
        if (placement.opensRepetition) addRow(RowKind::Repetition);
        addRow(RowKind::State);
    }

private:
    /// The place of a new state: the rows to create for it.
    struct Placement {
        LayoutNode parent = NoLayoutNode;  ///< the row below which the outermost new row will be
        std::optional<std::size_t> row;    ///< its number there; nothing: it comes last
        bool opensRun = false;
        bool opensRepetition = false;
        bool isBranch = false;
    };

    [[nodiscard]] LayoutNode groupOf(rewrite::StateId state, RowKind kind) const;
    [[nodiscard]] Placement nextPlacement(const rewrite::History& history) const;
    LayoutNode add(RowKind kind, LayoutNode parent, std::size_t row, rewrite::StateId state, bool isBranch);

    std::vector<Node> m_nodes;
    std::vector<LayoutNode> m_roots;
    std::vector<LayoutNode> m_byState;
};

/// A row as it is drawn.
struct HistoryRow {
    RowKind kind = RowKind::State;
    QString title;   ///< the rule, the repeated step with its number, the run's strategy, or the state's name
    QString marks;   ///< signs in front of the title: pinned, a note, compared with
    QString detail;  ///< where, or how many steps
    QString cost;
    /// How much the step changed the cost, "▼ −256". A run, and the best state, show the gain against the start of the program instead,
    /// "▼ −94.3 %": every percentage of the history is against the start. Empty for the start.
    QString change;
    double delta = 0.0;      ///< what `change` shows, in units of cost
    std::size_t steps = 0;   ///< of a group; 0 if the row is a state
    bool isBest = false;     ///< of a repetition: whether one of its states is the best
    bool holdsBest = false;  ///< the best state is this one, or in a row below this one
    bool isBranch = false;   ///< begins at the state that its row is below of, not at the state in the row before it
    bool isCurrent = false;
    QIcon tag;
};

/// Follows the document. New states insert rows. A step updates only the few rows that change with
/// it, however long the history is.
class HistoryModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { StateColumn, CostColumn, DeltaColumn, NumberColumn, ColumnCount };

    struct Colors {
        QColor better;
        QColor worse;
        QColor faint;
        QList<QIcon> tags;  ///< for the marks' colours 1, 2, …
    };

    explicit HistoryModel(Document& document, QObject* parent = nullptr);

    void setColors(const Colors& colors);
    void setCompared(std::optional<rewrite::StateId> state);
    [[nodiscard]] rewrite::StateId state(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(rewrite::StateId state) const;
    /// The outermost row that ends with the state: that of its run or of its repetition, else the state's own row. `isCandidate` can exclude
    /// rows of groups, those that are unfolded for instance.
    [[nodiscard]] QModelIndex outermostIndexOf(rewrite::StateId state,
                                               const std::function<bool(const QModelIndex&)>& isCandidate = {}) const;
    /// Whether the row is for several states: a run or a repetition.
    [[nodiscard]] bool isGroup(const QModelIndex& index) const;
    [[nodiscard]] HistoryRow row(const QModelIndex& index) const;
    /// A key for the row that is stable across sessions: "12" for a state, "r12" for the run that begins with it, "x12" for the repetition.
    [[nodiscard]] QString key(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOfKey(const QString& key) const;
    [[nodiscard]] const HistoryLayout& layout() const { return m_layout; }
    /// Whether a history that was opened has no rows yet.
    [[nodiscard]] bool isLayingOut() const { return m_layoutTimer.isActive(); }
    [[nodiscard]] QModelIndex indexOfNode(LayoutNode node, int column = 0) const;
    /// Whether every word occurs in the row's text, note or number.
    [[nodiscard]] bool matches(LayoutNode node, const QStringList& words) const;
    [[nodiscard]] bool isPinned(LayoutNode node) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void reset();
    void layOut();
    void layOutNext(HistoryLayout& layout) const;
    void refreshNode(LayoutNode node);
    void grow();
    void moveCurrent();
    void findPlaces();
    void refresh();
    void refreshRows(rewrite::StateId state);
    void addRow(LayoutNode parent, std::size_t row, const std::function<void()>& add);
    [[nodiscard]] bool holdsBest(LayoutNode node) const;
    [[nodiscard]] const HistoryLayout::Node& nodeAt(const QModelIndex& index) const;
    [[nodiscard]] QString placeOf(rewrite::StateId id) const;
    [[nodiscard]] QString seenPlaceOf(rewrite::StateId id) const;
    [[nodiscard]] QString stateText(const HistoryLayout::Node& node) const;
    [[nodiscard]] QString markSigns(const HistoryLayout::Node& node) const;
    /// The gain of a run's or a repetition's last state, or of a state; the run's own beginning is that of its first state.
    [[nodiscard]] RunGain gain(const HistoryLayout::Node& node) const;
    [[nodiscard]] QString ruleText(const rewrite::HistoryState& state) const;
    [[nodiscard]] QString runTitle(const rewrite::HistoryState& state) const;
    [[nodiscard]] QString repetitionTitle(const HistoryLayout::Node& node) const;
    [[nodiscard]] QString toolTip(const HistoryLayout::Node& node) const;
    [[nodiscard]] double change(const HistoryLayout::Node& node) const;
    [[nodiscard]] bool isBest(const HistoryLayout::Node& node) const;

    Document& m_document;
    /// Places of the steps that lead to the first states, by state number. Finding one walks over the program, so they
    /// are computed a few at a time.
    QList<QString> m_places;
    mutable QHash<std::uint32_t, QString> m_seenPlaces;  ///< by state
    QTimer m_placesTimer;
    HistoryLayout m_layout;
    /// A long history that was opened is laid out a few thousand states at a time, and has no rows until then.
    HistoryLayout m_nextLayout;
    QTimer m_layoutTimer;
    rewrite::StateId m_best;  // cached, because finding it visits all states
    rewrite::StateId m_current;
    std::optional<rewrite::StateId> m_compared;
    Colors m_colors;
};

}  // namespace mitos::views
