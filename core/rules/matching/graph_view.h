// SPDX-License-Identifier: GPL-3.0-or-later
// The interface that patterns are matched against: a graph of places, each of which offers one node or several.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/term_bank.h"

#include <cstddef>
#include <cstdint>

namespace mitos::rules {

/// A place of a graph. In a program a place is a term; in an e-graph it is an e-class, at which the choice of a node is a choice point.
using PlaceId = StrongId<struct PlaceTag>;

/// Reads a graph. Nodes and values are terms of the view's bank: the operator, the payload, the type and the name hint of a
/// node are those of its term; only its children are read through the view. The value of a place is the term that a variable is bound to:
/// one that the place represents, and the same one in every call while the graph does not change. A value should mention few bound
/// variables, because the values of variables must not mention those that the pattern binds around them.
class GraphView {
public:
    virtual ~GraphView() = default;

    [[nodiscard]] virtual ir::TermBank& bank() const = 0;
    /// The number of nodes at the place, at least 1; they are tried in order.
    [[nodiscard]] virtual std::size_t nodeCount(PlaceId place) const = 0;
    [[nodiscard]] virtual ir::TermId node(PlaceId place, std::size_t index) const = 0;
    [[nodiscard]] virtual std::size_t childCount(PlaceId place, std::size_t node) const = 0;
    [[nodiscard]] virtual PlaceId child(PlaceId place, std::size_t node, std::size_t index) const = 0;
    [[nodiscard]] virtual ir::TermId value(PlaceId place) const = 0;
    /// The place that represents a term; plainPlace for a term that the graph does not represent (for example, a value that was moved
    /// to other binders). Match constraints continue there, and the occurrences of a repeated variable are compared by their places.
    [[nodiscard]] virtual PlaceId placeOf(ir::TermId term) const = 0;
    /// A place for the term itself, whatever the graph contains: one node, over the places of the term's children; its value is
    /// the term. Attributes are matched at such places, because their values are literals, not terms equal to the literals.
    [[nodiscard]] virtual PlaceId plainPlace(ir::TermId term) const = 0;
};

/// Whether the place represents the term, as far as the view's value and placeOf tell.
template <typename View>
[[nodiscard]] bool represents(const View& view, PlaceId place, ir::TermId term) {
    return view.value(place) == term || view.placeOf(term) == place;
}

/// A program: every term is a place whose only node is the term itself.
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
    [[nodiscard]] PlaceId placeOf(ir::TermId term) const override { return PlaceId(term.value); }
    [[nodiscard]] PlaceId plainPlace(ir::TermId term) const override { return placeOf(term); }

private:
    ir::TermBank& m_bank;
};

/// Classes of equal terms, and in addition a plain place for every term of the bank. A derived class numbers its classes below 2^31 and
/// implements the functions that describe them.
class ClassView : public GraphView {
public:
    explicit ClassView(ir::TermBank& bank) : m_bank(bank) {}

    [[nodiscard]] ir::TermBank& bank() const final { return m_bank; }
    [[nodiscard]] std::size_t nodeCount(PlaceId place) const final { return isPlain(place) ? 1 : classSize(place); }
    [[nodiscard]] ir::TermId node(PlaceId place, std::size_t index) const final {
        return isPlain(place) ? plainTerm(place) : classNode(place, index);
    }
    [[nodiscard]] std::size_t childCount(PlaceId place, std::size_t node) const final {
        return m_bank.childCount(this->node(place, node));
    }
    [[nodiscard]] PlaceId child(PlaceId place, std::size_t node, std::size_t index) const final {
        return isPlain(place) ? placeOf(m_bank.child(plainTerm(place), index)) : classChild(place, node, index);
    }
    [[nodiscard]] ir::TermId value(PlaceId place) const final {
        return isPlain(place) ? plainTerm(place) : classValue(place);
    }
    [[nodiscard]] PlaceId placeOf(ir::TermId term) const final {
        const PlaceId found = classOf(term);
        return found.isValid() ? found : plainPlace(term);
    }
    [[nodiscard]] PlaceId plainPlace(ir::TermId term) const final { return PlaceId(term.value | Plain); }
    [[nodiscard]] static bool isPlain(PlaceId place) { return (place.value & Plain) != 0; }

protected:
    [[nodiscard]] virtual std::size_t classSize(PlaceId place) const = 0;
    [[nodiscard]] virtual ir::TermId classNode(PlaceId place, std::size_t index) const = 0;
    [[nodiscard]] virtual PlaceId classChild(PlaceId place, std::size_t node, std::size_t index) const = 0;
    [[nodiscard]] virtual ir::TermId classValue(PlaceId place) const = 0;
    /// The class that contains the term; invalid if there is none.
    [[nodiscard]] virtual PlaceId classOf(ir::TermId term) const = 0;

private:
    static constexpr std::uint32_t Plain = 0x80000000U;
    [[nodiscard]] static ir::TermId plainTerm(PlaceId place) { return ir::TermId(place.value & ~Plain); }

    ir::TermBank& m_bank;
};

}  // namespace mitos::rules
