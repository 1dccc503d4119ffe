// SPDX-License-Identifier: GPL-3.0-or-later
// Why two terms are equal, as a thread.
#pragma once

#include "core/base/result.h"
#include "core/egraph/egraph.h"
#include "core/rewrite/step.h"

#include <cstddef>
#include <optional>
#include <span>

namespace mitos::egraph {

/// A thread from the program to the term: every step is one instance of a rule at one position, from left to right or reversed
/// (the proof forest of the e-graph, its congruences taken apart). States that come back are cut out, so no state stands
/// twice. Both terms must be in one class, and the graph must have been made with reasons; it gets members that stand for
/// the very terms. Every state's variables are bound there: where the proof passes through terms with others, these
/// stand for a closed term. The thread is one that the checker accepts. Errors: the terms are not equal in the graph; an
/// equality that was asserted without a rule; a proof of more than a million steps, or one that the checker refuses.
///
/// Of a program that is a graph a step rewrites a node wherever it is used, and its position is the node's first path
/// (explain_shared.h). Errors: also, no such way was found; there always is one to a term with one node for each class from an
/// e-graph without cycles.
[[nodiscard]] Result<rewrite::Thread> explain(EGraph& graph, const ir::Program& start, ir::TermId end);

/// A term that a thread leads to.
struct Explained {
    std::size_t number = 0;  ///< in the list
    rewrite::Thread thread;
    std::optional<Error> refused;  ///< why no thread leads to the first term, if it is another one
};
/// The first of the terms, the best first, that is explained: of programs that are graphs the cheapest may be out of reach of steps,
/// which rewrite a node wherever it is used; of trees a rule may ask something of a variable that is bound nowhere on the way.
/// Errors: that of the first, where no thread leads to any.
[[nodiscard]] Result<Explained> explainFirst(EGraph& graph, const ir::Program& start,
                                             std::span<const ir::TermId> terms);

/// As `explain`, between the terms of two members of a class.
[[nodiscard]] Result<rewrite::Thread> explainMembers(EGraph& graph, ir::FunctionId function, ENodeId from, ENodeId to);

}  // namespace mitos::egraph
