// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/gather.h"

#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <optional>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

class Gatherer {
public:
    Gatherer(ir::TermBank& bank, absl::FunctionRef<bool(Symbol)> hasTangent) : m_bank(bank), m_hasTangent(hasTangent) {}

    TermId run(TermId function, TermId start, TermId vector, TermId definition) {
        const TermId body = m_bank.child(function, 0);
        find(body);
        if (m_readings.empty()) return {};
        const TypeId element = m_bank.types().element(m_bank.type(vector));
        std::vector<TypeId> parts{element};
        for (const TermId reading : m_readings) parts.push_back(m_bank.type(reading));
        const std::vector<TypeId> point{m_bank.type(start), m_bank.types().tuple(parts)};
        m_point = m_bank.types().tuple(point);
        m_lets.clear();
        const TermId changed = rebuilt(body);
        if (m_usesWhole) return {};
        const TermId step = m_bank.lambda(m_bank.hint(function), m_point, changed);
        return make(Op::Fold, {step, start, gathered(vector, definition, element)});
    }

private:
    TermId make(Op op, std::initializer_list<TermId> children) {
        const absl::InlinedVector<TermId, 4> list(children);
        const Result<TermId> made = m_bank.make(opId(op), list);
        assert(made.ok());  // the parts have the types of the fold that is replaced
        return *made;
    }

    [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(m_lets.size()); }
    [[nodiscard]] bool isPoint(TermId term, std::uint32_t index) const {
        return m_bank.is(term, CoreOp::Bound) && m_bank.payload(term).asIndex() == index;
    }
    [[nodiscard]] bool isElement(TermId term, std::uint32_t index) const {
        return m_bank.is(term, CoreOp::Get) && m_bank.payload(term).projectionIndex() == 1 &&
               isPoint(m_bank.child(term, 0), index);
    }

    /// Whether the term, directly in the step, depends on nothing of the step but its element.
    [[nodiscard]] bool isOfElement(TermId term, std::uint32_t index) const {
        if (isElement(term, index)) return true;
        if (m_bank.is(term, CoreOp::Bound) || m_bank.is(term, CoreOp::Lam) || m_bank.is(term, CoreOp::Let))
            return false;
        return std::ranges::all_of(m_bank.children(term), [&](TermId child) { return isOfElement(child, index); });
    }

    /// The term with the lets around it replaced, if it depends on the element alone.
    std::optional<TermId> asOfElement(TermId term) {
        const std::uint32_t lets = depth();
        bool isPossible = true;
        const TermId outside = ir::substituteLoose(
            m_bank, term, lets, -static_cast<std::int32_t>(lets), [&](std::uint32_t index, TypeId type) {
                const std::optional<TermId>& value = m_lets[lets - 1 - index];
                isPossible = isPossible && value.has_value();
                if (value) return *value;
                return *m_bank.make(ir::opId(CoreOp::Dummy), {}, ir::Payload::type(type));
            });
        if (!isPossible || !isOfElement(outside, 0)) return std::nullopt;
        return outside;
    }

    [[nodiscard]] bool hasTensors(TypeId type) const {
        const ir::TypeTable& types = m_bank.types();
        if (types.isTensor(type)) return true;
        if (!types.isTuple(type)) return false;
        return std::ranges::any_of(types.children(type), [&](TypeId part) { return hasTensors(part); });
    }

    /// The number, or tuple of numbers, of a captured tensor that the term reads at an index of the step's element.
    std::optional<TermId> reading(TermId term) {
        if (m_bank.op(term) != opId(Op::Index) || hasTensors(m_bank.type(term))) return std::nullopt;
        const TermId tensor = m_bank.child(term, 1);
        const bool isCaptured = m_bank.is(tensor, CoreOp::Variable) && m_hasTangent(m_bank.payload(tensor).asSymbol());
        return isCaptured ? asOfElement(term) : std::nullopt;
    }

    /// Enters the body of a let with its value, if that depends on the element alone.
    void enter(TermId let) {
        std::optional<TermId> value;
        if (m_bank.is(let, CoreOp::Let)) value = asOfElement(m_bank.child(let, 0));
        m_lets.push_back(value);
    }

