// SPDX-License-Identifier: GPL-3.0-or-later
// E-class analyses: what is known of the terms of a class, kept up to date while the graph grows.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mitos::egraph {

class EGraph;

/// An e-node as it was added: it permanently represents one particular term. Its id also identifies the class that it
/// is in.
using ENodeId = StrongId<struct ENodeTag>;

/// The knowledge of an analysis about a class: a number that only the analysis can read.
using Fact = std::uint32_t;
/// Nothing is known. Every analysis has this fact; it is the neutral element of every join.
inline constexpr Fact NoFact = 0xFFFFFFFFU;

/// An analysis of classes as in egg (POPL 2021, section 4): facts form a join-semilattice whose order is "knows more", `make` gives what an
/// operator makes of the facts of its operands, and two classes that become equal have the join of their facts. (In the order of sets of
/// possible values this is the meet: equal terms have one value, and it is in both sets.) EGraph::attach starts an analysis; from then on
/// the graph calls it when nodes are added, when classes become equal, and in `rebuild`, which computes the facts of the nodes above a
/// class again when the class's fact changed. Facts survive copies of the graph and are undone with it.
///
/// Numbers must keep their meaning as long as the analysis exists, because copies of a graph share it. One analysis is used by one thread
/// at a time; `copy` gives the analysis of a graph that is used by another one.
class ClassAnalysis {
public:
    virtual ~ClassAnalysis() = default;

    /// Returns what is known of the node's term, given the facts of its children's classes. May make terms, but must not change the graph.
    [[nodiscard]] virtual Fact make(EGraph& graph, ENodeId node, std::span<const Fact> children) = 0;
    /// Returns what is known of a term that equals a term of which `a` is known, and one of which `b` is known; neither is NoFact.
    /// Must be idempotent, commutative, associative and monotone, or facts depend on the order of unions.
    [[nodiscard]] virtual Fact join(Fact a, Fact b) = 0;
    /// Called by `rebuild` for each class whose fact is known and that has a new fact or new nodes. All facts are up to date but for what
    /// other classes settled just before. May add nodes, unite classes and prune nodes; must do nothing if it is called again.
    virtual void settle(EGraph& graph, ENodeId eclass) {
        static_cast<void>(graph);
        static_cast<void>(eclass);
    }
    /// The same analysis with the same facts, for a graph over a copy of the bank.
    [[nodiscard]] virtual std::shared_ptr<ClassAnalysis> copy(ir::TermBank& bank) const = 0;
};

/// Numbers for facts that are larger than a word. `Value` has == and absl's hash.
template <typename Value>
class FactTable {
public:
    [[nodiscard]] Fact number(Value value) {
        const auto [entry, isNew] = m_numbers.try_emplace(value, static_cast<Fact>(m_values.size()));
        if (isNew) m_values.push_back(std::move(value));
        return entry->second;
    }
    [[nodiscard]] const Value& operator[](Fact fact) const { return m_values[fact]; }

private:
    std::vector<Value> m_values;
    absl::flat_hash_map<Value, Fact> m_numbers;
};

}  // namespace mitos::egraph
