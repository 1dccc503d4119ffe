// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coarsening/internal/unrolling.h"

#include "core/coarsening/internal/chain.h"
#include "core/ir/binding.h"

#include <algorithm>
#include <vector>

namespace mitos::coarsening {

using ir::CoreOp;
using ir::Path;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

/// The uses of a vector or tuple that has a name: those of an element at a constant place, and all others.
struct ElementUses {
    std::size_t elements = 0;
    std::size_t whole = 0;
    bool isWholeInLoop = false;
};

Path joined(Path position, const Path& rest) {
    position.insert(position.end(), rest.begin(), rest.end());
    return position;
}

bool isBound(const TermBank& bank, TermId term, std::uint32_t index) {
    return bank.is(term, CoreOp::Bound) && bank.payload(term).asIndex() == index;
}

bool isElement(const TermBank& bank, TermId term, std::uint32_t index) {
    if (bank.is(term, CoreOp::Get)) return isBound(bank, bank.child(term, 0), index);
    return bank.op(term) == ks::opId(Op::Index) && bank.is(bank.child(term, 0), CoreOp::Literal) &&
           isBound(bank, bank.child(term, 1), index);
}

void collectUses(const TermBank& bank, TermId term, std::uint32_t index, bool isInLoop, ElementUses& uses) {
    if (!ir::mentions(bank, term, index)) return;
    if (isElement(bank, term, index)) {
        ++uses.elements;
    } else if (bank.is(term, CoreOp::Bound)) {
        ++uses.whole;
        uses.isWholeInLoop = uses.isWholeInLoop || isInLoop;
    } else {
        const bool isLoop = isInLoop || bank.is(term, CoreOp::Lam);
        for (std::size_t i = 0; i < bank.childCount(term); ++i)
            collectUses(bank, bank.child(term, i), index + bank.boundIn(term, i), isLoop, uses);
    }
}

}  // namespace

bool Unrolling::isAtom(TermId term) const {
    const TermBank& bank = m_steps.bank();
    return bank.is(term, CoreOp::Literal) || bank.is(term, CoreOp::Bound) || bank.is(term, CoreOp::Variable);
}

std::size_t Unrolling::count(TermId loop) const {
    const TermBank& bank = m_steps.bank();
    TermId size = TermId();
    TermId function = TermId();
    if (m_steps.is(loop, Op::Fold)) {
        const TermId elements = bank.child(loop, 2);
        if (!m_steps.is(elements, Op::Build) || !bank.is(bank.child(elements, 1), CoreOp::Lam)) return 0;
        size = bank.child(elements, 0);
        function = bank.child(loop, 0);
    } else if (m_steps.is(loop, Op::Build) || m_steps.is(loop, Op::Sumbuild)) {
        size = bank.child(loop, 0);
        function = bank.child(loop, 1);
    } else {
        return 0;
    }
    const bool isConstant = bank.is(function, CoreOp::Lam) && bank.is(size, CoreOp::Literal) &&
                            bank.payload(size).kind() == ir::PayloadKind::Integer && bank.payload(size).asInteger() > 0;
    if (!isConstant) return 0;
    const auto iterations = static_cast<std::size_t>(bank.payload(size).asInteger());
    return iterations <= m_limits.iterations ? iterations : 0;
}

void Unrolling::inlineCalls(const Path& loop) {
    const TermBank& bank = m_steps.bank();
    const auto isCompound = [&](TermId term) {
        const ir::TypeId type = bank.type(term);
        return type != bank.types().floating() && type != bank.types().integer() && type != bank.types().boolean();
    };
    const std::uint32_t function = m_steps.is(m_steps.at(loop), Op::Fold) ? 0 : 1;
    const Path body = below(loop, {function, 0});
    for (bool isChanged = true; isChanged;) {
        isChanged = false;
        // Preorder: the last calls first, so that the places of the others stay right.
        std::vector<Path> calls;
        ir::forEachSubterm(bank, m_steps.at(body), [&](const Path& path, TermId term) {
            const bool isWanted = isCompound(term) || std::ranges::any_of(bank.children(term), isCompound);
            if (bank.is(term, CoreOp::Call) && isWanted) calls.push_back(path);
            return true;
        });
        for (auto path = calls.rbegin(); path != calls.rend(); ++path)
            isChanged = m_steps.apply(Rule::InlineCall, joined(body, *path)) || isChanged;
    }
}

