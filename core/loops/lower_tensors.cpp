// SPDX-License-Identifier: GPL-3.0-or-later
// Loops: build fills a vector, sumbuild adds into one variable, fold carries one; index chains stay direct.
#include "core/ir/binding.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"
#include "core/loops/internal/lowerer.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

std::vector<ExpressionId> FunctionLowerer::list(const std::vector<Code>& parts) {
    std::vector<ExpressionId> expressions;
    for (const Code& part : parts) expressions.push_back(part.expression);
    return expressions;
}

ExpressionId FunctionLowerer::sizeArgument(const Code& size) {
    return size.range.isNonnegative() ? size.expression : run(Operation::AsSize, m_types.integer(), {size.expression});
}

std::vector<ExpressionId> FunctionLowerer::sizeArguments(const std::vector<Code>& sizes) {
    return sizes.size() == 1 ? std::vector{sizeArgument(sizes[0])} : list(sizes);
}

void FunctionLowerer::require(ExpressionId condition, std::string_view otherwise) {
    append(Require{condition, std::string(otherwise)});
}

ExpressionId FunctionLowerer::isAtLeast(const Code& size, std::int64_t least) {
    const Operator op = least == 0 ? Operator::GreaterEqual : Operator::Greater;
    return binary(op, m_types.boolean(), size.expression, integer(0));
}

std::uint32_t FunctionLowerer::rankOfIndex(TypeId indexType) const {
    return m_types.isTuple(indexType) ? static_cast<std::uint32_t>(m_types.children(indexType).size()) : 1;
}

std::vector<Code> FunctionLowerer::components(TermId term, std::uint32_t rank, bool atoms) {
    const TypeId integer = m_types.integer();
    const auto one = [&](TermId part) {
        Code code = lower(part);
        if (atoms) code.expression = atom(code, integer, "size");
        return code;
    };
    if (rank == 1) return {one(term)};
    std::vector<Code> parts;
    if (m_bank.is(term, CoreOp::Tuple)) {
        for (std::uint32_t d = 0; d < rank; ++d) parts.push_back(one(m_bank.child(term, d)));
        return parts;
    }
    if (m_bank.is(term, CoreOp::Bound) && m_bank.payload(term).asIndex() < m_bound.size()) {
        for (const Binding& part : m_bound[m_bound.size() - 1 - m_bank.payload(term).asIndex()].parts) {
            parts.push_back(boundCode(part, integer));
        }
        if (!parts.empty()) return parts;
    }
    const ExpressionId tuple = stored(term, "at");
    for (std::uint32_t d = 0; d < rank; ++d) parts.push_back(Code{part(tuple, d)});
    return parts;
}

Binding FunctionLowerer::openLoops(const std::vector<Code>& sizes, TermId lambda) {
    const bool named = sizes.size() == 1 && lambda.isValid() && m_bank.is(lambda, CoreOp::Lam);
    const std::string hint = named ? hintOf(lambda, "i") : "i";
    std::vector<Binding> indices;
    for (const Code& size : sizes) {
        // The name belongs to the loop, so it is declared inside the loop's block.
        const std::size_t mark = m_scope.mark();
        const SymbolId index = symbol(hint, m_types.integer(), Storage::Index);
        m_scope.leave(mark);
        openLoop(For{index, {}, size.expression}, m_result.at(index).name);
        const double last = std::clamp(size.range.high - 1.0, 0.0, ir::LargestSize);
        indices.push_back(Binding{name(index), {}, ir::ValueRange{0.0, last, false}});
    }
    return indices.size() == 1 ? indices[0] : Binding{{}, std::move(indices)};
}

