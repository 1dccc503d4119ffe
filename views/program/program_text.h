// SPDX-License-Identifier: GPL-3.0-or-later
// A program state laid out for showing: its text, and every subterm with its place in the text and in the tree.
#pragma once

#include "core/ir/diff.h"
#include "core/ir/term_bank.h"

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::views {

/// Half-open range of positions in a text.
struct TextRange {
    qsizetype begin = 0;
    qsizetype end = 0;

    friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// Index of a subterm in pre-order; the root is 0. Of a tree every occurrence has one, of a graph every distinct node, at its
/// first path.
using NodeIndex = std::uint32_t;

class ProgramText {
public:
    struct Node {
        ir::TermId term;
        TextRange range;
        NodeIndex parent = 0;   ///< the root's is itself; of a graph, where its first path comes from
        std::uint32_t row = 0;  ///< among its parent's children
    };

    ProgramText() = default;
    /// Prints the program, `columns` wide.
    ProgramText(const ir::TermBank& bank, const ir::Program& program, int columns);

    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] bool isGraph() const { return m_isGraph; }
    [[nodiscard]] const std::vector<Node>& nodes() const { return m_nodes; }
    [[nodiscard]] const ir::Path& path(NodeIndex node) const { return m_paths[node]; }
    [[nodiscard]] QString text(NodeIndex node) const;
    [[nodiscard]] QString text(TextRange range) const { return m_text.mid(range.begin, range.end - range.begin); }
    /// What a row of the tree says: a leaf's text; else what stands before the first child, "let x", "lam i : Integer". Of a
    /// graph the operator.
    [[nodiscard]] QString label(NodeIndex node) const;
    /// Of a graph: what the listing calls the node.
    [[nodiscard]] QString name(NodeIndex node) const;
    /// Any path to it will do.
    [[nodiscard]] std::optional<NodeIndex> find(const ir::Path& path) const;
    /// The innermost subterm whose text covers the position.
    [[nodiscard]] std::optional<NodeIndex> at(qsizetype position) const;
    [[nodiscard]] NodeIndex child(NodeIndex parent, std::uint32_t row) const {
        return m_children[m_firstChild[parent] + row];
    }
    [[nodiscard]] std::uint32_t childCount(NodeIndex node) const { return m_firstChild[node + 1] - m_firstChild[node]; }

    /// The other places where the same term stands with the same meaning: equal terms whose bound variables belong to
    /// the same binders. Includes the node itself; in pre-order. A node of a graph stands nowhere else.
    [[nodiscard]] std::vector<NodeIndex> occurrences(const ir::TermBank& bank, NodeIndex node) const;
    /// Places the text's terms in another bank that holds the same program.
    void retarget(const ir::TermBank& bank, ir::TermId root);

private:
    void findTreeChildren();
    void findGraphChildren(const ir::TermBank& bank);
    [[nodiscard]] std::vector<NodeIndex> bindersAbove(const ir::TermBank& bank, NodeIndex node) const;

    QString m_text;
    bool m_isGraph = false;
    std::vector<QString> m_labels;  // of a graph
    std::vector<Node> m_nodes;
    std::vector<ir::Path> m_paths;
    std::vector<std::uint32_t> m_firstChild;  // one more than nodes
    std::vector<NodeIndex> m_children;
};

/// The stretches of text that belong to nodes of one mark (children of another mark cut out), line by line and in order, without the
/// spaces around them. A line is left out of which nothing but closing brackets belongs to them.
[[nodiscard]] std::vector<TextRange> markedRanges(const ProgramText& text, const std::vector<ir::DiffMark>& marks,
                                                  ir::DiffMark mark);

}  // namespace mitos::views
