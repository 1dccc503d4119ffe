// SPDX-License-Identifier: GPL-3.0-or-later
// Values of terms: names for them, their parts, and the terms that they are as a whole.
#include "core/eval/signature.h"
#include "core/loops/internal/expander.h"

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

ValueId Expander::add(StaticValue value) {
    m_values.push_back(std::move(value));
    return ValueId(static_cast<std::uint32_t>(m_values.size() - 1));
}

ValueId Expander::ofTerm(TermId term, TypeId stated) {
    const TypeId type = m_to.type(term);
    return add({.kind = Kind::Term, .type = type, .term = term, .stated = stated.isValid() ? stated : type});
}

ValueId Expander::ofParts(Kind kind, TypeId type, Parts parts) {
    return add({.kind = kind, .type = type, .parts = std::move(parts)});
}

TermId Expander::atom(TermId term, std::string_view hint) {
    return m_code.isAtom(term) ? term : m_code.bind(m_block, term, hint, true);
}

ValueId Expander::bound(ValueId value, std::string_view hint, bool isTemporary) {
    const StaticValue& known = at(value);
    if (known.kind == Kind::Term) {
        if (m_code.isAtom(known.term)) return value;
        const TypeId stated = known.stated;
        return ofTerm(m_code.bind(m_block, known.term, hint, isTemporary), stated);
    }
    if (known.owner.isValid()) return value;
    const std::size_t first = known.kind == Kind::Tuple ? 1 : 0;
    const std::string base(hint);
    Parts parts = known.parts;
    const Kind kind = known.kind;
    const TypeId type = known.type;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = bound(parts[i], fmt::format("{}_{}", base, i + first), isTemporary);
    }
    const ValueId result = ofParts(kind, type, std::move(parts));
    m_values[result.value].isConstant = at(value).isConstant;
    m_values[result.value].owner = m_block;
    m_values[result.value].hint = base;
    return result;
}

TermId Expander::term(ValueId value) {
    const StaticValue& known = at(value);
    if (known.kind == Kind::Term) return known.term;
    if (known.kind == Kind::Vector && known.owner.isValid()) return wholeVector(value);
    const Kind kind = known.kind;
    const Parts parts = known.parts;
    absl::InlinedVector<TermId, 8> terms;
    for (const ValueId part : parts) terms.push_back(term(part));
    if (kind == Kind::Vector) {
        const bool isConstant = (at(value).isConstant || (terms.size() > 1 && m_code.isAtom(terms[0]))) &&
                                std::ranges::all_of(terms, [&](TermId part) { return part == terms[0]; });
        if (isConstant) return made(Op::ConstVec, {m_to.integer(static_cast<std::int64_t>(terms.size())), terms[0]});
        return *m_to.make(ks::opId(Op::VecInit), terms);
    }
    // All parts of a tuple, in order, are the tuple.
    const TermId first = terms.empty() ? TermId() : terms[0];
    if (first.isValid() && m_to.is(first, CoreOp::Get)) {
        const TermId tuple = m_to.child(first, 0);
        bool isAll = m_code.isAtom(tuple) && m_to.types().children(m_to.type(tuple)).size() == terms.size();
        for (std::uint32_t i = 0; isAll && i < terms.size(); ++i) {
            isAll = m_to.is(terms[i], CoreOp::Get) && m_to.child(terms[i], 0) == tuple &&
                    m_to.payload(terms[i]).projectionIndex() == i;
        }
        if (isAll) return tuple;
    }
    return m_to.tuple(terms);
}

TermId Expander::wholeVector(ValueId value) {
    for (const auto& [block, variable] : at(value).wholes) {
        if (m_code.isIn(m_block, block)) return variable;
    }
    // Outside of the loops that the elements are made outside of.
    BlockId home = m_block;
    const BlockId owner = m_code.resolved(at(value).owner);
    for (BlockId block = m_block; block.isValid() && block != owner; block = m_code.outer(block)) {
        if (m_code.isLambda(block)) home = m_code.outer(block);
    }
    const Parts parts = at(value).parts;
    const std::string hint = at(value).hint;
    const TermId variable = inBlock(home, [&] {
        const ValueId plain = ofParts(Kind::Vector, at(value).type, parts);
        m_values[plain.value].isConstant = at(value).isConstant;
        return m_code.bind(home, term(plain), hint, true);
    });
    m_values[value.value].wholes.emplace_back(home, variable);
    return variable;
}

void Expander::dropTerm(TermId term) {
    if (!m_code.mayDrop(term)) m_code.bind(m_block, term, "unused");
}

void Expander::drop(ValueId value) {
    if (at(value).kind == Kind::Term) return dropTerm(at(value).term);
    const Parts parts = at(value).parts;
    for (const ValueId part : parts) drop(part);
}

