// SPDX-License-Identifier: GPL-3.0-or-later
// Terms as outlines and as graphs, for every dialect.
#pragma once

#include "core/ir/path.h"
#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

#include <string>
#include <vector>

namespace mitos::ir {

/// What a node shows: the literal, the variable's name, `get$2$3`, the called function, else the operator's name.
/// Bound variables show the name their binder was given; `binders` are those above the term, outermost first. A variable of a
/// binder that is not among them is "bound variable", "bound variable 1 out" (of the binder around that), …
[[nodiscard]] std::string nodeLabel(const TermBank& bank, TermId term, const std::vector<TermId>& binders);

using NodeLabel = absl::FunctionRef<std::string(const TermBank&, TermId, const std::vector<TermId>&)>;

/// One line a node, indented by depth, children below their parents. `columns` may add text behind each label (it is
/// called in pre-order); binders show the variable they bind. Of a graph each node has its line at its first path; where it
/// is used again, its label stands with "(above)" and without what is below it.
[[nodiscard]] std::string treeText(const TermBank& bank, TermId root,
                                   absl::FunctionRef<std::string(const Path&, TermId)> columns,
                                   Sharing sharing = Sharing::Tree);

/// Nodes of a drawing.
inline constexpr std::size_t MostDrawn = 5000;

/// In Graphviz's language: of a tree one node an occurrence, of a graph one a distinct node. Larger ones are cut at
/// maxNodes, and say so. `label`: what nodes show.
[[nodiscard]] std::string dotText(const TermBank& bank, TermId root, Sharing sharing = Sharing::Tree,
                                  std::size_t maxNodes = MostDrawn, NodeLabel label = nodeLabel);

}  // namespace mitos::ir
