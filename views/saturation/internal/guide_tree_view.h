// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of the search that chose the rule applied after the iteration shown.
#pragma once

#include "views/document/egraph_document.h"

#include <QWidget>

class QLabel;
class QTreeView;

namespace mitos::views {

class GuideTreeModel;

class GuideTreeView final : public QWidget {
    Q_OBJECT
public:
    GuideTreeView(EGraphDocument& document, QWidget* parent);

    /// Shows the tree of the iteration that the document shows, or of the last one that has a tree.
    void refresh();

private:
    /// The iteration after which the tree's rule was applied.
    [[nodiscard]] std::optional<std::uint32_t> shownIteration() const;
    void open(const QModelIndex& index);
    [[nodiscard]] QString summary(std::uint32_t iteration) const;

    EGraphDocument& m_document;
    GuideTreeModel* m_model;
    QTreeView* m_rows;
    QLabel* m_label;
    std::uint32_t m_iteration = 0;
};

}  // namespace mitos::views
