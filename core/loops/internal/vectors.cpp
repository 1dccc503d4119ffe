// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that make vectors and read them.
#include "core/ir/binding.h"
#include "core/loops/internal/expander.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Loops of at most so many iterations, with bodies of at most so many nodes, are written out.
constexpr std::int64_t MostIterations = 8;
constexpr std::uint64_t LargestBody = 60;

/// Whether a bound variable of the term, as seen from outside, satisfies a condition.
bool anyLoose(const ir::TermBank& bank, TermId term, std::uint32_t depth,
              absl::FunctionRef<bool(std::uint32_t)> holds) {
    if (bank.looseBound(term) <= depth) return false;
    if (bank.is(term, CoreOp::Bound)) return holds(bank.payload(term).asIndex() - depth);
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        if (anyLoose(bank, bank.child(term, i), depth + bank.boundIn(term, i), holds)) return true;
    }
    return false;
}

}  // namespace

bool Expander::isWrittenOut(TermId lambda, std::optional<std::int64_t> iterations) {
    if (!iterations || *iterations < 1 || *iterations > MostIterations || !m_from.is(lambda, CoreOp::Lam)) return false;
    const std::uint64_t size = m_from.treeSize(m_from.child(lambda, 0));
    return size <= LargestBody && m_growth.take(static_cast<std::uint64_t>(*iterations - 1) * size);
}

bool Expander::mentionsElements(TermId term) const {
    if (m_from.treeSize(term) > LargestBody) return false;
    return anyLoose(m_from, term, 0,
                    [&](std::uint32_t index) { return isStatic(m_bound[m_bound.size() - 1 - index]); });
}

ValueId Expander::vector(Op op, TermId term, std::string_view hint) {
    switch (op) {
        case Op::Build: return build(term);
        case Op::Sumbuild: return sumbuild(term, hint);
        case Op::Fold: return fold(term, hint);
        case Op::Map:
        case Op::Map2: return map(term);
        case Op::Index: return index(term);
        case Op::Size: {
            const ValueId vector = eval(m_from.child(term, 0));
            if (const std::optional<std::int64_t> length = lengthOf(vector)) {
                drop(vector);
                return ofTerm(m_to.integer(*length));
            }
            return ofTerm(made(op, {this->term(vector)}));
        }
        case Op::Shape: {
            const ValueId value = eval(m_from.child(term, 0));
            const std::optional<ValueId> shape = shapeOf(value);
            return shape ? *shape : ofTerm(made(op, {this->term(value)}));
        }
        case Op::Sum: return sum(term);
        case Op::VecInit: {
            Parts parts;
            for (std::size_t i = 0; i < m_from.childCount(term); ++i) parts.push_back(eval(m_from.child(term, i)));
            const TypeId type = m_map.type(m_from.type(term));
            const ValueId vector = ofParts(Kind::Vector, type, std::move(parts));
            if (m_from.childCount(term) <= static_cast<std::size_t>(MostElements)) return vector;
            return ofTerm(this->term(vector),
                          statedVector(static_cast<std::int64_t>(m_from.childCount(term)), m_to.types().element(type)));
        }
        case Op::ConstVec: {
            const ValueId size = eval(m_from.child(term, 0));
            const ValueId element = eval(m_from.child(term, 1));
            const TermId count = this->term(size);
            const TypeId type = m_map.type(m_from.type(term));
            const std::optional<std::int64_t> length = integer(count);
            if (!length || *length < 0) return ofTerm(made(op, {count, this->term(element)}));
            if (*length < 1 || *length > MostElements || !isFlat(element)) {
                return ofTerm(made(op, {count, this->term(element)}), statedVector(*length, at(element).type));
            }
            const ValueId number = bound(element, "element", true);
            const ValueId vector = ofParts(Kind::Vector, type, Parts(static_cast<std::size_t>(*length), number));
            m_values[vector.value].isConstant = true;
            return vector;
        }
        case Op::DeltaVec: return deltaVec(term);
        case Op::BuildFromSparse:
        case Op::BuildFromSparseTupled: return sparse(term);
        default: return ofTerm(residual(term));
    }
}