    void find(TermId term) {
        if (const std::optional<TermId> read = reading(term)) {
            if (std::ranges::find(m_readings, *read) == m_readings.end()) m_readings.push_back(*read);
            return;
        }
        if (m_bank.is(term, CoreOp::Lam)) return;
        const std::size_t count = m_bank.op(term) == opId(Op::If) ? 1 : m_bank.childCount(term);
        for (std::size_t i = 0; i < count; ++i) {
            const bool isBody = m_bank.boundIn(term, i) > 0;
            if (isBody) enter(term);
            find(m_bank.child(term, i));
            if (isBody) m_lets.pop_back();
        }
    }

    /// The step over pairs.
    TermId rebuilt(TermId term) {
        if (m_bank.looseBound(term) <= depth() && !m_bank.is(term, CoreOp::Lam) && m_bank.childCount(term) == 0)
            return term;
        const TermId point = m_bank.bound(depth(), m_point);
        if (const std::optional<TermId> read = reading(term)) {
            const auto known = std::ranges::find(m_readings, *read);
            if (known != m_readings.end()) {
                return m_bank.get(m_bank.get(point, 1), static_cast<std::uint32_t>(known - m_readings.begin()) + 1);
            }
        }
        if (isElement(term, depth())) return m_bank.get(m_bank.get(point, 1), 0);
        if (m_bank.is(term, CoreOp::Get) && isPoint(m_bank.child(term, 0), depth())) return m_bank.get(point, 0);
        if (isPoint(term, depth())) {
            m_usesWhole = true;
            return term;
        }
        absl::InlinedVector<TermId, 8> children(m_bank.children(term).begin(), m_bank.children(term).end());
        for (std::size_t i = 0; i < children.size(); ++i) {
            const bool isBody = m_bank.boundIn(term, i) > 0;
            if (isBody) enter(term);
            children[i] = rebuilt(children[i]);
            if (isBody) m_lets.pop_back();
        }
        return children.empty() ? term : *m_bank.withChildren(term, children);
    }

    /// Whether the vector is (build n (lam i i)).
    [[nodiscard]] bool isIndices(TermId vector) const {
        if (!vector.isValid() || m_bank.op(vector) != opId(Op::Build)) return false;
        const TermId function = m_bank.child(vector, 1);
        return m_bank.is(function, CoreOp::Lam) && isPoint(m_bank.child(function, 0), 0);
    }

    /// (build (size v) (lam i (let (e (index i v)) (tuple e reading…)))), where e is i if the vector is defined as that of all indices.
    TermId gathered(TermId vector, TermId definition, TypeId element) {
        std::vector<TermId> parts{m_bank.bound(0, element)};
        for (const TermId read : m_readings) parts.push_back(overElement(read, element));
        const TermId index = m_bank.bound(0, m_bank.types().integer());
        const bool areIndices = isIndices(definition);
        const TermId body = areIndices ? m_bank.tuple(parts)
                                       : m_bank.let(m_bank.symbols().intern("e"), make(Op::Index, {index, vector}),
                                                    m_bank.tuple(parts));
        return make(Op::Build, {areIndices ? m_bank.child(definition, 0) : make(Op::Size, {vector}),
                                m_bank.lambda(m_bank.symbols().intern("i"), m_bank.types().integer(), body)});
    }

    /// A reading with the innermost variable as the element.
    TermId overElement(TermId term, TypeId element) {
        if (isElement(term, 0)) return m_bank.bound(0, element);
        if (m_bank.childCount(term) == 0) return term;
        absl::InlinedVector<TermId, 8> children(m_bank.children(term).begin(), m_bank.children(term).end());
        for (TermId& child : children) child = overElement(child, element);
        return *m_bank.withChildren(term, children);
    }

    ir::TermBank& m_bank;
    absl::FunctionRef<bool(Symbol)> m_hasTangent;
    std::vector<std::optional<TermId>> m_lets;  ///< values of the binders entered, outermost first
    std::vector<TermId> m_readings;             ///< over the step's variable
    TypeId m_point;                             ///< the type of a state and a pair
    bool m_usesWhole = false;
};

}  // namespace

TermId gatheredFold(ir::TermBank& bank, TermId function, TermId start, TermId vector, TermId definition,
                    absl::FunctionRef<bool(Symbol)> hasTangent) {
    return Gatherer(bank, hasTangent).run(function, start, vector, definition);
}

}  // namespace mitos::autodiff
