// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of why two terms are equal, as threads.
#pragma once

#include "core/base/result.h"
#include "core/egraph/egraph.h"
#include "core/rewrite/step.h"

#include <optional>

namespace mitos::egraph {

/// A thread from the program to the term: every step is one instance of a rule at one position, left to right or
/// reversed (from the proof forest of the e-graph, with congruences expanded). Cycles are cut out, so no state occurs
/// twice. Both terms must be in one class, and the graph must have been created with reasons; members that represent
/// exactly these terms are added to it. Every state's variables are bound there: where the proof passes through terms
/// with other variables, a closed term replaces them. The checker accepts the thread. Fails if the terms are not equal
/// in the graph, if an equality was asserted without a rule, or if the proof has more than a million steps, or so
/// many deep inside a program that their positions fill the memory, or is rejected by the checker.
///
/// In a program that is a graph, a step rewrites a node at all its uses, and its position is the node's first path
/// (explain_shared.h). Then it also fails if no such thread was found; one always exists to a term with one node for
/// each class from an e-graph without cycles.
[[nodiscard]] Result<rewrite::Thread> explain(EGraph& graph, const ir::Program& start, ir::TermId end);

/// A thread towards a term.
struct Approach {
    rewrite::Thread thread;
    std::optional<Error> missing;  ///< why it does not end with the term; then its end is another term of the class
};
/// Like `explain`, but where no steps were found for some places of a graph, these are left as they are.
[[nodiscard]] Result<Approach> approach(EGraph& graph, const ir::Program& start, ir::TermId end);

/// Like `explain`, between the terms of two members of a class.
[[nodiscard]] Result<rewrite::Thread> explainMembers(EGraph& graph, ir::FunctionId function, ENodeId from, ENodeId to);

}  // namespace mitos::egraph
