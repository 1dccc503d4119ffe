// SPDX-License-Identifier: GPL-3.0-or-later
// Linear maps that are applied where they are constructed: the sweep replaces an application by its meaning, one constructor at a time.
#include "core/autodiff/internal/differentiator.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ks::Op;

/// An application of a linear map, or of its transpose, that depends on a variable with a tangent.
Record Differentiator::sweepApplied(Block& block, TermId term, Env& env) {
    const bool isTransposed = m_bank.op(term) == opId(Op::LmApplyR);
    const TermId map = named(m_bank.child(term, isTransposed ? 1 : 0), env);
    const std::size_t operand = isTransposed ? 0 : 1;
    Record lets;
    TermId x;
    {
        const AtOrigin at(m_names, m_names.inner(m_names.origin(), operand));
        Record value = sweep(block, m_bank.child(term, operand), env);
        x = block.emit(value.value, "t");
        if (value.isActive) x = addLet(block, lets, std::move(value), x);
    }
    const AtOrigin at(m_names, {m_names.origin().place, true});
    const TermId meaning = applied(block, map, x, isTransposed);
    if (!meaning.isValid()) {
        fail(named(term, env),
             fmt::format("{} has a derivative only where its linear map is constructed in place, by lmOne, lmZero, "
                         "lmScale, lmScaleR, lmDot, lmAdd, lmCompose, lmVCat, lmHCat, lmVCatV or lmHCatV",
                         m_bank.opName(term)));
    }
    return withBody(std::move(lets), sweep(block, meaning));
}

/// The map, or its transpose, applied to a value, with the maps inside of it applied by operators. Invalid if it is not a constructor.
TermId Differentiator::applied(Block& block, TermId map, TermId x, bool isTransposed) {
    const auto part = [&](std::size_t i) { return m_bank.child(map, i); };
    const auto apply = [&](TermId inner, TermId value) {
        return isTransposed ? m_make.op(Op::LmApplyR, {value, inner}) : m_make.op(Op::LmApply, {inner, value});
    };
    const Op op = ks::ksOp(m_bank.op(map));
    switch (op) {
        case Op::LmZero: return m_make.zeroAt({block.emit(part(isTransposed ? 0 : 1), "t")});
        case Op::LmOne: return x;
        case Op::LmScale: return m_make.op(Op::TsScale, {part(1), x});
        case Op::LmScaleR:
        case Op::LmDot: {
            const ir::TypeId type = m_bank.type(part(0));
            if (m_make.tangent(type) != type) return {};
            const bool scales = (op == Op::LmScaleR) != isTransposed;
            return scales ? m_make.op(Op::TsScale, {x, part(0)}) : m_make.op(Op::TsDot, {part(0), x});
        }
        case Op::LmCompose: return apply(part(isTransposed ? 1 : 0), apply(part(isTransposed ? 0 : 1), x));
        case Op::LmAdd: return m_make.sum({apply(part(0), x), apply(part(1), x)});
        case Op::If: return m_make.op(Op::If, {part(0), apply(part(1), x), apply(part(2), x)});
        case Op::LmVCat:
        case Op::LmHCat: {
            const bool isTuple = (op == Op::LmVCat) != isTransposed;
            std::vector<TermId> parts;
            for (std::uint32_t k = 0; k < m_bank.childCount(map); ++k) {
                parts.push_back(apply(part(k), isTuple ? x : m_make.get(x, k)));
            }
            return isTuple ? m_make.tuple(parts) : m_make.sum(parts);
        }
        case Op::LmVCatV:
        case Op::LmHCatV: {
            const bool isTensor = (op == Op::LmVCatV) != isTransposed;
            return overMaps(isTensor ? Op::Build : Op::Sumbuild, part(0), [&](TermId inner, TermId i) {
                return apply(inner, isTensor ? x : m_make.op(Op::Index, {i, x}));
            });
        }
        default: return {};
    }
}

/// (loop n (lam i (each map i))) for the tensor (build n (lam i map)); invalid for other tensors of maps.
TermId Differentiator::overMaps(Op loop, TermId maps, absl::FunctionRef<TermId(TermId map, TermId index)> each) {
    if (m_bank.op(maps) != opId(Op::Build) || !m_bank.is(m_bank.child(maps, 1), CoreOp::Lam)) return {};
    const TermId function = m_bank.child(maps, 1);
    const ir::TypeId index = m_bank.boundType(function);
    const TermId body = each(m_bank.child(function, 0), m_bank.bound(0, index));
    return m_make.op(loop, {m_bank.child(maps, 0), m_bank.lambda(m_bank.hint(function), index, body)});
}

}  // namespace mitos::autodiff
