// SPDX-License-Identifier: GPL-3.0-or-later
// Sums, differences and multiples of vectors of Floats as one loop: no vector is made for a part of such a term.
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"
#include "core/loops/internal/lowerer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

bool isVectorOfFloats(const TermBank& bank, TermId term) {
    const ir::TypeTable& types = bank.types();
    const TypeId type = bank.type(term);
    return types.isTensor(type) && types.rank(type) == 1 && types.element(type) == types.floating();
}

/// The children that are vectors, if each element of the term follows from those of these at its place.
std::vector<std::uint32_t> vectorsOf(const TermBank& bank, TermId term) {
    if (!isVectorOfFloats(bank, term)) return {};
    switch (ks::ksOp(bank.op(term))) {
        case Op::TsNeg: return {0};
        case Op::TsScale: return {1};
        case Op::TsAdd:
        case Op::Add:
        case Op::Sub: {
            const bool areVectors =
                isVectorOfFloats(bank, bank.child(term, 0)) && isVectorOfFloats(bank, bank.child(term, 1));
            return areVectors ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{};
        }
        default: return {};
    }
}

bool hasFunctions(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Lam)) return true;
    return std::ranges::any_of(bank.children(term), [&](TermId child) { return hasFunctions(bank, child); });
}

/// Whether a vector is a loop without loops inside, whose elements can be made where they are used.
bool isPlainBuild(const TermBank& bank, TermId term) {
    return is(bank, term, Op::Build) && bank.is(bank.child(term, 1), CoreOp::Lam) &&
           !hasFunctions(bank, bank.child(bank.child(term, 1), 0));
}

}  // namespace

std::size_t FunctionLowerer::pointwiseOperations(TermId term) const {
    const std::vector<std::uint32_t> vectors = vectorsOf(m_bank, term);
    std::size_t count = vectors.empty() ? 0 : 1;
    for (const std::uint32_t child : vectors) count += pointwiseOperations(m_bank.child(term, child));
    return count;
}

bool FunctionLowerer::isMadePointwise(TermId term) const {
    const std::size_t operations = pointwiseOperations(term);
    if (operations != 1 || m_open.empty()) return operations > 1;
    // A vector that an iteration makes of others may then keep its storage for the next one. What is made only to be added is added in place.
    return std::ranges::all_of(m_bank.children(term), [this](TermId child) {
        const Op op = ks::ksOp(m_bank.op(child));
        return !m_types.isTensor(m_bank.type(child)) || m_bank.is(child, CoreOp::Bound) ||
               m_bank.is(child, CoreOp::Variable) || m_bank.is(child, CoreOp::Get) || op == Op::Index;
    });
}

bool FunctionLowerer::isPointwiseAlone(TermId term) {
    const std::vector<std::uint32_t> vectors = vectorsOf(m_bank, term);
    if (!vectors.empty()) {
        return std::ranges::all_of(vectors,
                                   [&](std::uint32_t child) { return isPointwiseAlone(m_bank.child(term, child)); });
    }
    if (m_bank.is(term, CoreOp::Let) || isAddedLater(term, nullptr) || isZero(m_bank, term)) return false;
    const Op op = ks::ksOp(m_bank.op(term));
    return op != Op::TsAdd && op != Op::Sumbuild && op != Op::BuildFromSparse && op != Op::If && op != Op::DeltaVec;
}

FunctionLowerer::Pointwise FunctionLowerer::pointwise(TermId term) {
    Pointwise made{term};
    const std::vector<std::uint32_t> vectors = vectorsOf(m_bank, term);
    if (!vectors.empty()) {
        if (is(m_bank, term, Op::TsScale)) {
            made.factor = lower(m_bank.child(term, 0));
            made.factor.expression = atom(made.factor, m_types.floating(), "factor");
        }
        for (const std::uint32_t child : vectors) made.parts.push_back(pointwise(m_bank.child(term, child)));
        // Tensors of a sparse build that are added to each other are one variable.
        const bool isOne = made.parts.size() == 2 && made.parts[0].isMovable && made.parts[1].isMovable &&
                           areSame(made.parts[0].vector, made.parts[1].vector);
        if (isOne) return Pointwise(made.parts[0]);
        made.size = made.parts[0].size;
        if (made.parts.size() == 2 && !areSame(made.parts[1].size.expression, made.size.expression)) {
            require(binary(Operator::Equal, m_types.boolean(), made.size.expression, made.parts[1].size.expression),
                    "the sizes of two vectors differ");
        }
        return made;
    }
    if (isPlainBuild(m_bank, term)) {
        made.size = components(m_bank.child(term, 0), 1, true)[0];
        if (!made.size.range.isNonnegative()) require(isAtLeast(made.size, 0), "a size is negative");
        return made;
    }
    made.isMovable = movable(term) != nullptr;
    made.vector = stored(term, "v");
    made.size = sizeCode(made.vector);
    return made;
}

Code FunctionLowerer::elementAt(const Pointwise& vector, const Binding& index) {
    if (vector.vector.isValid()) return Code{element(vector.vector, index), Form::Path};
    if (vector.parts.empty()) return inlined(vector.term, 1, index);
    const TypeId number = m_types.floating();
    const Code first = elementAt(vector.parts[0], index);
    switch (ks::ksOp(m_bank.op(vector.term))) {
        case Op::TsNeg: return Code{unary(Operator::Negate, number, first.expression)};
        case Op::TsScale: return joined(Operator::Mul, number, vector.factor, first);
        case Op::Sub: return joined(Operator::Sub, number, first, elementAt(vector.parts[1], index));
        default: return joined(Operator::Add, number, first, elementAt(vector.parts[1], index));
    }
}

Code FunctionLowerer::pointwiseVector(TermId term, std::string_view hint) {
    const Pointwise vector = pointwise(term);
    const TypeId type = m_bank.type(term);
    const ExpressionId name = overwritten(hint.empty() ? "v" : hint, type, filled(type, {sizeArgument(vector.size)}));
    if (hint.empty()) nameless(name);
    const Binding index = openLoops({vector.size}, TermId());
    append(Assign{element(name, index), elementAt(vector, index).expression});
    closeLoop();
    return Code{name, Form::Local};
}

void FunctionLowerer::addPointwise(TermId term, ExpressionId target) {
    const bool isLess = is(m_bank, term, Op::TsNeg);
    const Pointwise vector = pointwise(isLess ? m_bank.child(term, 0) : term);
    requireLength(target, vector.size);
    const Binding index = openLoops({vector.size}, TermId());
    append(Accumulate{element(target, index), elementAt(vector, index).expression, isLess != m_isLess});
    closeLoop();
}

}  // namespace mitos::loops
