// SPDX-License-Identifier: GPL-3.0-or-later
// Terms as outlines and as graphs, for every dialect.
#pragma once

#include "core/ir/path.h"
#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

#include <string>
#include <vector>

namespace mitos::ir {

/// The label of a node: the literal, the variable's name, `get$2$3`, the called function, else the operator's name.
/// A bound variable has the name of its binder; `binders` are the binders above the term, outermost first. A variable whose
/// binder is not among them is labelled "bound variable", "bound variable 1 out" (for the next outer binder), …
[[nodiscard]] std::string nodeLabel(const TermBank& bank, TermId term, const std::vector<TermId>& binders);

using NodeLabel = absl::FunctionRef<std::string(const TermBank&, TermId, const std::vector<TermId>&)>;

/// One line per node, indented by depth, children below their parents. `columns` may append text to each label; it is
/// called in pre-order. Binders show the variable they bind. A node of a graph has its line at its first path; other uses show
/// its label with "(above)" and omit the nodes below it.
[[nodiscard]] std::string treeText(const TermBank& bank, TermId root,
                                   absl::FunctionRef<std::string(const Path&, TermId)> columns,
                                   Sharing sharing = Sharing::Tree);

/// The largest number of nodes of a drawing.
inline constexpr std::size_t MostDrawn = 5000;

/// The program in Graphviz's DOT language: one node per occurrence of a tree, or one per distinct node of a graph. Larger
/// drawings are cut at maxNodes and contain a note about it. `label` returns the labels of nodes.
[[nodiscard]] std::string dotText(const TermBank& bank, TermId root, Sharing sharing = Sharing::Tree,
                                  std::size_t maxNodes = MostDrawn, NodeLabel label = nodeLabel);

}  // namespace mitos::ir
