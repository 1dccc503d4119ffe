// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a graph of boxes. A program is a tree, so its tree view is the list that covers all of it.
#pragma once

#include "views/graph/graph_pane.h"
#include "views/program/graph_extract.h"

#include <memory>
#include <optional>

namespace mitos::views {

/// Variables are leaves; the binder of a selected variable (and all uses of a selected binder's variable) are joined by
/// dashed lines. Drawn always, such lines would cross everything and say what nobody asked.
class ProgramGraph : public GraphPane {
    Q_OBJECT
public:
    explicit ProgramGraph(JobRunner& jobs, QWidget* parent = nullptr);

    /// The bank must hold the content's terms as long as the content is shown; null: nothing to show. `sameProgram`:
    /// another state of it. Nothing is laid out before the graph is visible.
    void setContent(std::shared_ptr<const ProgramContent> content, const ir::TermBank* bank, bool sameProgram);
    void setSelected(std::optional<NodeIndex> node, const std::vector<NodeIndex>& occurrences);
    /// Nodes that stand out because the program compared with does not have them.
    void setChanged(std::vector<NodeIndex> nodes);
    [[nodiscard]] const std::vector<NodeIndex>& shownNodes() const { return m_nodes; }
    /// Shows more behind a node, or hides what is behind it.
    void toggle(NodeIndex node);

Q_SIGNALS:
    void chosen(quint32 node);
    void nothingChosen();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void draw();
    void showStates();
    [[nodiscard]] std::optional<GraphIndex> placeOf(NodeIndex node) const;

    std::shared_ptr<const ProgramContent> m_content;
    const ir::TermBank* m_bank = nullptr;
    GraphExtract m_extract;
    std::vector<NodeIndex> m_nodes;  ///< shown, in pre-order: the place is the graph's index
    std::optional<NodeIndex> m_selected;
    std::vector<NodeIndex> m_occurrences;
    std::vector<NodeIndex> m_changed;
    bool m_outdated = false;
    bool m_sameProgram = false;
};

}  // namespace mitos::views
