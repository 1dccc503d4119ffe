// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of why two terms are equal, as threads.
#pragma once

#include "core/base/result.h"
#include "core/egraph/egraph.h"
#include "core/rewrite/step.h"

#include <cstddef>
#include <optional>
#include <span>

namespace mitos::egraph {

/// A thread from the program to the term: every step is one instance of a rule at one position, left to right or
/// reversed (from the proof forest of the e-graph, with congruences expanded). Cycles are cut out, so no state occurs
/// twice. Both terms must be in one class, and the graph must have been created with reasons; members that represent
/// exactly these terms are added to it. Every state's variables are bound there: where the proof passes through terms
/// with other variables, a closed term replaces them. The checker accepts the thread. Fails if the terms are not equal
/// in the graph, if an equality was asserted without a rule, or if the proof has more than a million steps or is
/// rejected by the checker.
///
/// In a program that is a graph, a step rewrites a node at all its uses, and its position is the node's first path
/// (explain_shared.h). Then it also fails if no such thread was found; one always exists to a term with one node for
/// each class from an e-graph without cycles.
[[nodiscard]] Result<rewrite::Thread> explain(EGraph& graph, const ir::Program& start, ir::TermId end);

/// A term that can be reached by a thread.
struct Explained {
    std::size_t number = 0;  ///< index of the term in the list
    rewrite::Thread thread;
    std::optional<Error> refused;  ///< why no thread leads to the first term, if another one is explained
};
/// Explains the first of the terms, best first, that has a thread: in programs that are graphs the cheapest may be
/// unreachable by steps, which rewrite a node at all its uses; in trees a rule may have a condition on a variable that
/// is not bound anywhere on the way. Returns the error of the first term if there is no thread to any of them.
[[nodiscard]] Result<Explained> explainFirst(EGraph& graph, const ir::Program& start,
                                             std::span<const ir::TermId> terms);

/// Like `explain`, between the terms of two members of a class.
[[nodiscard]] Result<rewrite::Thread> explainMembers(EGraph& graph, ir::FunctionId function, ENodeId from, ENodeId to);

}  // namespace mitos::egraph