ValueId Expander::index(TermId term) {
    const ValueId place = eval(m_from.child(term, 0));
    const ValueId vector = eval(m_from.child(term, 1));
    const TermId at = this->term(place);
    const std::optional<std::int64_t> known = integer(at);
    const std::optional<std::int64_t> length = lengthOf(vector);
    const bool isInside = known && length && *known >= 0 && *known < *length;
    const StaticValue& value = this->at(vector);
    if (value.kind == Kind::Vector && isInside) {
        const Parts parts = value.parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (static_cast<std::int64_t>(i) != *known) drop(parts[i]);
        }
        return parts[static_cast<std::size_t>(*known)];
    }
    const TypeId stated = value.kind == Kind::Term ? m_to.types().element(value.stated) : TypeId();
    const bool isAtom = value.kind == Kind::Term && m_code.isAtom(value.term);
    const bool isElements = value.kind == Kind::Vector;
    const TermId whole = this->term(vector);
    if (isElements) m_code.keep(whole);
    const TermId read = made(Op::Index, {at, whole});
    if (isInside && isAtom) m_code.setTotal(read);
    return ofTerm(read, stated);
}

ValueId Expander::build(TermId term) {
    const TermId lambda = m_from.child(term, 1);
    const TermId count = this->term(eval(m_from.child(term, 0)));
    const std::optional<std::int64_t> iterations = integer(count);
    if (isWrittenOut(lambda, iterations)) {
        const std::optional<ValueId> vector = tried([&]() -> std::optional<ValueId> {
            Parts parts;
            for (std::int64_t i = 0; i < *iterations; ++i) {
                parts.push_back(applied(lambda, ofTerm(m_to.integer(i))));
                if (!isFlat(parts.back())) return std::nullopt;
            }
            return ofParts(Kind::Vector, m_map.type(m_from.type(term)), std::move(parts));
        });
        if (vector) return *vector;
    }
    const TermId body = m_from.is(lambda, CoreOp::Lam) ? this->lambda(lambda, m_to.type(count)) : whole(lambda);
    const TermId built = made(Op::Build, {count, body});
    if (const std::optional<Lengths> lengths = lengthsOf(term)) return ofTerm(built, statedType(*lengths));
    const bool isStated = iterations && *iterations >= 0;
    return ofTerm(built, isStated ? statedVector(*iterations, m_to.types().element(m_to.type(built))) : TypeId());
}

ValueId Expander::sumbuild(TermId term, std::string_view hint) {
    const TermId lambda = m_from.child(term, 1);
    const TermId count = this->term(eval(m_from.child(term, 0)));
    if (!m_from.is(lambda, CoreOp::Lam)) return ofTerm(made(Op::Sumbuild, {count, whole(lambda)}));
    const std::optional<std::int64_t> iterations = integer(count);
    if (isWrittenOut(lambda, iterations)) {
        const std::string name(hint.empty() ? "sum" : hint);
        const std::optional<ValueId> sum = tried([&]() -> std::optional<ValueId> {
            std::optional<ValueId> total;
            for (std::int64_t i = 0; i < *iterations; ++i) {
                const ValueId next = bound(applied(lambda, ofTerm(m_to.integer(i))), name, true);
                if (!isFlat(next)) return std::nullopt;
                total = total ? accumulated(*total, next) : next;
                if (!total) return std::nullopt;
                if (!m_to.types().isNumeric(at(*total).type)) total = bound(*total, name, true);
            }
            return total;
        });
        if (sum) return *sum;
    }
    const BlockId block = m_code.open(m_block);
    const TypeId type = m_to.type(count);
    const TermId parameter = m_code.parameter(block, hintOf(lambda), type);
    m_bound.push_back(ofTerm(parameter));
    ValueId value;
    std::vector<TermId> leaves;
    Shape form;
    inBlock(block, [&] {
        value = eval(m_from.child(lambda, 0));
        form = shape(value);
        if (form.kind != Kind::Term && hasVector(form) && isNumbers(form)) flatten(form, value, leaves);
        return 0;
    });
    m_bound.pop_back();
    if (leaves.empty()) {
        const TermId result = inBlock(block, [&] { return this->term(value); });
        return ofTerm(made(Op::Sumbuild, {count, m_code.lambda(block, result)}));
    }
    const std::vector<TermId> sums =
        m_code.bindLeaves(m_block, Op::Sumbuild, count, {&block, 1}, {leaves}, hint.empty() ? "sum" : hint, false);
    std::size_t next = 0;
    return rebuild(form, sums, next);
}

