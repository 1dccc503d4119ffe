// SPDX-License-Identifier: GPL-3.0-or-later
// An e-graph as the pattern language sees it.
#pragma once

#include "core/egraph/egraph.h"
#include "core/rules/graph_view.h"

namespace mitos::egraph {

/// Places are classes, by their leader; values are representatives. Of a clean graph, until it changes.
class EGraphView final : public rules::ClassView {
public:
    explicit EGraphView(EGraph& graph) : ClassView(graph.bank()), m_graph(graph), m_index(graph.index()) {}

protected:
    [[nodiscard]] std::size_t classSize(rules::PlaceId place) const override {
        return m_index.classEnd[place.value] - m_index.classBegin[place.value];
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
        return ENodeId(m_index.members[m_index.classBegin[place.value] + index]);
    }

    EGraph& m_graph;
    const EGraph::Index& m_index;
};

/// The same with one more place: a tuple whose elements may be any e-nodes at all. The left sides of a rule with several
/// roots match there, as the tuple that they are.
class RootsView final : public rules::GraphView {
public:
    RootsView(EGraph& graph, std::size_t roots);

    [[nodiscard]] rules::PlaceId tuple() const { return Tuple; }

    [[nodiscard]] ir::TermBank& bank() const override { return m_classes.bank(); }
    [[nodiscard]] std::size_t nodeCount(rules::PlaceId place) const override;
    [[nodiscard]] ir::TermId node(rules::PlaceId place, std::size_t index) const override;
    [[nodiscard]] std::size_t childCount(rules::PlaceId place, std::size_t node) const override;
    [[nodiscard]] rules::PlaceId child(rules::PlaceId place, std::size_t node, std::size_t index) const override;
    [[nodiscard]] ir::TermId value(rules::PlaceId place) const override;
    [[nodiscard]] rules::PlaceId placeOf(ir::TermId term) const override;
    [[nodiscard]] rules::PlaceId plainPlace(ir::TermId term) const override { return m_classes.plainPlace(term); }

private:
    static constexpr rules::PlaceId Tuple{0x7FFFFFFFU};
    static constexpr rules::PlaceId Any{0x7FFFFFFEU};

    EGraph& m_graph;
    EGraphView m_classes;
    const EGraph::Index& m_index;
    ir::TermId m_tuple;  ///< of as many elements
};

}  // namespace mitos::egraph