std::optional<std::int64_t> Expander::lengthOf(ValueId value) const {
    const StaticValue& known = at(value);
    if (known.kind == Kind::Vector) return static_cast<std::int64_t>(known.parts.size());
    const ir::TypeTable& types = m_to.types();
    if (known.kind != Kind::Term || !types.isTensor(known.stated) || types.rank(known.stated) != 1) return std::nullopt;
    if (types.sizes(known.stated).empty() || !types.sizes(known.stated)[0].isValid()) return std::nullopt;
    return eval::constantSize(m_to, types.sizes(known.stated)[0]);
}

std::optional<Expander::Parts> Expander::partsOf(ValueId value) {
    if (at(value).kind != Kind::Term) return at(value).parts;
    const TypeId type = at(value).type;
    const TypeId stated = at(value).stated;
    Parts parts;
    if (m_to.types().isTuple(type)) {
        const TermId tuple = atom(at(value).term, "tuple");
        for (std::uint32_t i = 0; i < m_to.types().children(type).size(); ++i) {
            const TypeId part = m_to.types().children(stated)[i];
            parts.push_back(ofTerm(m_to.get(tuple, i), part));
        }
        return parts;
    }
    const std::optional<std::int64_t> length = lengthOf(value);
    if (!length || *length < 1 || *length > MostElements) return std::nullopt;
    const TermId vector = atom(at(value).term, "vector");
    const TypeId element = m_to.types().element(stated);
    for (std::int64_t i = 0; i < *length; ++i) {
        const TermId read = made(Op::Index, {m_to.integer(i), vector});
        m_code.setTotal(read);
        parts.push_back(ofTerm(read, element));
    }
    return parts;
}

bool Expander::isStatic(ValueId value) const { return at(value).kind != Kind::Term; }

bool Expander::isFlat(ValueId value) const {
    if (at(value).kind == Kind::Term) {
        const ir::TypeTable& types = m_to.types();
        const TypeId type = at(value).type;
        return types.isNumeric(type) || type == types.boolean() || type == types.unit();
    }
    return std::ranges::all_of(at(value).parts, [&](ValueId part) { return isFlat(part); });
}

TypeId Expander::statedVector(std::int64_t length, TypeId element) {
    const std::array<Symbol, 1> sizes{m_to.symbols().intern(fmt::format("{}", length))};
    return m_to.types().tensor(1, element, sizes);
}

std::optional<ValueId> Expander::zeroLike(ValueId value) {
    const ir::TypeTable& types = m_to.types();
    const TypeId type = at(value).type;
    if (type == types.floating()) return ofTerm(m_to.floating(0.0));
    if (type == types.integer()) return ofTerm(m_to.integer(0));
    if (type == types.boolean()) return ofTerm(m_to.boolean(false));
    if (!types.isTuple(type) && at(value).kind != Kind::Vector) return std::nullopt;
    const std::optional<Parts> parts = partsOf(value);
    if (!parts) return std::nullopt;
    Parts zeros;
    for (const ValueId part : *parts) {
        const std::optional<ValueId> zero = zeroLike(part);
        if (!zero) return std::nullopt;
        zeros.push_back(*zero);
    }
    return ofParts(types.isTuple(type) ? Kind::Tuple : Kind::Vector, type, std::move(zeros));
}

bool Expander::hasTrivialShape(TypeId type) const {
    const ir::TypeTable& types = m_to.types();
    if (types.isTensor(type)) return false;
    if (!types.isTuple(type)) return true;
    return std::ranges::all_of(types.children(type), [&](TypeId part) { return hasTrivialShape(part); });
}

std::optional<ValueId> Expander::zeroOfShape(TypeId type, ValueId shape) {
    ir::TypeTable& types = m_to.types();
    if (type == types.floating()) return ofTerm(m_to.floating(0.0));
    if (type == types.integer()) return ofTerm(m_to.integer(0));
    if (types.isTuple(type)) {
        const std::vector<TypeId> elements(types.children(type).begin(), types.children(type).end());
        const bool isTrivial = hasTrivialShape(type);
        if (!isTrivial && at(shape).kind != Kind::Tuple) return std::nullopt;
        Parts zeros;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const std::optional<ValueId> zero = zeroOfShape(elements[i], isTrivial ? shape : at(shape).parts[i]);
            if (!zero) return std::nullopt;
            zeros.push_back(*zero);
        }
        return ofParts(Kind::Tuple, type, std::move(zeros));
    }
    if (!types.isTensor(type) || types.rank(type) != 1 || !hasTrivialShape(types.element(type))) return std::nullopt;
    if (at(shape).kind != Kind::Term) return std::nullopt;
    const std::optional<std::int64_t> length = integer(at(shape).term);
    if (!length || *length < 1 || *length > MostElements) return std::nullopt;
    Parts zeros;
    for (std::int64_t i = 0; i < *length; ++i) {
        const std::optional<ValueId> zero = zeroOfShape(types.element(type), shape);
        if (!zero) return std::nullopt;
        zeros.push_back(*zero);
    }
    return ofParts(Kind::Vector, type, std::move(zeros));
}

