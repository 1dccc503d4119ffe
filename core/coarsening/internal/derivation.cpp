// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/internal/derivation.h"

#include "core/ir/binding.h"

#include <cassert>
#include <cstdint>
#include <utility>

namespace mitos::coarsening {

using ir::CoreOp;
using ir::Path;
using ir::TermId;
using ks::Op;

namespace {

struct Uses {
    std::size_t count = 0;
    bool isInLoop = false;
};

/// The uses of the bound variable `index` in a term.
Uses usesOf(const ir::TermBank& bank, TermId term, std::uint32_t index) {
    if (!ir::mentions(bank, term, index)) return {};
    if (bank.is(term, CoreOp::Bound)) return {1, false};
    Uses uses;
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        const Uses inner = usesOf(bank, bank.child(term, i), index + bank.boundIn(term, i));
        uses.count += inner.count;
        uses.isInLoop = uses.isInLoop || inner.isInLoop || (inner.count > 0 && bank.is(term, CoreOp::Lam));
    }
    return uses;
}

bool isLiteral(const ir::TermBank& bank, TermId term) { return bank.is(term, CoreOp::Literal); }

bool isAtom(const ir::TermBank& bank, TermId term) {
    return isLiteral(bank, term) || bank.is(term, CoreOp::Bound) || bank.is(term, CoreOp::Variable);
}

}  // namespace

Derivation::Derivation(ir::TermBank& bank, const ir::Program& program, const ElevationRules& rules)
    : m_bank(bank),
      m_rules(rules),
      m_thread{program, {}, {}} {}

TermId Derivation::at(const Path& position) const {
    const std::optional<TermId> term = ir::subterm(m_bank, root(), position);
    assert(term);
    return term.value_or(TermId());
}

bool Derivation::isNumber(TermId term, double value) const {
    if (!isLiteral(m_bank, term)) return false;
    const ir::Payload& payload = m_bank.payload(term);
    return payload == ir::Payload::floating(value) ||
           (payload.kind() == ir::PayloadKind::Integer && static_cast<double>(payload.asInteger()) == value);
}

bool Derivation::apply(Rule rule, const Path& position, absl::FunctionRef<bool(TermId)> accepts) {
    const std::shared_ptr<const rules::DirectedRule>& direction = m_rules[rule];
    const TermId subject = at(position);
    bool isApplied = false;
    direction->match(m_bank, subject, [&](const rules::Substitution& match) {
        const Result<TermId> replacement = direction->apply(m_bank, match, subject);
        if (!replacement || *replacement == subject || !accepts(*replacement)) return true;
        const Result<TermId> next = ir::replaceAt(m_bank, root(), position, *replacement);
        if (!next) return true;
        m_thread.steps.push_back({direction, {position}, match});
        m_thread.states.push_back(*next);
        isApplied = true;
        return false;
    });
    return isApplied;
}

void Derivation::backTo(std::size_t length) {
    m_thread.steps.resize(length);
    m_thread.states.resize(length);
}

bool Derivation::lift(Path position, const Path& top) {
    const TermId value = m_bank.child(at(position), 0);
    const auto isLifted = [&](TermId after) {
        if (!m_bank.is(after, CoreOp::Let)) return false;
        const TermId bound = m_bank.child(after, 0);  // the same value, below other binders
        return m_bank.op(bound) == m_bank.op(value) && m_bank.payload(bound) == m_bank.payload(value) &&
               m_bank.type(bound) == m_bank.type(value) && m_bank.treeSize(bound) == m_bank.treeSize(value);
    };
    while (position.size() > top.size()) {
        position.pop_back();
        if (!m_bank.is(at(position), CoreOp::Lam)) {
            if (!apply(Rule::LiftBind, position, isLifted)) return false;
            continue;
        }
        if (position.size() == top.size()) return false;
        position.pop_back();
        const Rule hoist = is(at(position), Op::Sumbuild) ? Rule::HoistOfSumbuild : Rule::HoistOfBuild;
        if (!apply(hoist, position, isLifted)) return false;
    }
    return true;
}