Code FunctionLowerer::lowerTensor(Op op, TermId term, std::string_view hint) {
    const TypeId type = m_bank.type(term);
    switch (op) {
        case Op::Build: return build(term, hint);
        case Op::Sumbuild: return sumbuild(term, hint);
        case Op::Fold: return fold(term, hint);
        case Op::Map: return mapOver(term, false, hint);
        case Op::Map2: return mapOver(term, true, hint);
        case Op::Index: return index(term);
        case Op::Size: return sizeOf(term);
        case Op::Shape: return Code{run(Operation::Shape, type, {lower(m_bank.child(term, 0)).expression})};
        case Op::Sum: return Code{run(Operation::Sum, type, {elementsOf(stored(m_bank.child(term, 0), "v"))})};
        case Op::Unzip: return Code{run(Operation::Unzip, type, {lower(m_bank.child(term, 0)).expression})};
        case Op::VecInit: {
            std::vector<ExpressionId> parts;
            for (const TermId part : m_bank.children(term)) parts.push_back(consume(lower(part)));
            return Code{make(ExpressionKind::Vector, type, {}, std::move(parts))};
        }
        case Op::ConstVec: return constantVector(term);
        case Op::DeltaVec: return deltaVector(term);
        case Op::Delta: return delta(term);
        case Op::Diag: return diag(term, hint);
        default: return sparse(term, hint);
    }
}

Code FunctionLowerer::constantVector(TermId term) {
    const TypeId type = m_bank.type(term);
    const std::vector<Code> sizes = components(m_bank.child(term, 0), m_types.rank(type), false);
    const ExpressionId e = lower(m_bank.child(term, 1)).expression;
    return Code{filled(type, sizeArguments(sizes), e)};
}

Code FunctionLowerer::deltaVector(TermId term) {
    const TypeId type = m_bank.type(term);
    const std::uint32_t rank = m_types.rank(type);
    std::vector<ExpressionId> operands = list(components(m_bank.child(term, 0), rank, false));
    const std::vector<Code> at = components(m_bank.child(term, 1), rank, false);
    for (const Code& index : at) operands.push_back(index.expression);
    operands.push_back(lower(m_bank.child(term, 2)).expression);
    return Code{run(rank == 1 ? Operation::DeltaVector : Operation::DeltaTensor, type, std::move(operands),
                    m_types.element(type))};
}

Code FunctionLowerer::delta(TermId term) {
    const TypeId type = m_bank.type(term);
    const ExpressionId i = lower(m_bank.child(term, 0)).expression;
    const ExpressionId j = lower(m_bank.child(term, 1)).expression;
    const Code e = lower(m_bank.child(term, 2), "x");
    const ExpressionId equal = binary(Operator::Equal, m_types.boolean(), differentFrom(j, i), j);
    if (type == m_types.floating()) return Code{choice(type, equal, e.expression, floating(0.0))};
    const ExpressionId value = atom(e, type, "x");
    const ExpressionId copy = make(ExpressionKind::Convert, type, {}, {value});
    return Code{choice(type, equal, copy, zeroLike(type, value))};
}

Code FunctionLowerer::build(TermId term, std::string_view hint) {
    const TypeId type = m_bank.type(term);
    const std::vector<Code> sizes = components(m_bank.child(term, 0), m_types.rank(type), true);
    const ExpressionId start = filled(type, sizeArguments(sizes));
    const ExpressionId name = overwritten(hint.empty() ? "v" : hint, type, start);
    if (hint.empty()) nameless(name);
    fillBuild(term, name, sizes);
    return Code{name, Form::Local};
}

void FunctionLowerer::fillBuild(TermId term, ExpressionId target, const std::vector<Code>& sizes, bool adds) {
    const Binding index = openLoops(sizes, m_bank.child(term, 1));
    if (adds) {
        inlinedAdded(term, 1, index, element(target, index));
    } else {
        inlinedInto(term, 1, index, element(target, index));
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) closeLoop();
}