bool Unrolling::unroll(const Path& loop, std::size_t count) {
    const TermBank& bank = m_steps.bank();
    const TermId term = m_steps.at(loop);
    const TermId body = bank.child(bank.child(term, m_steps.is(term, Op::Fold) ? 0 : 1), 0);
    if (symbolicSize(m_steps.bank(), {body}) * count > m_limits.operators) return false;
    const std::size_t before = m_steps.length();
    bool isDone = false;
    if (m_steps.is(term, Op::Fold)) {
        isDone = unrollFold(loop, count);
    } else if (m_steps.is(term, Op::Sumbuild)) {
        isDone = unrollSum(loop, count);
    } else {
        isDone = m_steps.apply(Rule::BuildWrittenOut, loop);
        if (isDone) m_steps.simplify(loop);
    }
    if (!isDone) m_steps.backTo(before);
    m_written += isDone ? 1 : 0;
    return isDone;
}

bool Unrolling::unrollSum(const Path& loop, std::size_t count) {
    const TermBank& bank = m_steps.bank();
    if (!bank.types().isNumeric(bank.type(m_steps.at(loop)))) return false;
    Path first = loop;
    for (std::size_t i = count; i > 1; --i) {
        if (!m_steps.apply(Rule::SumbuildLast, first)) return false;
        first.push_back(0);
    }
    if (!m_steps.apply(Rule::SumbuildOfOne, first)) return false;
    m_steps.simplify(loop);
    return true;
}

/// Takes the last iterations off one after the other. Then the let of each iteration's pair of state and element is moved above the
/// next one's, and the pair is replaced by names for its parts.
bool Unrolling::unrollFold(const Path& loop, std::size_t count) {
    Path first = loop;
    for (std::size_t i = count; i > 0; --i) {
        if (!m_steps.apply(Rule::LoopLast, first)) return false;
        first = below(first, {0, 0});
    }
    if (!m_steps.apply(Rule::LoopStart, first)) return false;
    for (std::size_t i = 1; i < count; ++i) {
        if (!m_steps.lift(below(loop, {0, 0}), loop)) return false;
    }
    Path let = loop;
    for (std::size_t i = 0; i < count; ++i) {
        m_steps.simplify(ir::child(let, 0));
        if (!split(let)) return false;
    }
    m_steps.simplify(let);
    return true;
}

bool Unrolling::bindAbove(Path& let, const Path& place) {
    const TermBank& bank = m_steps.bank();
    const auto position = [&] { return joined(let, place); };
    while (bank.is(m_steps.at(position()), CoreOp::Let)) {
        if (!m_steps.lift(position(), let)) return false;
        let.push_back(1);
    }
    const TermId term = m_steps.at(position());
    if (isAtom(term)) return true;
    // A tuple or vector in a tuple is taken apart, too.
    if (bank.is(term, CoreOp::Tuple) || m_steps.is(term, Op::VecInit)) {
        for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
            if (!bindAbove(let, ir::child(place, i))) return false;
        }
        return true;
    }
    if (!m_steps.apply(Rule::NewBind, position()) || !m_steps.lift(position(), let)) return false;
    let.push_back(1);
    return true;
}

bool Unrolling::split(Path& position) {
    const std::size_t before = m_steps.length();
    Path let = position;
    if (!bindAbove(let, {0}) || !m_steps.apply(Rule::InlineLet, let)) {
        m_steps.backTo(before);
        return false;
    }
    position = let;
    return true;
}

void Unrolling::visit(const Path& position) {
    const TermBank& bank = m_steps.bank();
    const std::size_t before = m_steps.length();
    const std::size_t written = m_written;
    const bool isConstant = count(m_steps.at(position)) > 0;
    if (isConstant) inlineCalls(position);
    const bool isFold = m_steps.is(m_steps.at(position), Op::Fold);
    for (std::uint32_t i = 0; i < bank.childCount(m_steps.at(position)); ++i) {
        const bool isTripCount = isFold && i == 2 && isConstant;
        if (!isTripCount) visit(ir::child(position, i));
    }
    if (!isConstant) return;
    const bool isKept = !unroll(position, count(m_steps.at(position))) && m_written == written;
    if (isKept) m_steps.backTo(before);
}

