// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/internal/affine.h"

#include "core/ir/binding.h"

namespace mitos::coarsening {

using ir::CoreOp;
using ir::Path;
using ir::TermId;
using ks::Op;

Affine::Form Affine::form(const Path& position, std::uint32_t pair) {
    const ir::TermBank& bank = m_steps.bank();
    const TermId term = m_steps.at(position);
    if (!ir::mentions(bank, term, pair)) return Form::Invariant;
    if (bank.is(term, CoreOp::Get) && bank.is(bank.child(term, 0), CoreOp::Bound)) {
        return bank.payload(term).projectionIndex() == m_state ? by(Rule::AffineOfSelf, position) : Form::Invariant;
    }
    if (bank.is(term, CoreOp::Let)) {
        return m_steps.apply(Rule::InlineLet, position) ? form(position, pair) : Form::Other;
    }
    if (m_steps.is(term, Op::Add)) return sum(position, pair, false);
    if (m_steps.is(term, Op::Sub)) return sum(position, pair, true);
    if (m_steps.is(term, Op::Mul)) return product(position, pair);
    if (m_steps.is(term, Op::If)) return choice(position, pair);
    if (m_steps.is(term, Op::Sumbuild)) return sumbuild(position, pair);
    if (m_steps.is(term, Op::Neg)) {
        return form(ir::child(position, 0), pair) == Form::Linear ? by(Rule::AffineOfNeg, position) : Form::Other;
    }
    if (m_steps.is(term, Op::Div) && !ir::mentions(bank, bank.child(term, 1), pair)) {
        return form(ir::child(position, 0), pair) == Form::Linear ? by(Rule::AffineOfDiv, position) : Form::Other;
    }
    return Form::Other;
}

Affine::Form Affine::sum(const Path& position, std::uint32_t pair, bool isDifference) {
    const Form left = form(ir::child(position, 0), pair);
    const Form right = form(ir::child(position, 1), pair);
    if (left == Form::Other || right == Form::Other) return Form::Other;
    if (left == Form::Linear && right == Form::Linear)
        return by(isDifference ? Rule::AffineOfSub : Rule::AffineOfAdd, position);
    if (left == Form::Linear) return by(isDifference ? Rule::AffineOfSubRight : Rule::AffineOfAddRight, position);
    return by(isDifference ? Rule::AffineOfSubLeft : Rule::AffineOfAddLeft, position);
}

Affine::Form Affine::product(const Path& position, std::uint32_t pair) {
    const Form left = form(ir::child(position, 0), pair);
    if (left == Form::Other) return Form::Other;
    const Form right = form(ir::child(position, 1), pair);
    if (left == Form::Linear && right == Form::Invariant) return by(Rule::AffineOfMulRight, position);
    if (left == Form::Invariant && right == Form::Linear) return by(Rule::AffineOfMulLeft, position);
    return Form::Other;
}

Affine::Form Affine::choice(const Path& position, std::uint32_t pair) {
    const ir::TermBank& bank = m_steps.bank();
    if (ir::mentions(bank, bank.child(m_steps.at(position), 0), pair)) return Form::Other;
    const Form onTrue = form(ir::child(position, 1), pair);
    const Form onFalse = form(ir::child(position, 2), pair);
    if (onTrue == Form::Other || onFalse == Form::Other) return Form::Other;
    if (onTrue == Form::Linear && onFalse == Form::Linear) return by(Rule::AffineOfIf, position);
    return by(onTrue == Form::Linear ? Rule::AffineOfIfThen : Rule::AffineOfIfElse, position);
}

Affine::Form Affine::sumbuild(const Path& position, std::uint32_t pair) {
    const ir::TermBank& bank = m_steps.bank();
    const TermId term = m_steps.at(position);
    const bool isPlain = bank.is(bank.child(term, 1), CoreOp::Lam) && !ir::mentions(bank, bank.child(term, 0), pair);
    if (!isPlain) return Form::Other;
    const Path body = ir::child(ir::child(position, 1), 0);
    return form(body, pair + 1) == Form::Linear ? by(Rule::AffineOfSumbuild, position) : Form::Other;
}

}  // namespace mitos::coarsening
