// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/internal/simple_terms.h"

#include <algorithm>
#include <cassert>

namespace mitos::eval {

using ir::TermId;
using ir::TypeId;
using ir::TypeKind;
using ks::Op;

namespace {

TermId sizeOfRank(ir::TermBank& bank, std::uint32_t rank, std::int64_t size) {
    if (rank == 1) return bank.integer(size);
    const std::vector<TermId> sizes(rank, bank.integer(size));
    return bank.tuple(sizes);
}

/// A tuple of the results of `element` for each type.
template <typename Element>
TermId tupleOf(ir::TermBank& bank, TypeId type, const Element& element) {
    const std::vector<TypeId> types(bank.types().children(type).begin(), bank.types().children(type).end());
    std::vector<TermId> elements;
    for (const TypeId part : types) {
        const TermId made = element(part);
        if (!made.isValid()) return {};
        elements.push_back(made);
    }
    return bank.tuple(elements);
}

/// A term of the type in which `leaf` gives the parts that are neither tuples nor tensors; tensors have `size` elements in each
/// dimension. Invalid if a part is.
template <typename Leaf>
TermId uniform(ir::TermBank& bank, TypeId type, std::int64_t size, const Leaf& leaf) {
    const ir::TypeTable& types = bank.types();
    if (types.isTuple(type)) return tupleOf(bank, type, [&](TypeId part) { return uniform(bank, part, size, leaf); });
    if (!types.isTensor(type)) return leaf(type);
    const TermId element = uniform(bank, types.element(type), size, leaf);
    return element.isValid() ? make(bank, Op::ConstVec, {sizeOfRank(bank, types.rank(type), size), element}) : TermId();
}

std::vector<TermId> simpleFunctions(ir::TermBank& bank, TypeId from, TypeId to) {
    const Symbol hint = bank.symbols().intern("i");
    std::vector<TermId> result;
    for (const TermId value : simpleTerms(bank, to)) result.push_back(bank.lambda(hint, from, value));
    const TermId argument = bank.bound(0, from);
    if (from == to) result.push_back(bank.lambda(hint, from, argument));
    if (from == bank.types().integer() && to == bank.types().floating()) {
        result.push_back(bank.lambda(hint, from, make(bank, Op::ToFloat, {argument})));
    }
    return result;
}

}  // namespace

TermId make(ir::TermBank& bank, Op op, std::initializer_list<TermId> children) {
    const Result<TermId> result = bank.make(ks::opId(op), std::vector<TermId>(children));
    assert(result.ok());
    return *result;
}

std::vector<TermId> simpleTerms(ir::TermBank& bank, TypeId type) {
    ir::TypeTable& types = bank.types();
    switch (types.kind(type)) {
        case TypeKind::Float: return {bank.floating(0.0), bank.floating(1.0), bank.floating(2.0)};
        case TypeKind::Integer: return {bank.integer(0), bank.integer(1), bank.integer(2)};
        case TypeKind::Bool: return {bank.boolean(false), bank.boolean(true)};
        case TypeKind::String: return {bank.string("")};
        case TypeKind::Tuple: {
            std::vector<TermId> result;
            for (std::size_t i = 0; i < 2; ++i) {
                result.push_back(tupleOf(bank, type, [&](TypeId part) {
                    const std::vector<TermId> simple = simpleTerms(bank, part);
                    return simple[std::min(i, simple.size() - 1)];
                }));
            }
            return result;
        }
        case TypeKind::Tensor: {
            const std::uint32_t rank = types.rank(type);
            std::vector<TermId> result;
            for (const std::int64_t size : {1, 2}) {
                for (const TermId element : simpleTerms(bank, types.element(type)))
                    result.push_back(make(bank, Op::ConstVec, {sizeOfRank(bank, rank, size), element}));
            }
            return result;
        }
        case TypeKind::Lambda: return simpleFunctions(bank, types.children(type)[0], types.children(type)[1]);
        case TypeKind::Array: return {};
        case TypeKind::LinearMap: break;
    }
    const TypeId from = types.children(type)[0];
    const TypeId to = types.children(type)[1];
    const TermId source = simpleTerms(bank, from).front();
    std::vector<TermId> result;
    if (from == to) result.push_back(make(bank, Op::LmOne, {source}));
    result.push_back(make(bank, Op::LmZero, {source, simpleTerms(bank, to).front()}));
    return result;
}

TermId zeroTerm(ir::TermBank& bank, TypeId type, std::int64_t size) {
    return uniform(bank, type, size, [&](TypeId part) {
        return bank.types().isNumeric(part) ? simpleTerms(bank, part).front() : TermId();
    });
}

}  // namespace mitos::eval