std::optional<ValueId> Expander::shapeOf(ValueId value) {
    ir::TypeTable& types = m_to.types();
    const TypeId type = at(value).type;
    if (hasTrivialShape(type)) {
        drop(value);
        return ofParts(Kind::Tuple, types.unit(), {});
    }
    if (types.isTensor(type) && hasTrivialShape(types.element(type))) {
        const std::optional<std::int64_t> length = lengthOf(value);
        if (!length) return std::nullopt;
        drop(value);
        return ofTerm(m_to.integer(*length));
    }
    if (at(value).kind == Kind::Term) return std::nullopt;
    const Result<TypeId> shapeType = types.shape(type);
    const Parts parts = at(value).parts;
    Parts shapes;
    for (const ValueId part : parts) {
        const std::optional<ValueId> shape = shapeOf(part);
        shapes.push_back(shape ? *shape : ofTerm(made(Op::Shape, {term(part)})));
    }
    return ofParts(at(value).kind, *shapeType, std::move(shapes));
}

// --- structure ----------------------------------------------------------------------------------------------------------

Expander::Shape Expander::shape(ValueId value) const {
    Shape result{at(value).kind, at(value).type};
    for (const ValueId part : at(value).parts) result.parts.push_back(shape(part));
    return result;
}

bool Expander::fits(const Shape& shape, ValueId value) const {
    const StaticValue& known = at(value);
    if (shape.kind == Kind::Term) return true;
    if (known.kind == Kind::Term) {
        if (shape.kind == Kind::Tuple) {
            return std::ranges::all_of(shape.parts, [&](const Shape& part) { return part.kind == Kind::Term; });
        }
        if (lengthOf(value) != static_cast<std::int64_t>(shape.parts.size())) return false;
        return std::ranges::all_of(shape.parts, [&](const Shape& part) { return part.kind == Kind::Term; });
    }
    if (known.parts.size() != shape.parts.size()) return false;
    for (std::size_t i = 0; i < known.parts.size(); ++i) {
        if (!fits(shape.parts[i], known.parts[i])) return false;
    }
    return true;
}

Expander::Shape Expander::commonShape(ValueId a, ValueId b) const {
    const StaticValue& x = at(a);
    const StaticValue& y = at(b);
    const Shape leaf{Kind::Term, x.type};
    if (x.kind == Kind::Term && y.kind == Kind::Term) return leaf;
    if (x.kind != Kind::Term && y.kind != Kind::Term) {
        if (x.parts.size() != y.parts.size()) return leaf;
        Shape result{x.kind, x.type};
        for (std::size_t i = 0; i < x.parts.size(); ++i) result.parts.push_back(commonShape(x.parts[i], y.parts[i]));
        return result;
    }
    const ValueId whole = x.kind == Kind::Term ? a : b;
    const StaticValue& parts = x.kind == Kind::Term ? y : x;
    if (parts.kind == Kind::Vector && lengthOf(whole) != static_cast<std::int64_t>(parts.parts.size())) return leaf;
    Shape result{parts.kind, parts.type};
    for (const ValueId part : parts.parts) result.parts.push_back({Kind::Term, at(part).type});
    return result;
}

bool Expander::hasVector(const Shape& shape) const {
    return shape.kind == Kind::Vector ||
           std::ranges::any_of(shape.parts, [&](const Shape& part) { return hasVector(part); });
}

bool Expander::isSplit(ValueId value) const {
    if (at(value).kind == Kind::Term) return lengthOf(value).value_or(MostElements + 1) <= MostElements;
    return hasVector(shape(value)) || isFlat(value);
}

bool Expander::isNumbers(const Shape& shape) const {
    if (shape.kind == Kind::Term) return m_to.types().isNumeric(shape.type);
    return std::ranges::all_of(shape.parts, [&](const Shape& part) { return isNumbers(part); });
}

void Expander::flatten(const Shape& shape, ValueId value, std::vector<TermId>& leaves) {
    if (shape.kind == Kind::Term) {
        const TermId leaf = term(value);
        leaves.push_back(m_code.isTotal(leaf) ? leaf : atom(leaf, "part"));
        return;
    }
    const std::optional<Parts> parts = partsOf(value);
    for (std::size_t i = 0; i < shape.parts.size(); ++i) flatten(shape.parts[i], (*parts)[i], leaves);
}

ValueId Expander::rebuild(const Shape& shape, std::span<const TermId> leaves, std::size_t& next) {
    if (shape.kind == Kind::Term) return ofTerm(leaves[next++]);
    Parts parts;
    for (const Shape& part : shape.parts) parts.push_back(rebuild(part, leaves, next));
    return ofParts(shape.kind, shape.type, std::move(parts));
}

std::size_t Expander::countLeaves(const Shape& shape) {
    if (shape.kind == Kind::Term) return 1;
    std::size_t count = 0;
    for (const Shape& part : shape.parts) count += countLeaves(part);
    return count;
}

}  // namespace mitos::loops
