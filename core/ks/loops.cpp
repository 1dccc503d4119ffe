// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ks/loops.h"

#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace mitos::ks {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ir::TypeId;

namespace {

TermId make(TermBank& bank, Op op, std::initializer_list<TermId> children) {
    return *bank.make(opId(op), std::vector(children));
}

/// The second element of the pair (done, next state), below its lets and branches.
TermId nextState(TermBank& bank, TermId pair) {
    if (bank.is(pair, CoreOp::Let)) {
        return bank.let(bank.hint(pair), bank.child(pair, 0), nextState(bank, bank.child(pair, 1)));
    }
    if (bank.is(pair, CoreOp::Tuple)) return bank.child(pair, 1);
    if (ksOp(bank.op(pair)) == Op::If) {
        return make(bank, Op::If,
                    {bank.child(pair, 0), nextState(bank, bank.child(pair, 1)), nextState(bank, bank.child(pair, 2))});
    }
    return bank.get(pair, 1);
}

/// Finds the step of a loop all of whose exits leave the state as it is.
class StepFinder {
public:
    explicit StepFinder(TermBank& bank) : m_bank(bank), m_known{{Kind::Point}} {}

    /// The next state in a pair (done, next state) without its exits; invalid if there is another exit.
    TermId step(TermId pair) {
        if (m_bank.is(pair, CoreOp::Let)) {
            m_known.push_back(known(m_bank.child(pair, 0)));
            const TermId next = step(m_bank.child(pair, 1));
            m_known.pop_back();
            return next.isValid() ? m_bank.let(m_bank.hint(pair), m_bank.child(pair, 0), next) : next;
        }
        if (m_bank.is(pair, CoreOp::Tuple)) {
            const TermId done = m_bank.child(pair, 0);
            const bool goesOn = m_bank.is(done, CoreOp::Literal) && !m_bank.payload(done).asBool();
            return goesOn ? m_bank.child(pair, 1) : TermId();
        }
        if (ksOp(m_bank.op(pair)) != Op::If) return {};
        if (leavesState(m_bank.child(pair, 1))) return step(m_bank.child(pair, 2));
        if (leavesState(m_bank.child(pair, 2))) return step(m_bank.child(pair, 1));
        const TermId one = step(m_bank.child(pair, 1));
        const TermId other = one.isValid() ? step(m_bank.child(pair, 2)) : TermId();
        return other.isValid() ? make(m_bank, Op::If, {m_bank.child(pair, 0), one, other}) : TermId();
    }

private:
    enum class Kind : std::uint8_t { Other, Point, State, Part };
    struct Known {
        Kind kind = Kind::Other;
        std::uint32_t part = 0;
    };

    [[nodiscard]] Known known(TermId term) const {
        if (m_bank.is(term, CoreOp::Bound)) {
            const std::uint32_t index = m_bank.payload(term).asIndex();
            return index < m_known.size() ? m_known[m_known.size() - 1 - index] : Known{};
        }
        if (m_bank.is(term, CoreOp::Get)) {
            const Known whole = known(m_bank.child(term, 0));
            const std::uint32_t part = m_bank.payload(term).projectionIndex();
            if (whole.kind == Kind::Point && part == 1) return {Kind::State};
            return whole.kind == Kind::State ? Known{Kind::Part, part} : Known{};
        }
        if (!m_bank.is(term, CoreOp::Tuple)) return {};
        const auto count = static_cast<std::uint32_t>(m_bank.childCount(term));
        for (std::uint32_t i = 0; i < count; ++i) {
            const Known part = known(m_bank.child(term, i));
            if (part.kind != Kind::Part || part.part != i) return {};
        }
        return {Kind::State};
    }

    /// Whether the term is (tuple true state).
    [[nodiscard]] bool leavesState(TermId pair) const {
        if (!m_bank.is(pair, CoreOp::Tuple) || !m_bank.is(m_bank.child(pair, 0), CoreOp::Literal)) return false;
        return m_bank.payload(m_bank.child(pair, 0)).asBool() && known(m_bank.child(pair, 1)).kind == Kind::State;
    }

    TermBank& m_bank;
    std::vector<Known> m_known;  ///< of the loop's variable and of the lets around the term
};

TermId folded(TermBank& bank, TermId loop, TermId next, TermId rounds) {
    assert(ksOp(bank.op(loop)) == Op::Loop && bank.is(bank.child(loop, 2), CoreOp::Lam));
    ir::TypeTable& types = bank.types();
    const TypeId integer = types.integer();
    const TermId start = bank.child(loop, 1);
    const TermId function = bank.child(loop, 2);
    const std::vector<TypeId> elements{bank.type(start), integer};
    const TypeId point = types.tuple(elements);
    const TermId q = bank.bound(0, point);
    const std::vector<TermId> swapped{bank.get(q, 1), bank.get(q, 0)};
    // The function's variable is bound by a let below the new variable, which the other loose indices skip.
    const TermId body =
        ir::substituteLoose(bank, next, 1, 1, [&](std::uint32_t, TypeId type) { return bank.bound(0, type); });
    const TermId step =
        bank.lambda(bank.symbols().intern("q"), point, bank.let(bank.hint(function), bank.tuple(swapped), body));
    const TermId index = bank.lambda(bank.symbols().intern("k"), integer, bank.bound(0, integer));
    return make(bank, Op::Fold, {step, start, make(bank, Op::Build, {rounds, index})});
}

}  // namespace

TermId roundsOfLoop(TermBank& bank, TermId bound, TermId iterations) {
    const TermId one = bank.integer(1);
    return make(bank, Op::If,
                {make(bank, Op::Lt, {iterations, bound}), make(bank, Op::Add, {iterations, one}), iterations});
}

TermId foldOfLoop(TermBank& bank, TermId loop, TermId rounds) {
    return folded(bank, loop, nextState(bank, bank.child(bank.child(loop, 2), 0)), rounds);
}

TermId foldOfIterations(TermBank& bank, TermId loop, TermId iterations) {
    const TermId step = StepFinder(bank).step(bank.child(bank.child(loop, 2), 0));
    return step.isValid() ? folded(bank, loop, step, iterations) : TermId();
}

TypeId keptByStep(const ir::TypeTable& types, TypeId step, TypeId state) {
    if (types.kind(step) != ir::TypeKind::Lambda) return {};
    const TypeId value = types.children(step)[1];
    const bool isPair = types.isTuple(value) && types.children(value).size() == 2;
    return isPair && types.children(value)[0] == state ? types.children(value)[1] : TypeId();
}

}  // namespace mitos::ks
