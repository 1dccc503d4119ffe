// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of why two terms are equal, as threads.
#pragma once

#include "core/base/result.h"
#include "core/egraph/egraph.h"
#include "core/rewrite/step.h"

#include <absl/functional/function_ref.h>

#include <optional>

namespace mitos::egraph {

/// Called again and again while an explanation is made; after it returns false, the explanation fails with Cancelled. Every step of a
/// thread makes a state of the program, so explaining takes time and memory proportional to steps times depth.
using MayGoOn = absl::FunctionRef<bool()>;
[[nodiscard]] inline bool always() { return true; }
/// The error of an explanation that may not go on.
[[nodiscard]] inline Error explanationStopped() {
    return {ErrorCode::Cancelled, "explaining it by a thread was stopped"};
}

/// A thread from the program to the term: every step is one instance of a rule at one position, left to right or
/// reversed (from the proof forest of the e-graph, with congruences expanded, and with shortcuts between congruent
/// members). Detours are cut out of every part (rewrite/detours.h), so no state occurs twice. Both terms must be in one class, and the graph must have been created with reasons; members that represent
/// exactly these terms are added to it. Every state's variables are bound there: where the proof passes through terms
/// with other variables, a closed term replaces them. The checker accepts the thread. Fails if the terms are not equal
/// in the graph, if an equality was asserted without a rule, or if the proof has more than 20,000 steps (100,000 in any
/// part before detours are cut out of the whole), or so many deep inside a program that their positions fill the
/// memory, or is rejected by the checker. rewrite::shortened() finds shorter threads from there.
///
/// In a program that is a graph, a step rewrites a node at all its uses, and its position is the node's first path
/// (explain_shared.h). Then it also fails if no such thread was found; one always exists to a term with one node for
/// each class from an e-graph without cycles.
[[nodiscard]] Result<rewrite::Thread> explain(EGraph& graph, const ir::Program& start, ir::TermId end,
                                              MayGoOn mayGoOn = always);

/// A thread towards a term.
struct Approach {
    rewrite::Thread thread;
    std::optional<Error> missing;  ///< why it does not end with the term; then its end is another term of the class
};
/// Like `explain`, but where no steps were found for some places of a graph, these are left as they are.
[[nodiscard]] Result<Approach> approach(EGraph& graph, const ir::Program& start, ir::TermId end,
                                        MayGoOn mayGoOn = always);

/// Like `explain`, between the terms of two members of a class.
[[nodiscard]] Result<rewrite::Thread> explainMembers(EGraph& graph, ir::FunctionId function, ENodeId from, ENodeId to,
                                                     MayGoOn mayGoOn = always);

}  // namespace mitos::egraph
