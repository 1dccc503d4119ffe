// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/singular.h"

#include "core/facts/analysis.h"
#include "core/ks/operators.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

/// Searches the code that a tangent is made by for zeros of what was not chosen.
class MaskSearch {
public:
    MaskSearch(const TermBank& bank, const Block& block) : m_bank(bank), m_block(block) {}

    /// Whether the part of the term at the path, whose last step is the first one into the term, may be such a zero.
    bool find(TermId term) {
        if (--m_left < 0) return false;
        if (m_bank.is(term, CoreOp::Variable)) {
            const TermId value = m_block.definition(m_bank.payload(term).asSymbol());
            return value.isValid() && find(value);
        }
        if (m_bank.is(term, CoreOp::Literal)) return m_bank.payload(term) == ir::Payload::floating(0.0);
        if (m_bank.is(term, CoreOp::Let)) return find(m_bank.child(term, 1));
        if (m_bank.is(term, CoreOp::Get)) {
            m_path.push_back(m_bank.payload(term).projectionIndex());
            const bool isFound = find(m_bank.child(term, 0));
            m_path.pop_back();
            return isFound;
        }
        if (m_bank.is(term, CoreOp::Tuple)) {
            if (m_path.empty()) return false;
            const std::uint32_t element = m_path.back();
            m_path.pop_back();
            const bool isFound = find(m_bank.child(term, element));
            m_path.push_back(element);
            return isFound;
        }
        switch (ks::ksOp(m_bank.op(term))) {
            case Op::If: return find(m_bank.child(term, 1)) || find(m_bank.child(term, 2));
            case Op::Mul:
            case Op::TsScale: return find(m_bank.child(term, 0)) || find(m_bank.child(term, 1));
            case Op::Add:
            case Op::TsAdd: return find(m_bank.child(term, 0)) && find(m_bank.child(term, 1));
            case Op::Neg:
            case Op::TsNeg:
            case Op::Div: return find(m_bank.child(term, 0));
            case Op::Assert:
            case Op::Index:
            case Op::ConstVec: return find(m_bank.child(term, 1));
            case Op::Build:
                return m_bank.is(m_bank.child(term, 1), CoreOp::Lam) && find(m_bank.child(m_bank.child(term, 1), 0));
            case Op::Delta:
            case Op::DeltaVec:
            case Op::BuildFromSparse: return true;  // zero but for some elements
            default: return false;
        }
    }

private:
    const TermBank& m_bank;
    const Block& m_block;
    std::vector<std::uint32_t> m_path;  ///< to a part of the tuple that is searched
    int m_left = 200;                   ///< terms to visit
};

}  // namespace

TermId SingularSlopes::expanded(TermId term) const {
    constexpr std::uint64_t Largest = 300;
    constexpr int Rounds = 12;
    for (int i = 0; i < Rounds; ++i) {
        const TermId next = replaceFree(m_bank, term, [&](Symbol name) { return m_block.definition(name); });
        if (next == term || m_bank.treeSize(next) > Largest) break;
        term = next;
    }
    return term;
}

bool SingularSlopes::mayBeMasked(TermId tangent) const { return MaskSearch(m_bank, m_block).find(tangent); }

TermId SingularSlopes::withoutKnownTest(TermId term) const {
    if (m_bank.op(term) != opId(Op::If)) return term;
    const TermId condition = m_bank.child(term, 0);
    const bool isTest = m_bank.op(condition) == opId(Op::Eq) &&
                        m_bank.is(m_bank.child(condition, 1), CoreOp::Literal) &&
                        m_bank.payload(m_bank.child(condition, 1)) == ir::Payload::floating(0.0);
    if (!isTest) return term;
    const TermId tested = expanded(m_bank.child(condition, 0));
    const ir::ValueRange range = facts::of(m_bank).range(tested);
    const bool isNeverZero = range.low > 0.0 || range.high < 0.0;  // for Floats, too, which underflow
    return isNeverZero ? m_bank.child(term, 2) : term;
}

TermId SingularSlopes::guarded(ir::OpId op, TermId part, TermId d) const {
    const ir::TypeId floating = m_bank.types().floating();
    if (m_bank.type(part) != floating || m_bank.type(d) != floating || !mayBeMasked(d)) return part;
    constexpr std::array Growing{Op::Exp, Op::Cosh};  // beyond the range of Floats
    const bool grows = std::ranges::find(Growing, ks::ksOp(op)) != Growing.end();
    const auto isDefined = [&](TermId term) { return facts::of(m_bank).of(term).isDefined; };
    if (!grows && (isDefined(part) || isDefined(expanded(part)))) return part;
    const TermId zero = m_bank.floating(0.0);
    const std::array isZero{d, zero};
    const std::array choice{*m_bank.make(opId(Op::Eq), isZero), zero, part};
    return *m_bank.make(opId(Op::If), choice);
}

}  // namespace mitos::autodiff