ValueId Expander::fold(TermId term, std::string_view hint) {
    const TermId lambda = m_from.child(term, 0);
    ValueId state = eval(m_from.child(term, 1));
    const ValueId vector = eval(m_from.child(term, 2));
    const bool isLambda = m_from.is(lambda, CoreOp::Lam);
    const std::optional<std::int64_t> length = lengthOf(vector);
    if (isLambda && at(vector).kind == Kind::Vector && isWrittenOut(lambda, length)) {
        const Parts elements = at(bound(vector, "element", true)).parts;
        const TypeId pair = m_map.type(m_from.payload(lambda).asType());
        const std::string name(hint.empty() ? "state" : hint);
        for (const ValueId element : elements) {
            const ValueId from = bound(state, name, true);
            state = applied(lambda, ofParts(Kind::Tuple, pair, {from, element}), name);
        }
        return state;
    }
    const TypeId element =
        at(vector).kind == Kind::Term ? m_to.types().element(at(vector).stated) : m_to.types().element(at(vector).type);
    const TermId elements = this->term(vector);
    if (isLambda && isStatic(state)) {
        if (const std::optional<ValueId> result = foldOfNumbers(term, state, elements, element, hint)) return *result;
    }
    const std::vector<TypeId> stated{at(state).type, element};
    const TermId function = isLambda ? this->lambda(lambda, m_to.types().tuple(stated)) : whole(lambda);
    return ofTerm(made(Op::Fold, {function, this->term(state), elements}));
}

std::optional<ValueId> Expander::foldOfNumbers(TermId term, ValueId start, TermId vector, TypeId element,
                                               std::string_view hint) {
    const TermId lambda = m_from.child(term, 0);
    const Shape form = shape(start);
    if (!hasVector(form) || !m_growth.take(m_from.treeSize(lambda))) return std::nullopt;
    std::vector<TermId> first;
    flatten(form, start, first);
    std::vector<TypeId> types;
    for (const TermId leaf : first) types.push_back(m_to.type(leaf));
    const TypeId stateType = types.size() == 1 ? types[0] : m_to.types().tuple(types);
    const std::vector<TypeId> pair{stateType, m_to.types().element(m_to.type(vector))};
    const BlockId block = m_code.open(m_block);
    const TermId parameter = m_code.parameter(block, hintOf(lambda), m_to.types().tuple(pair));
    const auto unpacked = [&](TermId state) {
        std::vector<TermId> leaves;
        for (std::uint32_t i = 0; i < types.size(); ++i) {
            leaves.push_back(types.size() == 1 ? state : m_to.get(state, i));
        }
        std::size_t next = 0;
        return rebuild(form, leaves, next);
    };
    std::vector<TermId> last;
    const bool isSame = inBlock(block, [&] {
        const ValueId state = bound(unpacked(m_to.get(parameter, 0)), hint.empty() ? "state" : hint, true);
        const ValueId next = ofTerm(m_to.get(parameter, 1), element);
        const TypeId both = m_map.type(m_from.payload(lambda).asType());
        const ValueId value = applied(lambda, ofParts(Kind::Tuple, both, {state, next}));
        if (!fits(form, value)) return false;
        flatten(form, value, last);
        return true;
    });
    if (!isSame) return std::nullopt;
    const auto packed = [&](const std::vector<TermId>& leaves) {
        return leaves.size() == 1 ? leaves[0] : m_to.tuple(leaves);
    };
    const TermId folded = made(Op::Fold, {m_code.lambda(block, packed(last)), packed(first), vector});
    return unpacked(atom(folded, hint.empty() ? "state" : hint));
}

