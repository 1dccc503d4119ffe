// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the history as a graph, as in a log of commits: a lane for every branch with a dot for every state, and rows of two lines.
#pragma once

#include <QStyledItemDelegate>
#include <QTreeView>

namespace mitos::views {

class HistoryFilter;

/// The rows beside the graph: what was done and what it costs; where, and what it changed.
class HistoryRowDelegate final : public QStyledItemDelegate {
public:
    HistoryRowDelegate(HistoryFilter& filter, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;

private:
    HistoryFilter& m_filter;
};

class HistoryTree final : public QTreeView {
public:
    explicit HistoryTree(HistoryFilter& filter, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;

private:
    void fitLanes();

    HistoryFilter& m_filter;
};

}  // namespace mitos::views
