// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a graph of boxes; the tree beside it is the list that covers all of it.
#pragma once

#include "views/graph/graph_pane.h"
#include "views/program/graph_extract.h"
#include "views/program/graph_picture.h"

#include <memory>
#include <optional>

namespace mitos::views {

/// Of a tree, what stands around the selection is drawn; variables are leaves, and the binder of a selected variable (and all
/// uses of a selected binder's variable) are joined by dashed lines. Drawn always, such lines would cross everything and say
/// what nobody asked. Of a graph all of it is drawn (graph_picture.h), laid out in a job; blocks collapse into one box.
class ProgramGraph : public GraphPane {
    Q_OBJECT
public:
    explicit ProgramGraph(JobRunner& jobs, QWidget* parent = nullptr);

    /// The bank must hold the content's terms as long as the content is shown; null: nothing to show. `sameProgram`:
    /// another state of it. Nothing is laid out before the graph is visible.
    void setContent(std::shared_ptr<const ProgramContent> content, const ir::TermBank* bank, bool sameProgram);
    void setSelected(std::optional<NodeIndex> node, const std::vector<NodeIndex>& occurrences);
    /// Nodes that stand out because the program compared with does not have them; and what of that one is gone, which is drawn
    /// as well (of a graph).
    void setChanged(std::vector<NodeIndex> nodes, std::vector<RemovedNode> removed = {});
    /// What a rewrite that is pointed at, or previewed, replaces, and where it stands: at one place or several.
    void setTouched(std::vector<NodeIndex> nodes, std::vector<NodeIndex> roots);
    /// What is searched for.
    void setFound(std::vector<NodeIndex> nodes);
    /// Expands what hides a node of a graph.
    void uncover(NodeIndex node);
    [[nodiscard]] const std::vector<NodeIndex>& shownNodes() const { return m_nodes; }
    [[nodiscard]] const GraphPicture& picture() const { return m_picture; }
    /// The place of a node, or of the block it is in.
    [[nodiscard]] std::optional<GraphIndex> placeOf(NodeIndex node) const;
    /// Shows more behind a node, or hides what is behind it. Of a graph: its block, or the block it is in.
    void toggle(NodeIndex node);
    void collapseAll();
    void expandAll();

Q_SIGNALS:
    void chosen(quint32 node);
    void nothingChosen();
    void drawn();

protected:
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void addButtons();
    void draw();
    void drawGraph();
    void takePicture(GraphPicture picture, GraphView::Prepared prepared);
    void drawTree();
    void showStates();
    void toggleBox(GraphIndex box);
    void toggleBlock(std::uint32_t block);
    void showFooter();
    [[nodiscard]] bool isGraph() const { return m_content && m_content->text.isGraph(); }

    JobRunner& m_jobs;
    std::shared_ptr<const ProgramContent> m_content;
    const ir::TermBank* m_bank = nullptr;
    GraphExtract m_extract;
    std::vector<NodeIndex> m_nodes;  ///< of a tree: shown, in pre-order: the place is the graph's index
    PictureChoice m_choice;
    GraphPicture m_picture;  ///< of a graph
    std::unique_ptr<QObject> m_query;
    std::optional<NodeIndex> m_selected;
    std::vector<NodeIndex> m_occurrences;
    std::vector<NodeIndex> m_changed;
    std::vector<NodeIndex> m_touched;
    std::vector<NodeIndex> m_roots;
    std::vector<NodeIndex> m_found;
    std::vector<QToolButton*> m_buttons;  ///< that only graphs have
    bool m_outdated = false;
    bool m_sameProgram = false;
};

}  // namespace mitos::views
