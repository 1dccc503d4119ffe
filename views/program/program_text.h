// SPDX-License-Identifier: GPL-3.0-or-later
// A program state printed for display: its texts, and every subterm with its range in them and its place in the tree.
#pragma once

#include "core/ir/diff.h"
#include "core/ir/printed_text.h"
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

/// Index of a subterm in pre-order; the root is 0. In a tree every occurrence has an index; in a graph every distinct
/// node, at its first path.
using NodeIndex = std::uint32_t;

class ProgramText {
public:
    /// The two ways to write a program: the exchange form (a listing, if it is a graph), which is read back, and the reading form. The
    /// reading form of a graph is its listing without types, with its weights last.
    enum class Form : std::uint8_t { Exchange, Reading };

    struct Node {
        ir::TermId term;
        NodeIndex parent = 0;   ///< the root is its own parent; in a graph, the parent on its first path
        std::uint32_t row = 0;  ///< among its parent's children
    };

    ProgramText() = default;
    /// Prints the program in both forms, the exchange form `columns` wide.
    ProgramText(const ir::TermBank& bank, const ir::Program& program, int columns);

    [[nodiscard]] const QString& text(Form form = Form::Exchange) const { return printed(form).text; }
    [[nodiscard]] bool isGraph() const { return m_isGraph; }
    [[nodiscard]] const std::vector<Node>& nodes() const { return m_nodes; }
    [[nodiscard]] const ir::NodePlaces& places() const { return m_places; }
    [[nodiscard]] ir::Path path(NodeIndex node) const { return m_places.path(node); }
    [[nodiscard]] TextRange range(NodeIndex node, Form form = Form::Exchange) const {
        return printed(form).ranges[node];
    }
    [[nodiscard]] QString text(NodeIndex node, Form form = Form::Exchange) const;
    [[nodiscard]] QString text(TextRange range, Form form = Form::Exchange) const {
        return text(form).mid(range.begin, range.end - range.begin);
    }
    /// The label of a tree row: a leaf's text; else the text before the first child, "let x", "lam i : Integer". In a
    /// graph, the operator.
    [[nodiscard]] QString label(NodeIndex node) const;
    /// In a graph: the node's name in the listing.
    [[nodiscard]] QString name(NodeIndex node) const;
    /// The node at a path; any path to it is accepted.
    [[nodiscard]] std::optional<NodeIndex> find(const ir::Path& path) const;
    /// The innermost subterm whose text covers the position.
    [[nodiscard]] std::optional<NodeIndex> at(qsizetype position, Form form = Form::Exchange) const;
    [[nodiscard]] NodeIndex child(NodeIndex parent, std::uint32_t row) const {
        return m_children[m_firstChild[parent] + row];
    }
    [[nodiscard]] std::uint32_t childCount(NodeIndex node) const { return m_firstChild[node + 1] - m_firstChild[node]; }

    /// All places where the same term occurs with the same meaning: equal terms whose bound variables belong to the
    /// same binders. Includes the node itself; in pre-order. A node of a graph has only one place.
    [[nodiscard]] std::vector<NodeIndex> occurrences(const ir::TermBank& bank, NodeIndex node) const;

private:
    struct Printed {
        QString text;
        std::vector<TextRange> ranges;  // by node

        Printed() = default;
        explicit Printed(const ir::PrintedText& printed);
    };
    [[nodiscard]] const Printed& printed(Form form) const { return form == Form::Exchange ? m_exchange : m_reading; }
    void findTerms(const ir::TermBank& bank, ir::TermId root);
    void findTreeChildren();
    void findGraphChildren(const ir::TermBank& bank);
    [[nodiscard]] std::vector<NodeIndex> bindersAbove(const ir::TermBank& bank, NodeIndex node) const;

    Printed m_exchange;
    Printed m_reading;
    bool m_isGraph = false;
    std::vector<QString> m_labels;  // of a graph
    std::vector<Node> m_nodes;
    ir::NodePlaces m_places;
    std::vector<std::uint32_t> m_firstChild;  // one more entry than nodes
    std::vector<NodeIndex> m_children;
};

/// The ranges of text that belong to nodes of one mark (without children of another mark), line by line and in order,
/// trimmed of spaces. A line is left out if only closing brackets in it belong to them.
[[nodiscard]] std::vector<TextRange> markedRanges(const ProgramText& text, const std::vector<ir::DiffMark>& marks,
                                                  ir::DiffMark mark,
                                                  ProgramText::Form form = ProgramText::Form::Exchange);

}  // namespace mitos::views