ValueId Expander::map(TermId term) {
    const TermId lambda = m_from.child(term, 0);
    const bool hasTwo = m_from.childCount(term) == 3;
    Parts vectors;
    for (std::size_t i = 1; i < m_from.childCount(term); ++i) vectors.push_back(eval(m_from.child(term, i)));
    const std::optional<std::int64_t> length = lengthOf(vectors[0]);
    const bool isKnown = std::ranges::any_of(vectors, [&](ValueId vector) { return isStatic(vector); }) &&
                         std::ranges::all_of(vectors, [&](ValueId vector) { return lengthOf(vector) == length; });
    const TypeId type = m_map.type(m_from.type(term));
    const bool isLambda = m_from.is(lambda, CoreOp::Lam);
    if (isLambda && isKnown && isWrittenOut(lambda, length)) {
        const TypeId argument = m_map.type(m_from.payload(lambda).asType());
        std::vector<Parts> elements;
        for (const ValueId vector : vectors) elements.push_back(*partsOf(vector));
        Parts results;
        for (std::size_t i = 0; i < elements[0].size(); ++i) {
            const ValueId element =
                hasTwo ? ofParts(Kind::Tuple, argument, {elements[0][i], elements[1][i]}) : elements[0][i];
            results.push_back(applied(lambda, element));
        }
        return ofParts(Kind::Vector, type, std::move(results));
    }
    absl::InlinedVector<TermId, 3> children;
    std::vector<TypeId> stated;
    for (const ValueId vector : vectors) {
        stated.push_back(m_to.types().element(isStatic(vector) ? at(vector).type : at(vector).stated));
    }
    const TypeId argument = hasTwo ? m_to.types().tuple(stated) : stated[0];
    children.push_back(isLambda ? this->lambda(lambda, argument) : whole(lambda));
    for (const ValueId vector : vectors) children.push_back(this->term(vector));
    return ofTerm(*m_to.make(m_from.op(term), children));
}

ValueId Expander::sum(TermId term) {
    const ValueId vector = eval(m_from.child(term, 0));
    if (at(vector).kind == Kind::Vector) {
        const Parts parts = at(vector).parts;
        ValueId total = parts[0];
        bool isSummed = m_growth.take(parts.size());
        for (std::size_t i = 1; i < parts.size() && isSummed; ++i) {
            const bool isNumber = m_to.types().isNumeric(at(total).type);
            const std::optional<ValueId> sum =
                isNumber ? accumulated(total, parts[i])
                         : accumulated(bound(total, "sum", true), bound(parts[i], "summand", true));
            isSummed = sum.has_value();
            if (sum) total = *sum;
        }
        if (isSummed) return total;
    }
    return ofTerm(made(Op::Sum, {this->term(vector)}));
}

ValueId Expander::deltaVec(TermId term) {
    const TermId size = this->term(eval(m_from.child(term, 0)));
    const TermId place = this->term(eval(m_from.child(term, 1)));
    const ValueId element = eval(m_from.child(term, 2));
    const std::optional<std::int64_t> length = integer(size);
    const std::optional<std::int64_t> known = integer(place);
    if (length && known && *length >= 1 && *length <= MostElements) {
        const ValueId number = bound(element, "element", true);
        if (const std::optional<ValueId> zero = zeroLike(number)) {
            Parts parts(static_cast<std::size_t>(*length), *zero);
            if (*known >= 0 && *known < *length) parts[static_cast<std::size_t>(*known)] = number;
            return ofParts(Kind::Vector, m_map.type(m_from.type(term)), std::move(parts));
        }
        return ofTerm(made(Op::DeltaVec, {size, place, this->term(number)}));
    }
    return ofTerm(made(Op::DeltaVec, {size, place, this->term(element)}));
}

