// SPDX-License-Identifier: GPL-3.0-or-later
// The facts of core/facts as an e-class analysis: the transfer rules of the operators, run over the classes of a graph.
#pragma once

#include "core/egraph/egraph.h"
#include "core/ir/abstract_value.h"

#include <memory>
#include <span>

namespace mitos::egraph {

/// Facts that all values of a class have in common. A fact is an ir::ValueId of values(). Equal terms have one value, so a class has the meet
/// of what its members say: x * x and y have a range of numbers that are not negative once they are equal.
///
/// A fact holds wherever every member has a value: a rule that makes an undefined term defined puts a term into the class that may have
/// other values elsewhere (sqrt(x) * sqrt(x) => x). Conditions of rules therefore ask about single terms, as their checker does.
/// Members below binders know nothing of the variables.
class ClassFacts : public ClassAnalysis {
public:
    ClassFacts() : m_values(ir::AbstractValues::Tracks::Numbers) {}

    [[nodiscard]] Fact make(EGraph& graph, ENodeId node, std::span<const Fact> children) override;
    [[nodiscard]] Fact join(Fact a, Fact b) override { return m_values.meet(ir::ValueId(a), ir::ValueId(b)).value; }
    [[nodiscard]] std::shared_ptr<ClassAnalysis> copy(ir::TermBank& bank) const override;

    [[nodiscard]] const ir::AbstractValues& values() const { return m_values; }
    /// The bounds of all numbers in the value of a class.
    [[nodiscard]] ir::ValueRange range(Fact fact) const {
        return fact == NoFact ? ir::ValueRange() : m_values.range(ir::ValueId(fact));
    }

private:
    ir::AbstractValues m_values;
};

}  // namespace mitos::egraph
