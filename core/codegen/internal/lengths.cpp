// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/internal/lengths.h"

#include "core/codegen/internal/emitter.h"
#include "core/facts/analysis.h"
#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <algorithm>
#include <vector>

namespace mitos::codegen {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

constexpr std::uint64_t LargestCheapTerm = 2;  // nodes

class Lengths {
public:
    explicit Lengths(const TermBank& bank) : m_bank(bank) {}

    std::optional<Length> of(TermId term) {
        const auto child = [&](std::uint32_t i) { return m_bank.child(term, i); };
        if (m_bank.is(term, CoreOp::Let)) return below(child(0), child(1));
        if (m_bank.is(term, CoreOp::Get)) return ofPart(term);
        switch (ks::ksOp(m_bank.op(term))) {
            case Op::Build:
            case Op::ConstVec:
            case Op::DeltaVec: return stated(child(0), static_cast<std::uint32_t>(m_values.size()));
            case Op::BuildFromSparse: return ofShape(child(0), static_cast<std::uint32_t>(m_values.size()));
            case Op::Sumbuild:
                if (!m_bank.is(child(1), CoreOp::Lam)) return std::nullopt;
                return below(TermId(), m_bank.child(child(1), 0));
            case Op::TsAdd: {
                const std::optional<Length> first = of(child(0));
                return first ? first : of(child(1));
            }
            case Op::If: {
                const std::optional<Length> first = of(child(1));
                const std::optional<Length> second = of(child(2));
                return first && second && areSame(*first, *second) ? first : std::nullopt;
            }
            default: return std::nullopt;
        }
    }

private:
    /// The length of the body of a let or a function, if it can be told outside.
    std::optional<Length> below(TermId value, TermId body) {
        m_values.push_back(value);
        const std::optional<Length> length = of(body);
        m_values.pop_back();
        if (!length || length->binders <= m_values.size()) return length;
        const auto inner = static_cast<std::uint32_t>(length->binders - m_values.size() - 1);
        return ir::mentions(m_bank, length->size, inner) ? std::nullopt : length;
    }

    [[nodiscard]] std::optional<Length> stated(TermId size, std::uint32_t binders) const {
        const bool isKnown = m_bank.type(size) == m_bank.types().integer() && mayBeComputedBefore(m_bank, size);
        return isKnown ? std::optional(Length{size, binders}) : std::nullopt;
    }

    [[nodiscard]] std::optional<Length> ofShape(TermId shape, std::uint32_t binders) const {
        return is(m_bank, shape, Op::ConstVec) ? stated(m_bank.child(shape, 0), binders) : std::nullopt;
    }

    /// The length of a vector of a sparse build that a let binds.
    [[nodiscard]] std::optional<Length> ofPart(TermId part) const {
        const TermId tuple = m_bank.child(part, 0);
        if (!m_bank.is(tuple, CoreOp::Bound) || m_bank.payload(tuple).asIndex() >= m_values.size()) return std::nullopt;
        const std::size_t place = m_values.size() - 1 - m_bank.payload(tuple).asIndex();
        const TermId value = m_values[place];
        if (!value.isValid() || !is(m_bank, value, Op::BuildFromSparseTupled)) return std::nullopt;
        const TermId shapes = m_bank.child(value, 0);
        if (!m_bank.is(shapes, CoreOp::Tuple)) return std::nullopt;
        return ofShape(m_bank.child(shapes, m_bank.payload(part).projectionIndex()), static_cast<std::uint32_t>(place));
    }

    [[nodiscard]] bool areSame(const Length& a, const Length& b) const {
        return a.size == b.size && (a.binders == b.binders || m_bank.looseBound(a.size) == 0);
    }

    const TermBank& m_bank;
    std::vector<TermId> m_values;  ///< of the binders around the term, outermost first; invalid for functions
};

}  // namespace

bool mayBeComputedBefore(const TermBank& bank, TermId size) {
    return bank.treeSize(size) <= LargestCheapTerm && facts::Analysis(bank).isTotal(size);
}

std::optional<Length> lengthOf(const TermBank& bank, TermId vector) { return Lengths(bank).of(vector); }

TermId countOfSumOrZero(const TermBank& bank, TermId term) {
    if (!is(bank, term, Op::If)) return {};
    const TermId condition = bank.child(term, 0);
    const TermId sum = bank.child(term, 1);
    if (!is(bank, condition, Op::Gt) || !is(bank, sum, Op::Sumbuild)) return {};
    const TermId count = bank.child(condition, 0);
    const TermId bound = bank.child(condition, 1);
    const bool isPositive = bank.is(bound, CoreOp::Literal) && bank.payload(bound) == ir::Payload::integer(0);
    const TermId zero = bank.child(term, 2);
    const bool isZeros = isZero(bank, zero) || (is(bank, zero, Op::ConstVec) && isZero(bank, bank.child(zero, 1)));
    return isPositive && isZeros && bank.child(sum, 0) == count ? count : TermId();
}

bool isZero(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Tuple)) {
        return std::ranges::all_of(bank.children(term), [&](TermId part) { return isZero(bank, part); });
    }
    return bank.is(term, CoreOp::Literal) && bank.payload(term).kind() == ir::PayloadKind::Float &&
           bank.payload(term).asFloat() == 0.0;
}

}  // namespace mitos::codegen