std::vector<Code> FunctionLowerer::sizesOfSum(TermId term, bool mayBeEmpty) {
    const std::uint32_t rank = rankOfIndex(m_bank.type(m_bank.child(term, 0)));
    std::vector<Code> sizes = components(m_bank.child(term, 0), rank, true);
    for (const Code& size : sizes) {
        const Expression& expression = m_result.at(size.expression);
        const bool isZero = expression.payload == Expression::Payload(std::int64_t{0});
        const bool isKnown = size.plainInt && size.range.isNonnegative() && !isZero;
        if (!isKnown && !mayBeEmpty) require(isAtLeast(size, 1), "sumbuild needs a size above 0");
    }
    return sizes;
}

Code FunctionLowerer::sumbuild(TermId term, std::string_view hint, bool mayBeEmpty) {
    if (const std::optional<Code> sum = summed(term, hint)) return *sum;
    const TypeId resultType = m_bank.type(term);
    const std::vector<Code> sizes = sizesOfSum(term, mayBeEmpty);
    ExpressionId start;
    if (m_types.isNumeric(resultType)) {
        start = resultType == m_types.floating() ? floating(0.0) : integer(0);
    } else if (isSummedFromZero(resultType)) {
        start = make(ExpressionKind::Empty, resultType);
    }
    const ExpressionId sum = variable(hint.empty() ? "sum" : hint, resultType, start);
    ExpressionId first;
    // The first term determines the sizes of the sum.
    if (!start.isValid()) first = variable("first", m_types.boolean(), boolean(true));
    const Binding index = openLoops(sizes, m_bank.child(term, 1));
    const Code code = inlined(term, 1, index, "term");
    addSummand(sum, first, code, resultType);
    for (std::size_t d = 0; d < sizes.size(); ++d) closeLoop();
    return Code{sum, isScalar(resultType) ? Form::Path : Form::Local};
}

void FunctionLowerer::addSummand(ExpressionId sum, ExpressionId first, const Code& code, TypeId type) {
    if (!first.isValid()) return append(Accumulate{sum, code.expression});
    const ExpressionId term = code.form == Form::Value ? declare("term", type, code) : code.expression;
    Block then = inBlock([&] { append(Assign{sum, term}); });
    append(If{first, std::move(then), inBlock([&] { append(Accumulate{sum, term}); })});
    append(Assign{first, boolean(false)});
}

FunctionLowerer::Folded FunctionLowerer::folded(TermId vector) {
    const bool isBuild =
        is(m_bank, vector, Op::Build) && m_types.rank(m_bank.type(vector)) == 1 && isInPlace(vector, 1);
    if (isBuild) {
        const TermId element = m_bank.child(m_bank.child(vector, 1), 0);
        const bool isIndex = m_bank.is(element, CoreOp::Bound) && m_bank.payload(element).asIndex() == 0;
        if (isIndex) {
            const Code size = components(m_bank.child(vector, 0), 1, true)[0];
            if (!size.range.isNonnegative()) require(isAtLeast(size, 0), "a size is negative");
            return {{}, size};
        }
    }
    const ExpressionId name = stored(vector, "v");
    return {name, sizeCode(name)};
}

Binding FunctionLowerer::elementOf(const Folded& folded, const Binding& index) {
    return folded.vector.isValid() ? Binding{element(folded.vector, index)} : index;
}

Code FunctionLowerer::fold(TermId term, std::string_view hint) {
    const TypeId stateType = m_bank.type(term);
    const Code start = lower(m_bank.child(term, 1));
    const Folded folded = this->folded(m_bank.child(term, 2));
    const ExpressionId state = variable(hint.empty() ? "state" : hint, stateType, consume(start));
    const Binding index = openLoops({folded.size}, TermId());
    const Code next = inlined(term, 0, Binding{{}, {Binding{state}, elementOf(folded, index)}}, "next");
    if (!areSame(next.expression, state)) append(Assign{state, consume(next)});
    closeLoop();
    return Code{state, isScalar(stateType) ? Form::Path : Form::Local};
}

