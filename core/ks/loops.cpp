// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ks/loops.h"

#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <cassert>
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

}  // namespace

TermId roundsOfLoop(TermBank& bank, TermId bound, TermId iterations) {
    const TermId one = bank.integer(1);
    return make(bank, Op::If,
                {make(bank, Op::Lt, {iterations, bound}), make(bank, Op::Add, {iterations, one}), iterations});
}

TermId foldOfLoop(TermBank& bank, TermId loop, TermId rounds) {
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
    const TermId body = ir::substituteLoose(bank, nextState(bank, bank.child(function, 0)), 1, 1,
                                            [&](std::uint32_t, TypeId type) { return bank.bound(0, type); });
    const TermId step =
        bank.lambda(bank.symbols().intern("q"), point, bank.let(bank.hint(function), bank.tuple(swapped), body));
    const TermId index = bank.lambda(bank.symbols().intern("k"), integer, bank.bound(0, integer));
    return make(bank, Op::Fold, {step, start, make(bank, Op::Build, {rounds, index})});
}

}  // namespace mitos::ks
