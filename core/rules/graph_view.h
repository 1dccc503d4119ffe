// SPDX-License-Identifier: GPL-3.0-or-later
// What patterns are matched against: a graph of places, each of which offers one node or several.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/term_bank.h"

#include <cstddef>

namespace mitos::rules {

/// A place of a graph. In a program a place is a term; in an e-graph it is a class, whose nodes are a choice point each.
using PlaceId = StrongId<struct PlaceTag>;

/// Reads a graph. Nodes and values are terms of the view's bank: the operator, the payload, the type and the name hint of a
/// node are those of its term, only its children are asked for here. The value of a place is what a variable is bound to;
/// equal places have equal values, so that variables that stand twice can be compared.
class GraphView {
public:
    virtual ~GraphView() = default;

    [[nodiscard]] virtual ir::TermBank& bank() const = 0;
    /// At least 1; the nodes are tried in this order.
    [[nodiscard]] virtual std::size_t nodeCount(PlaceId place) const = 0;
    [[nodiscard]] virtual ir::TermId node(PlaceId place, std::size_t index) const = 0;
    [[nodiscard]] virtual std::size_t childCount(PlaceId place, std::size_t node) const = 0;
    [[nodiscard]] virtual PlaceId child(PlaceId place, std::size_t node, std::size_t index) const = 0;
    [[nodiscard]] virtual ir::TermId value(PlaceId place) const = 0;
    /// The place of a value that `value` gave, or of a literal: where match constraints and attributes go on.
    [[nodiscard]] virtual PlaceId placeOf(ir::TermId value) const = 0;
};

/// A program: every term is a place with one node, itself.
class ProgramView final : public GraphView {
public:
    explicit ProgramView(ir::TermBank& bank) : m_bank(bank) {}

    [[nodiscard]] ir::TermBank& bank() const override { return m_bank; }
    [[nodiscard]] std::size_t nodeCount(PlaceId /*place*/) const override { return 1; }
    [[nodiscard]] ir::TermId node(PlaceId place, std::size_t /*index*/) const override { return value(place); }
    [[nodiscard]] std::size_t childCount(PlaceId place, std::size_t /*node*/) const override {
        return m_bank.childCount(value(place));
    }
    [[nodiscard]] PlaceId child(PlaceId place, std::size_t /*node*/, std::size_t index) const override {
        return placeOf(m_bank.child(value(place), index));
    }
    [[nodiscard]] ir::TermId value(PlaceId place) const override { return ir::TermId(place.value); }
    [[nodiscard]] PlaceId placeOf(ir::TermId value) const override { return PlaceId(value.value); }

private:
    ir::TermBank& m_bank;
};

}  // namespace mitos::rules
