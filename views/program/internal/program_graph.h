// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a graph of boxes; the tree beside it lists all of the program.
#pragma once

#include "views/graph/graph_pane.h"
#include "views/job_runner/query.h"
#include "views/program/internal/graph_picture.h"

#include <memory>
#include <optional>

namespace mitos::views {

/// For a tree it draws the surroundings of the selection; each variable is drawn once, and a dashed line joins it to its binder while one
/// of both is selected. A graph is drawn completely (graph_picture.h) and laid out in a job; its blocks collapse
/// into one box each.
class ProgramGraph : public GraphPane {
    Q_OBJECT
public:
    explicit ProgramGraph(JobRunner& jobs, QWidget* parent = nullptr);

    /// The bank must hold the content's terms as long as the content is shown; null content shows nothing.
    /// `sameProgram`: it is another state of the same program. Nothing is laid out before the graph is visible.
    void setContent(std::shared_ptr<const ProgramContent> content, const ir::TermBank* bank, bool sameProgram);
    void setSelected(std::optional<NodeIndex> node, const std::vector<NodeIndex>& occurrences);
    /// Highlights nodes that the compared program does not have; in a graph, the nodes that only the compared program
    /// has are drawn as well.
    void setChanged(std::vector<NodeIndex> nodes, std::vector<RemovedNode> removed = {});
    /// Highlights the nodes replaced by a rewrite that is previewed or under the pointer, and its roots (one or several).
    void setTouched(std::vector<NodeIndex> nodes, std::vector<NodeIndex> roots);
    /// Draws the heat of every box in place of the colour of its family: of a block and of a variable that of the hottest of its nodes. Null: none.
    void setGain(std::shared_ptr<const ShownGain> gain);
    /// Draws regions of a graph as frames, and opens the blocks that hide their operators.
    void setRegions(std::vector<PictureRegion> regions);
    /// Emphasizes a region, and scrolls to it.
    void setChosenRegion(std::optional<std::size_t> region);
    /// Highlights the nodes that match the search.
    void setFound(std::vector<NodeIndex> nodes);
    /// Makes a node of a graph visible: expands the blocks that hide it, or shows the weights.
    void uncover(NodeIndex node);
    [[nodiscard]] const std::vector<NodeIndex>& shownNodes() const { return m_nodes; }
    [[nodiscard]] const GraphPicture& picture() const { return m_picture; }
    /// Shows more nodes behind a node, or hides those behind it. In a graph it toggles the node's block, or the block that contains it.
    void toggle(NodeIndex node);
    void collapseAll();
    void expandAll();

Q_SIGNALS:
    void chosen(quint32 node);
    void nothingChosen();
    void regionChosen(int region);  ///< by the title of its frame
    void drawn();

protected:
    void showEvent(QShowEvent* event) override;
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
    bool open(NodeIndex node);
    void showFooter();
    void showHeat();
    void showChosenRegion();
    void showLegend();
    void markFamily(int fill);
    [[nodiscard]] bool isGraph() const { return m_content && m_content->text.isGraph(); }

    JobRunner& m_jobs;
    std::shared_ptr<const ProgramContent> m_content;
    const ir::TermBank* m_bank = nullptr;
    GraphExtract m_extract;
    std::vector<NodeIndex> m_nodes;  ///< of a tree: shown, in pre-order
    PictureChoice m_choice;
    GraphPicture m_picture;
    Query m_query{m_jobs};
    std::optional<NodeIndex> m_selected;
    std::vector<NodeIndex> m_occurrences;
    std::vector<NodeIndex> m_changed;
    std::vector<NodeIndex> m_touched;
    std::vector<NodeIndex> m_roots;
    std::vector<NodeIndex> m_found;
    std::shared_ptr<const ShownGain> m_gain;
    std::optional<std::size_t> m_chosenRegion;
    std::vector<QToolButton*> m_buttons;  ///< shown only for graphs
    QToolButton* m_weights = nullptr;     ///< one of them, shown only where there are weights
    bool m_outdated = false;
    bool m_sameProgram = false;
};

}  // namespace mitos::views
