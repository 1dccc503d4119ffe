// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/internal/derivation.h"

#include "core/ir/binding.h"

#include <algorithm>
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

TermId EditedTerm::at(const Path& position) {
    moveTo(position);
    return m_spine.back();
}

void EditedTerm::moveTo(const Path& position) {
    const auto common = static_cast<std::size_t>(std::ranges::mismatch(m_path, position).in1 - m_path.begin());
    while (m_path.size() > common) {
        const TermId child = m_spine.back();
        const std::uint32_t step = m_path.back();
        m_spine.pop_back();
        m_path.pop_back();
        if (m_outdated < m_spine.size()) continue;
        m_spine.back() = m_bank.replaceAt(m_spine.back(), Path{step}, child);
        m_outdated = m_spine.size() - 1;
    }
    for (std::size_t i = common; i < position.size(); ++i) {
        m_spine.push_back(m_bank.child(m_spine.back(), position[i]));
        m_path.push_back(position[i]);
    }
}

bool EditedTerm::replace(const Path& position, TermId replacement) {
    if (m_bank.type(at(position)) == m_bank.type(replacement)) {
        m_spine.back() = replacement;
        m_outdated = m_spine.size() - 1;
        return true;
    }
    const Result<TermId> root = ir::replaceAt(m_bank, at({}), position, replacement);
    if (root) m_spine = {*root};
    return root.ok();
}

Derivation::Derivation(ir::TermBank& bank, const ir::Program& program, const ElevationRules& rules)
    : m_bank(bank),
      m_rules(rules),
      m_start(program),
      m_term(bank, program.root) {}

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
        if (!m_term.replace(position, *replacement)) return true;
        m_changes.push_back({{direction, {position}, match}, subject, *replacement});
        isApplied = true;
        return false;
    });
    return isApplied;
}

void Derivation::backTo(std::size_t length) {
    for (; m_changes.size() > length; m_changes.pop_back()) {
        const Change& change = m_changes.back();
        const bool isBack = m_term.replace(change.step.positions[0], change.before);
        assert(isBack);
        static_cast<void>(isBack);
    }
}

rewrite::Thread Derivation::thread() const {
    rewrite::Thread thread{m_start, {}, {}};
    for (const Change& change : m_changes) {
        thread.states.push_back(*ir::replaceAt(m_bank, thread.end().root, change.step.positions[0], change.after));
        thread.steps.push_back(change.step);
    }
    return thread;
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