ValueId Expander::sparse(TermId term) {
    const bool isTupled = ks::ksOp(m_from.op(term)) == Op::BuildFromSparseTupled;
    const TermId lambda = m_from.child(term, 2);
    const ValueId shapes = eval(m_from.child(term, 0));
    const TermId count = this->term(eval(m_from.child(term, 1)));
    if (isWrittenOut(lambda, integer(count))) {
        const auto work = [&] { return sparseOfFew(term, shapes, *integer(count), isTupled); };
        if (const std::optional<ValueId> result = tried(work)) return *result;
    }
    const TermId function = m_from.is(lambda, CoreOp::Lam) ? this->lambda(lambda, m_to.type(count)) : whole(lambda);
    return ofTerm(*m_to.make(m_from.op(term), std::vector<TermId>{this->term(shapes), count, function}));
}

/// Adds a value to the element at an index that is known, or is one of two that are known.
bool Expander::addedAt(Parts& elements, TermId place, ValueId summand) {
    const auto isInside = [&](std::optional<std::int64_t> index) {
        return index && *index >= 0 && *index < static_cast<std::int64_t>(elements.size());
    };
    if (const std::optional<std::int64_t> index = integer(place)) {
        if (!isInside(index)) return false;
        ValueId& element = elements[static_cast<std::size_t>(*index)];
        const std::optional<ValueId> sum = accumulated(element, summand);
        if (sum) element = *sum;
        return sum.has_value();
    }
    const TermId choice = m_code.definition(place);
    if (!m_to.types().isNumeric(at(summand).type) || ks::ksOp(m_to.op(choice)) != Op::If) return false;
    const TermId condition = m_to.child(choice, 0);
    const std::optional<std::int64_t> indices[2] = {integer(m_to.child(choice, 1)), integer(m_to.child(choice, 2))};
    if (!m_code.isAtom(condition) || !isInside(indices[0]) || !isInside(indices[1])) return false;
    const TermId added = atom(term(summand), "added");
    for (std::size_t i = 0; i < 2; ++i) {
        ValueId& element = elements[static_cast<std::size_t>(*indices[i])];
        const TermId before = atom(term(element), "sum");
        const TermId sum = before == m_to.floating(0.0) ? addedToZero(added) : scalar(Op::Add, before, added);
        const bool isBoth = *indices[0] == *indices[1];
        element = ofTerm(isBoth ? sum : made(Op::If, {condition, i == 0 ? sum : before, i == 0 ? before : sum}));
        if (isBoth) break;
    }
    return true;
}

std::optional<ValueId> Expander::sparseOfFew(TermId term, ValueId shapes, std::int64_t count, bool isTupled) {
    const TermId lambda = m_from.child(term, 2);
    const TypeId type = m_map.type(m_from.type(term));
    std::vector<TypeId> tensors{type};
    Parts given{shapes};
    if (isTupled) {
        tensors.assign(m_to.types().children(type).begin(), m_to.types().children(type).end());
        if (at(shapes).kind != Kind::Tuple) return std::nullopt;
        given = at(shapes).parts;
    }
    std::vector<Parts> results;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (at(given[i]).kind != Kind::Vector) return std::nullopt;
        const TypeId element = m_to.types().element(tensors[i]);
        Parts zeros;
        const Parts parts = at(given[i]).parts;
        for (const ValueId part : parts) {
            const std::optional<ValueId> zero = at(part).type == element ? zeroLike(part) : zeroOfShape(element, part);
            if (!zero) return std::nullopt;
            zeros.push_back(*zero);
        }
        results.push_back(std::move(zeros));
    }
    for (std::int64_t k = 0; k < count; ++k) {
        const ValueId value = applied(lambda, ofTerm(m_to.integer(k)));
        Parts pairs{value};
        if (isTupled) {
            if (at(value).kind != Kind::Tuple) return std::nullopt;
            pairs = at(value).parts;
        }
        for (std::size_t r = 0; r < results.size(); ++r) {
            if (at(pairs[r]).kind != Kind::Tuple) return std::nullopt;
            const ValueId summand = at(pairs[r]).parts[1];
            if (!addedAt(results[r], this->term(at(pairs[r]).parts[0]), summand)) return std::nullopt;
        }
    }
    Parts vectors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        vectors.push_back(ofParts(Kind::Vector, tensors[i], std::move(results[i])));
    }
    return isTupled ? ofParts(Kind::Tuple, type, std::move(vectors)) : vectors[0];
}

}  // namespace mitos::loops
