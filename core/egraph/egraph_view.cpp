// SPDX-License-Identifier: GPL-3.0-or-later
// The place of several roots.
#include "core/egraph/egraph_view.h"

#include <vector>

namespace mitos::egraph {

using ir::TermId;
using rules::PlaceId;

RootsView::RootsView(EGraph& graph, std::size_t roots)
    : m_graph(graph),
      m_classes(graph),
      m_index(graph.index()),
      m_tuple(graph.bank().tuple(std::vector<TermId>(roots, graph.bank().boolean(true)))) {}

std::size_t RootsView::nodeCount(PlaceId place) const {
    if (place == Tuple) return 1;
    return place == Any ? m_index.byOp.size() : m_classes.nodeCount(place);
}

TermId RootsView::node(PlaceId place, std::size_t index) const {
    if (place == Tuple) return m_tuple;
    return place == Any ? m_graph.term(ENodeId(m_index.byOp[index])) : m_classes.node(place, index);
}

std::size_t RootsView::childCount(PlaceId place, std::size_t node) const {
    if (place == Tuple || place == Any) return bank().childCount(this->node(place, node));
    return m_classes.childCount(place, node);
}

PlaceId RootsView::child(PlaceId place, std::size_t node, std::size_t index) const {
    if (place == Tuple) return Any;
    if (place == Any) return PlaceId(m_graph.children(ENodeId(m_index.byOp[node]))[index]);
    return m_classes.child(place, node, index);
}

TermId RootsView::value(PlaceId place) const {
    return place == Tuple || place == Any ? m_tuple : m_classes.value(place);
}

PlaceId RootsView::placeOf(TermId term) const {
    const PlaceId place = m_classes.placeOf(term);
    if (!EGraphView::isPlain(place) || bank().op(term) != bank().op(m_tuple) ||
        bank().childCount(term) != bank().childCount(m_tuple)) {
        return place;
    }
    for (std::size_t i = 0; i < bank().childCount(term); ++i) {
        if (!m_graph.lookup(bank().child(term, i)).isValid()) return place;
    }
    return Tuple;
}

}  // namespace mitos::egraph
