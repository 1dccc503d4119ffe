// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of vectors: one variable of zeros, to which every summand is added where it is computed.
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"
#include "core/loops/internal/lowerer.h"
#include "core/loops/internal/shapes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Whether adding the term to a place is a loop of additions.
bool hasManySummands(const ir::TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Let)) return hasManySummands(bank, bank.child(term, 1));
    if (is(bank, term, Op::If))
        return hasManySummands(bank, bank.child(term, 1)) || hasManySummands(bank, bank.child(term, 2));
    return is(bank, term, Op::Sumbuild) || is(bank, term, Op::BuildFromSparse) || is(bank, term, Op::TsAdd);
}

/// Whether a sum of two has loops that add to it; one of places alone is made by a call.
bool addsInLoops(const ir::TermBank& bank, TermId term) {
    if (!is(bank, term, Op::TsAdd)) return hasManySummands(bank, term);
    return addsInLoops(bank, bank.child(term, 0)) || addsInLoops(bank, bank.child(term, 1));
}

}  // namespace

bool FunctionLowerer::isAddable(TypeId type) const {
    if (m_types.isTuple(type)) {
        return std::ranges::all_of(m_types.children(type), [this](TypeId part) { return isAddable(part); });
    }
    if (m_types.isTensor(type)) return m_types.rank(type) == 1 && isAddable(m_types.element(type));
    return m_types.isNumeric(type);
}

bool FunctionLowerer::isSum(TermId term) const {
    const TypeId sumType = m_bank.type(term);
    if (isScalar(sumType) || isSummedFromZero(sumType) || !isAddable(sumType) || !hasNumbers(sumType)) return false;
    const bool isTensor = m_types.isTensor(sumType);  // a tuple is made of its parts where that is plainer
    if (m_bank.is(term, CoreOp::Let)) return isTensor && isAddedByRest(term);
    if (is(m_bank, term, Op::TsAdd)) return isTensor && m_bank.type(m_bank.child(term, 1)) == sumType;
    if (is(m_bank, term, Op::If)) return countOfSumOrZero(m_bank, term).isValid();
    return is(m_bank, term, Op::Sumbuild) && isInPlace(term, 1);
}

Code FunctionLowerer::early(const EarlyTerm& term) {
    const std::size_t outside = m_bound.size();
    m_bound.resize(outside + term.binders);  // the term mentions none of these variables
    Code code = lower(term.term);
    m_bound.resize(outside);
    return code;
}

Code FunctionLowerer::earlySize(const EarlyShape& shape) {
    if (shape.size) return early(*shape.size);
    const auto known = m_variables.find(shape.sizeName);
    if (known != m_variables.end()) return known->second;
    const std::string_view text = m_bank.text(shape.sizeName);
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return Code{integer(number), Form::Value, true, ir::sizeRange()};
}

std::optional<Code> FunctionLowerer::sizeOfSum(TermId vector) {
    const std::optional<EarlyShape> shape = earlyShapeOf(m_bank, m_declared, vector);
    const bool isTold = shape && (shape->size || shape->sizeName.isValid());
    return isTold ? std::optional(earlySize(*shape)) : std::nullopt;
}

ExpressionId FunctionLowerer::zeros(const EarlyShape& shape, TypeId type) {
    if (shape.example) return zeroLike(type, early(*shape.example).expression);
    if (shape.exampleName.isValid()) return zeroLike(type, m_variables.at(shape.exampleName).expression);
    if (shape.parts.empty()) return make(ExpressionKind::Empty, type);
    if (m_types.isTuple(type)) {
        std::vector<ExpressionId> parts;
        for (std::size_t i = 0; i < shape.parts.size(); ++i) {
            parts.push_back(zeros(shape.parts[i], m_types.children(type)[i]));
        }
        return tuple(type, std::move(parts));
    }
    const ExpressionId size = sizeArgument(earlySize(shape));
    const EarlyShape& each = shape.parts[0];
    if (each.parts.empty() && !each.example && !each.exampleName.isValid()) return filled(type, {size});
    return filled(type, {size}, zeros(each, m_types.element(type)));
}

