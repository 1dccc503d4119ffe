// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of programs that are graphs. Private to core/egraph.
#pragma once

#include "core/egraph/explain.h"

namespace mitos::egraph {

/// A thread from the program to the term, both graphs (ir::Sharing::Graph): a step rewrites a node at all its uses, and
/// its position is the node's first path.
///
/// A proof between two terms cannot simply be lifted to graphs: a rewrite below one place shows at all places of the
/// node. So the thread is guided by e-nodes, not by terms. Where a node of the state is another e-node of its class
/// than the target has there, the thread follows the proof forest from the one to the other; congruences need no step,
/// as only the classes of the children matter. An instance on the way only requires that the operators of its rule's
/// side are present below; its variables stand for the terms that the state has in their places. Nodes are corrected
/// from the root down, upper nodes before lower ones, so each class is proven once, however often it is used; what a
/// proof disturbs further down is corrected after it.
///
/// The graph must be clean and contain both terms. A place to which no steps were found is left as it is; that is so, too, if the
/// target has two terms of one class: rewriting a node at all its uses can produce only one.
/// After `mayGoOn` returned false, what is missing is Cancelled.
[[nodiscard]] Approach approachShared(EGraph& graph, const ir::Program& start, ir::TermId end, MayGoOn mayGoOn);

}  // namespace mitos::egraph
