// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/internal/exits.h"

#include "core/coarsening/internal/affine.h"
#include "core/ir/binding.h"

namespace mitos::coarsening {

using ir::CoreOp;
using ir::Path;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

constexpr std::uint32_t State = 1;  ///< a loop's function takes (number of the iteration, state)

bool hasLoop(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Lam)) return true;
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        if (hasLoop(bank, bank.child(term, i))) return true;
    }
    return false;
}

bool isState(const TermBank& bank, TermId term, std::uint32_t pair) {
    return bank.is(term, CoreOp::Get) && bank.payload(term).projectionIndex() == State &&
           bank.is(bank.child(term, 0), CoreOp::Bound) && bank.payload(bank.child(term, 0)).asIndex() == pair;
}

}  // namespace

bool Exits::isLoop(TermId term) const {
    const TermBank& bank = m_steps.bank();
    while (bank.is(term, CoreOp::Let)) term = bank.child(term, 1);
    return m_steps.is(term, Op::Loop) && bank.is(bank.child(term, 2), CoreOp::Lam);
}

void Exits::prepare(const Path& position) const {
    const TermBank& bank = m_steps.bank();
    Path loop = position;
    std::uint32_t lets = 0;  ///< of the body, above the one that is looked at
    for (;;) {
        Path let = below(loop, {2, 0});
        let.insert(let.end(), lets, 1);
        const TermId term = m_steps.at(let);
        if (!bank.is(term, CoreOp::Let)) return;
        if (isState(bank, bank.child(term, 0), lets)) {
            if (!m_steps.apply(Rule::InlineLet, let)) return;
            continue;
        }
        const Path value = ir::child(let, 0);
        normalize(value, lets);
        const TermId form = m_steps.at(value);
        const bool isLinear = m_steps.is(form, Op::Add) && m_steps.is(bank.child(form, 0), Op::Mul) &&
                              isState(bank, bank.child(bank.child(form, 0), 1), lets);
        if (isLinear && hoist(loop, below(value, {0, 0}), lets + 1)) loop.push_back(1);
        Path summand = below(loop, {2, 0});
        summand.insert(summand.end(), lets, 1);
        if (isLinear && hoist(loop, below(summand, {0, 1}), lets + 1)) loop.push_back(1);
        ++lets;
    }
}

void Exits::normalize(const Path& value, std::uint32_t pair) const {
    const TermBank& bank = m_steps.bank();
    if (!hasLoop(bank, m_steps.at(value))) return;
    const std::size_t before = m_steps.length();
    if (Affine(m_steps, State).normalize(value, pair)) {
        m_steps.simplify(below(value, {0, 0}));
        m_steps.simplify(ir::child(value, 1));
    } else {
        m_steps.backTo(before);
    }
}

bool Exits::hoist(const Path& loop, const Path& position, std::uint32_t binders) const {
    const TermBank& bank = m_steps.bank();
    const TermId term = m_steps.at(position);
    if (!hasLoop(bank, term) || bank.mayMention(term, 0, binders)) return false;
    const std::size_t before = m_steps.length();
    const bool isHoisted = m_steps.apply(Rule::NewBind, position) && m_steps.lift(position, below(loop, {2, 0})) &&
                           m_steps.apply(Rule::HoistOfLoop, loop);
    if (!isHoisted) m_steps.backTo(before);
    return isHoisted;
}

Path Exits::liftLets(Path position) const {
    const TermBank& bank = m_steps.bank();
    while (bank.is(bank.child(m_steps.at(position), 0), CoreOp::Let)) {
        const TermId value = bank.child(bank.child(m_steps.at(position), 0), 0);
        const auto isLifted = [&](TermId after) { return bank.child(after, 0) == value; };
        if (!m_steps.apply(Rule::LiftBind, position, isLifted)) break;
        position.push_back(1);
    }
    return position;
}

bool Exits::toFold(const Path& state) const {
    const TermBank& bank = m_steps.bank();
    const Path body = below(state, {0, 2, 0});
    while (bank.is(m_steps.at(body), CoreOp::Let)) {
        if (!m_steps.apply(Rule::InlineLet, body)) return false;
    }
    while (m_steps.apply(Rule::PhiOfEither, body)) {
    }
    if (!m_steps.apply(Rule::LoopWithExits, state)) return false;
    const Path step = below(state, {1, 0, 0});
    if (!m_steps.apply(Rule::InlineLet, step)) return false;
    m_steps.simplify(step);
    return true;
}

}  // namespace mitos::coarsening