Code FunctionLowerer::mapOver(TermId term, bool two, std::string_view hint) {
    const TypeId resultType = m_bank.type(term);
    const ExpressionId left = stored(m_bank.child(term, 1), "v");
    const ExpressionId right = two ? stored(m_bank.child(term, 2), "w") : ExpressionId();
    const auto sizesOf = [this](ExpressionId tensor) { return run(Operation::Sizes, {}, {tensor}); };
    if (two) {
        require(binary(Operator::Equal, m_types.boolean(), sizesOf(left), sizesOf(right)), "map2: the sizes differ");
    }
    const ExpressionId name =
        overwritten(hint.empty() ? "mapped" : hint, resultType, filled(resultType, {sizesOf(left)}));
    const Binding index = openLoops({sizeCode(elementsOf(left))}, TermId());
    Binding argument{element(elementsOf(left), index)};
    if (two) argument = Binding{{}, {argument, Binding{element(elementsOf(right), index)}}};
    inlinedInto(term, 0, std::move(argument), element(elementsOf(name), index));
    closeLoop();
    return Code{name, Form::Local};
}

Code FunctionLowerer::index(TermId term) {
    const auto rankOf = [this](TermId indexing) { return m_types.rank(m_bank.type(m_bank.child(indexing, 1))); };
    if (rankOf(term) > 1) {
        const std::vector<Code> at = components(m_bank.child(term, 0), rankOf(term), false);
        return Code{element(stored(m_bank.child(term, 1), "t"), list(at), true), Form::Path};
    }
    if (m_bank.is(m_bank.child(term, 1), CoreOp::Bound)) {
        const Binding* const vector = bindingOf(m_bank.child(term, 1));
        if (vector != nullptr && vector->areElements) {
            const ExpressionId at = components(m_bank.child(term, 0), 1, false)[0].expression;  // a literal
            const auto place = static_cast<std::size_t>(std::get<std::int64_t>(m_result.at(at).payload));
            return boundCode(vector->parts[place], m_bank.type(term));
        }
    }
    // An element of an element is accessed with all indices at once.
    std::vector<ExpressionId> indices;
    while (m_bank.op(term) == ks::opId(Op::Index) && rankOf(term) == 1) {
        indices.insert(indices.begin(), components(m_bank.child(term, 0), 1, false)[0].expression);
        term = m_bank.child(term, 1);
    }
    return Code{element(stored(term, "v"), std::move(indices), true), Form::Path};
}

Code FunctionLowerer::sizeCode(ExpressionId vector) {
    return Code{run(Operation::Size, m_types.integer(), {vector}), Form::Value, false, ir::sizeRange()};
}

Code FunctionLowerer::sizeOf(TermId term) {
    const TermId tensor = m_bank.child(term, 0);
    const std::uint32_t rank = m_types.rank(m_bank.type(tensor));
    if (rank == 1) return sizeCode(lower(tensor).expression);
    const ExpressionId name = stored(tensor, "t");
    std::vector<ExpressionId> sizes;
    for (std::uint32_t d = 0; d < rank; ++d) sizes.push_back(dimension(name, d));
    return Code{tuple(m_bank.type(term), std::move(sizes))};
}

Code FunctionLowerer::diag(TermId term, std::string_view hint) {
    const TypeId type = m_bank.type(term);
    const TypeId row = m_types.element(type);
    const Code rows = components(m_bank.child(term, 0), 1, true)[0];
    const Code columns = components(m_bank.child(term, 1), 1, true)[0];
    const ExpressionId name = overwritten(hint.empty() ? "matrix" : hint, type, filled(type, {sizeArgument(rows)}));
    const Binding index = openLoops({rows}, m_bank.child(term, 2));
    const ExpressionId e = inlined(term, 2, index).expression;
    const std::vector<ExpressionId> operands{columns.expression, index.expression, e};
    append(Assign{element(name, index), run(Operation::DeltaVector, row, operands, m_types.element(row))});
    closeLoop();
    return Code{name, Form::Local};
}

}  // namespace mitos::loops