void Unrolling::run() {
    visit(Path());
    // A table of places makes the places constant at which the vectors above it are read.
    for (std::size_t before = 0; m_written > 0 && before < m_steps.length();) {
        before = m_steps.length();
        toScalars(Path());
    }
    if (m_written > 0) foldConstants(Path());
}

void Unrolling::foldConstants(const Path& position) {
    const TermBank& bank = m_steps.bank();
    for (std::uint32_t i = 0; i < bank.childCount(m_steps.at(position)); ++i) foldConstants(ir::child(position, i));
    if (bank.type(m_steps.at(position)) != bank.types().floating()) return;
    const auto isConstant = [&](TermId term) { return bank.is(term, CoreOp::Literal); };
    const auto isMultiple = [&](TermId term) { return m_steps.is(term, Op::Mul) && isConstant(bank.child(term, 0)); };
    const TermId term = m_steps.at(position);
    if (m_steps.is(term, Op::Div) && !isConstant(bank.child(term, 0)) && isConstant(bank.child(term, 1)))
        m_steps.apply(Rule::DivOfConstant, position);
    if (!m_steps.is(m_steps.at(position), Op::Mul)) return;
    // The constants of both factors come first.
    if (isConstant(bank.child(m_steps.at(position), 1))) m_steps.apply(Rule::CommuteMul, position);
    if (isMultiple(bank.child(m_steps.at(position), 0)) && m_steps.apply(Rule::MulRight, position))
        foldConstants(ir::child(position, 1));
    const TermId product = m_steps.at(position);
    const TermId factor = bank.child(product, 1);
    const auto isEasy = [&](TermId summand) { return isConstant(summand) || isMultiple(summand); };
    const bool isSum = m_steps.is(factor, Op::Add) || m_steps.is(factor, Op::Sub);
    if (!isConstant(bank.child(product, 0))) {
        if (isMultiple(factor) && m_steps.apply(Rule::MulSwap, position)) foldConstants(ir::child(position, 1));
    } else if (isMultiple(factor)) {
        m_steps.apply(Rule::MulOfConstants, position);
    } else if (isSum && std::ranges::all_of(bank.children(factor), isEasy)) {
        // The summands have a constant factor each, which takes this one in.
        const bool isAddition = m_steps.is(factor, Op::Add);
        if (!m_steps.apply(isAddition ? Rule::MulByAdd : Rule::MulBySub, position)) return;
        for (const std::uint32_t i : {0U, 1U}) {
            m_steps.apply(Rule::CpropMul, ir::child(position, i));
            foldConstants(ir::child(position, i));
        }
    }
}

void Unrolling::toScalars(Path position) {
    const TermBank& bank = m_steps.bank();
    while (bank.is(m_steps.at(position), CoreOp::Let)) {
        toScalars(ir::child(position, 0));
        TermId last = bank.child(m_steps.at(position), 0);
        while (bank.is(last, CoreOp::Let)) last = bank.child(last, 1);
        ElementUses uses;
        collectUses(bank, bank.child(m_steps.at(position), 1), 0, false, uses);
        const bool isWritten = bank.is(last, CoreOp::Tuple) || m_steps.is(last, Op::VecInit);
        const bool isTakenApart = uses.elements > 0 && uses.whole <= 1 && !uses.isWholeInLoop;
        if (isWritten && isTakenApart && split(position)) {
            m_steps.simplify(position);
        } else {
            position.push_back(1);
        }
    }
    const TermId term = m_steps.at(position);
    if (m_steps.is(term, Op::If)) m_steps.apply(Rule::PhiOfExit, position);
    if (bank.is(term, CoreOp::Get) && bank.is(bank.child(term, 0), CoreOp::Let)) {
        // An element of a tuple below definitions.
        Path element = position;
        while (m_steps.apply(Rule::LiftBind, element)) element.push_back(1);
        m_steps.simplify(position);
        if (!bank.is(m_steps.at(position), CoreOp::Get)) return toScalars(position);
    }
    for (std::uint32_t i = 0; i < bank.childCount(m_steps.at(position)); ++i) toScalars(ir::child(position, i));
}

}  // namespace mitos::coarsening