std::optional<Code> FunctionLowerer::summed(TermId term, std::string_view hint) {
    if (!isSum(term)) return std::nullopt;
    const std::optional<EarlyShape> shape = earlyShapeOf(m_bank, m_declared, term);
    if (!shape || (shape->example && is(m_bank, term, Op::TsAdd) && !addsInLoops(m_bank, term))) return std::nullopt;
    const TypeId sumType = m_bank.type(term);
    const bool isPlainVector = m_types.isTensor(sumType) && isSummedFromZero(m_types.element(sumType));
    const ExpressionId start = zeros(*shape, sumType);
    const ExpressionKind kind = m_result.at(start).kind;
    const bool isConstructed = kind == ExpressionKind::Filled || kind == ExpressionKind::Tuple;
    const ExpressionId name = variable(hint.empty() ? "sum" : hint, sumType, start, isConstructed);
    const std::size_t outside = m_known.size();
    know(name, *shape, sumType);
    const bool isSumFirst = isPlainVector && is(m_bank, term, Op::TsAdd) &&
                            hasManySummands(m_bank, m_bank.child(term, 1)) &&
                            !hasManySummands(m_bank, m_bank.child(term, 0));
    if (isSumFirst) {
        // The summands of the second part are added to each other first, as the program says.
        addInto(m_bank.child(term, 1), name);
        addInto(m_bank.child(term, 0), name);
    } else {
        addInto(term, name);
    }
    m_known.resize(outside);
    return Code{name, Form::Local};
}

void FunctionLowerer::know(ExpressionId target, const EarlyShape& shape, TypeId type) {
    m_known.push_back({target, shape, {}});
    if (shape.example || shape.exampleName.isValid() || shape.parts.empty()) return;
    if (m_types.isTensor(type)) {
        const ExpressionId length = earlySize(shape).expression;
        m_known.back().length = length;
        return;
    }
    for (std::size_t i = 0; i < shape.parts.size(); ++i) {
        know(part(target, static_cast<std::uint32_t>(i)), shape.parts[i], m_types.children(type)[i]);
    }
}

bool FunctionLowerer::isKnown(ExpressionId target, TermId value) const {
    return std::ranges::any_of(m_known, [&](const KnownShape& known) {
        if (!areSame(known.target, target)) return false;
        const std::optional<EarlyShape> shape = earlyShapeOf(m_bank, m_declared, value);
        return shape && loops::areSame(m_bank, m_declared, known.shape, *shape);
    });
}

void FunctionLowerer::requireLength(ExpressionId target, const Code& size) {
    const auto isKnown = [&](const KnownShape& known) {
        return known.length.isValid() && areSame(known.target, target) && areSame(known.length, size.expression);
    };
    if (std::ranges::any_of(m_known, isKnown)) return;
    const ExpressionId length = sizeCode(target).expression;
    require(binary(Operator::Equal, m_types.boolean(), length, size.expression), "the sizes of two vectors differ");
}

void FunctionLowerer::addSumbuild(TermId term, ExpressionId target, bool mayBeEmpty) {
    const std::vector<Code> sizes = sizesOfSum(term, mayBeEmpty);
    const Binding index = openLoops(sizes, m_bank.child(term, 1));
    m_bound.push_back(index);
    addInto(m_bank.child(m_bank.child(term, 1), 0), target);
    m_bound.pop_back();
    for (std::size_t d = 0; d < sizes.size(); ++d) closeLoop();
}

bool FunctionLowerer::addSumOrZero(TermId term, ExpressionId target) {
    const TermId count = countOfSumOrZero(m_bank, term);
    if (!count.isValid() || !isInPlace(m_bank.child(term, 1), 1)) return false;
    if (!isKnown(target, term)) {
        const std::optional<Code> size = sizeOfSum(term);
        if (!size) return false;
        requireLength(target, *size);
    }
    addSumbuild(m_bank.child(term, 1), target, true);
    return true;
}

}  // namespace mitos::loops