void Derivation::simplify(const Path& position) {
    do {
        if (m_simplified.contains(at(position))) return;
        for (std::uint32_t i = 0; i < m_bank.childCount(at(position)); ++i) simplify(ir::child(position, i));
    } while (simplifyOnce(position));
    m_simplified.insert(at(position));
}

bool Derivation::simplifyOnce(const Path& position) {
    const TermId term = at(position);
    if (m_bank.is(term, CoreOp::Let)) return simplifyLet(position, term);
    if (m_bank.is(term, CoreOp::Get)) return apply(Rule::SelectOfTuple, position);
    if (is(term, Op::Add) || is(term, Op::Sub)) return simplifySum(position, term);
    if (is(term, Op::Mul) || is(term, Op::Div)) return simplifyProduct(position, term);
    if (is(term, Op::Neg)) return apply(Rule::NegOfConstant, position) || apply(Rule::NegOfZero, position);
    if (is(term, Op::If)) return apply(Rule::IfTrue, position) || apply(Rule::IfFalse, position);
    return simplifyLoop(position, term);
}

bool Derivation::simplifySum(const Path& position, TermId term) {
    const bool isSum = is(term, Op::Add);
    const TermId left = m_bank.child(term, 0);
    const TermId right = m_bank.child(term, 1);
    if (isLiteral(m_bank, left) && isLiteral(m_bank, right))
        return apply(isSum ? Rule::CpropAdd : Rule::CpropSub, position);
    if (isSum && isNumber(left, 0.0)) return apply(Rule::AddZero, position);
    if (isNumber(right, 0.0)) return apply(isSum ? Rule::AddZerosRight : Rule::SubZero, position);
    return false;
}

bool Derivation::simplifyProduct(const Path& position, TermId term) {
    const bool isProduct = is(term, Op::Mul);
    const TermId left = m_bank.child(term, 0);
    const TermId right = m_bank.child(term, 1);
    if (isLiteral(m_bank, left) && isLiteral(m_bank, right))
        return apply(isProduct ? Rule::CpropMul : Rule::CpropDiv, position);
    if (!isProduct) return isNumber(right, 1.0) && apply(Rule::DivOne, position);
    if (isNumber(left, 1.0)) return apply(Rule::MulOne, position);
    if (isNumber(left, 0.0)) return apply(Rule::MulZero, position);
    if (isNumber(right, 1.0)) return apply(Rule::CommuteMul, position) && apply(Rule::MulOne, position);
    if (isNumber(right, 0.0)) return apply(Rule::CommuteMul, position) && apply(Rule::MulZero, position);
    return false;
}

bool Derivation::simplifyLet(const Path& position, TermId term) {
    const TermId value = m_bank.child(term, 0);
    const Uses uses = usesOf(m_bank, m_bank.child(term, 1), 0);
    const bool isUsedOnce = uses.count == 1 && !uses.isInLoop;
    if (uses.count == 0) return apply(Rule::DeleteLet, position);
    return (isAtom(m_bank, value) || isUsedOnce) && apply(Rule::InlineLet, position);
}

bool Derivation::simplifyLoop(const Path& position, TermId term) {
    if (is(term, Op::Index)) {
        return apply(Rule::IndexOfBuild, position) || apply(Rule::IndexOfVecInit, position) ||
               apply(Rule::IndexOfConstvec, position);
    }
    if (is(term, Op::Size)) return apply(Rule::SizeOfBuild, position) || apply(Rule::SizeOfVecInit, position);
    if (is(term, Op::Map)) return apply(Rule::MapOfVecInit, position);
    if (is(term, Op::Sumbuild)) return apply(Rule::SumbuildOfZeroVec, position);
    if (is(term, Op::Eq)) return apply(Rule::CpropEq, position);
    if (is(term, Op::Gt)) return apply(Rule::CpropGt, position);
    if (is(term, Op::ToFloat)) return apply(Rule::CpropToFloat, position);
    return false;
}

}  // namespace mitos::coarsening
