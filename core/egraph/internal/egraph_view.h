// SPDX-License-Identifier: GPL-3.0-or-later
// An e-graph as a graph that rule patterns can be matched on.
#pragma once

#include "core/egraph/egraph.h"
#include "core/rules/matching/graph_view.h"

namespace mitos::egraph {

/// Places are classes, by their leader; values are representatives. The graph must be clean; valid until it changes.
class EGraphView final : public rules::ClassView {
public:
    explicit EGraphView(EGraph& graph) : ClassView(graph.bank()), m_graph(graph), m_index(graph.index()) {}

protected:
    [[nodiscard]] std::size_t classSize(rules::PlaceId place) const override {
        const EGraph::IndexRange range = m_graph.indexRange(ENodeId(place.value));
        return range.end - range.begin;
    }
    [[nodiscard]] ir::TermId classNode(rules::PlaceId place, std::size_t index) const override {
        return m_graph.term(member(place, index));
    }
    [[nodiscard]] rules::PlaceId classChild(rules::PlaceId place, std::size_t node, std::size_t index) const override {
        return rules::PlaceId(m_graph.children(member(place, node))[index]);
    }
    [[nodiscard]] ir::TermId classValue(rules::PlaceId place) const override {
        return m_graph.term(m_graph.best(ENodeId(place.value)));
    }
    [[nodiscard]] rules::PlaceId classOf(ir::TermId term) const override {
        const ENodeId node = m_graph.lookup(term);
        return node.isValid() ? rules::PlaceId(m_graph.find(node).value) : rules::PlaceId();
    }

private:
    [[nodiscard]] ENodeId member(rules::PlaceId place, std::size_t index) const {
        return ENodeId(m_index.members[m_graph.indexRange(ENodeId(place.value)).begin + index]);
    }

    EGraph& m_graph;
    const EGraph::Index& m_index;
};

}  // namespace mitos::egraph
