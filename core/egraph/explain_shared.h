// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of programs that are graphs. Private to core/egraph.
#pragma once

#include "core/base/result.h"
#include "core/egraph/egraph.h"
#include "core/rewrite/step.h"

namespace mitos::egraph {

/// A thread from the program to the term, both graphs (ir::Sharing::Graph): a step rewrites a node wherever it is used, and
/// stands at the node's first path.
///
/// A proof between two terms cannot simply be lifted to graphs: a rewrite below one place shows at all places of the node. So
/// the thread is led by e-nodes, not by terms. A node of the state that is another e-node of its class than the target has there
/// goes the way through the proof forest from the one to the other; congruences need no step, as the classes of the children
/// are what counts. An instance on the way asks of what stands below only that the operators of its rule's side are there;
/// its variables stand for whatever the state has in their places. Nodes are made right from the root down, those above
/// before those below, so each class is proven once, however often it is used; what a proof turns over further down is made right
/// after it.
///
/// The graph must be clean and have both terms. Errors: as `explain`; also, the target has two terms of one class, of which
/// rewriting a node everywhere can make only one.
[[nodiscard]] Result<rewrite::Thread> explainShared(EGraph& graph, const ir::Program& start, ir::TermId end);

}  // namespace mitos::egraph
