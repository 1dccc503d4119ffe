// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saturation/internal/guide_tree_view.h"

#include "views/common/format.h"
#include "views/common/share_delegate.h"
#include "views/common/widgets.h"
#include "views/saturation/internal/guide_tree_model.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeView>

namespace mitos::views {

GuideTreeView::GuideTreeView(EGraphDocument& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_model(new GuideTreeModel(this)),
      m_rows(new QTreeView(this)),
      m_label(new QLabel(this)) {
    setUpPlainLabel(m_label, "guideTreeLabel");
    m_label->setWordWrap(true);
    setUpWidget(m_rows, "guideTree", tr("Enter or a double click shows the e-graph that the rules lead to"),
                tr("Tree of the search"));
    m_rows->setModel(m_model);
    m_rows->setFrameShape(QFrame::NoFrame);
    m_rows->setUniformRowHeights(true);
    m_rows->setAllColumnsShowFocus(true);
    m_rows->setExpandsOnDoubleClick(false);
    m_rows->setItemDelegateForColumn(GuideTreeModel::Visits, new ShareDelegate(GuideTreeModel::ShareRole, m_rows));
    m_rows->header()->setStretchLastSection(true);
    fillColumn(this, {m_label, {m_rows, 1}}, {.margins = NoMargins, .spacing = 2});
    connect(m_rows, &QTreeView::activated, this, &GuideTreeView::open);
}

std::optional<std::uint32_t> GuideTreeView::shownIteration() const {
    for (std::uint32_t iteration = m_document.iteration() + 1; iteration > 0; --iteration) {
        if (m_document.treeAfter(iteration - 1)) return iteration - 1;
    }
    return std::nullopt;
}

void GuideTreeView::refresh() {
    const std::optional<std::uint32_t> iteration = shownIteration();
    const std::shared_ptr<const search::GuideTree> tree = iteration ? m_document.treeAfter(*iteration) : nullptr;
    if (tree.get() == m_model->tree()) return;
    m_iteration = iteration.value_or(0);
    m_model->setTree(tree, m_document.report().rules, m_document.costUnit());
    m_label->setText(tree ? summary(m_iteration) : QString());
    if (!tree) return;
    for (const QModelIndex& index : m_model->principalLine()) m_rows->expand(index);
    constexpr int Gap = 16;
    for (int column = 0; column + 1 < GuideTreeModel::ColumnCount; ++column) {
        m_rows->resizeColumnToContents(column);
        m_rows->setColumnWidth(column, m_rows->columnWidth(column) + Gap);
    }
}

QString GuideTreeView::summary(std::uint32_t iteration) const {
    const search::GuideTree& tree = *m_model->tree();
    QString text =
        tr("For iteration %L1: %L2 visits of %L3 e-graphs; %4 was chosen, whose average reward was the highest")
            .arg(iteration + 1)
            .arg(tree.nodes.front().visits)
            .arg(tree.nodes.size() - 1 + tree.leftOut)
            .arg(m_model->ruleName(tree.nodes[tree.chosen].rule));
    if (tree.leftOut > 0) text += tr(" · %L1 of the least visited are not shown").arg(tree.leftOut);
    return text;
}

void GuideTreeView::open(const QModelIndex& index) {
    const std::vector<std::uint32_t> rules = m_model->rulesTo(index);
    if (rules.empty()) return m_document.showNearest(m_iteration);
    m_document.showTried(m_iteration, rules);
}

}  // namespace mitos::views
