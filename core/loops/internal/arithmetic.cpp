// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on numbers, and part by part on vectors and tuples whose parts are known.
#include "core/loops/internal/expander.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <limits>

namespace mitos::loops {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermId;
using ir::TypeId;
using ks::Op;

TermId Expander::made(Op op, std::initializer_list<TermId> children) {
    const TermId term = *m_to.make(ks::opId(op), std::span<const TermId>(children.begin(), children.size()));
    m_code.noteMade(term);
    return term;
}

std::optional<std::int64_t> Expander::integer(TermId term) const {
    if (!m_to.is(term, CoreOp::Literal) || m_to.payload(term).kind() != PayloadKind::Integer) return std::nullopt;
    return m_to.payload(term).asInteger();
}

std::optional<bool> Expander::truth(TermId term) const {
    if (!m_to.is(term, CoreOp::Literal) || m_to.payload(term).kind() != PayloadKind::Bool) return std::nullopt;
    return m_to.payload(term).asBool();
}

/// x for 1.0 x, and the product of two numbers, one of which is zero.
TermId Expander::knownProduct(TermId a, TermId b) {
    const auto floating = [&](TermId term) -> std::optional<double> {
        if (!m_to.is(term, CoreOp::Literal) || m_to.payload(term).kind() != PayloadKind::Float) return std::nullopt;
        return m_to.payload(term).asFloat();
    };
    const bool isFloat = m_to.type(a) == m_to.types().floating() && m_to.type(b) == m_to.types().floating();
    if (!isFloat) return {};
    const std::optional<double> x = floating(a);
    const std::optional<double> y = floating(b);
    if (x == 1.0) return b;
    if (y == 1.0) return a;
    if (x && y && (*x == 0.0 || *y == 0.0)) return m_to.floating(*x * *y);
    return {};
}

/// An application to two operands; of two Integers that are known, what it gives.
TermId Expander::scalar(Op op, TermId a, TermId b) {
    const std::optional<std::int64_t> x = integer(a);
    const std::optional<std::int64_t> y = integer(b);
    if (!x && !y) {
        const TermId product = op == Op::Mul ? knownProduct(a, b) : TermId();
        return product.isValid() ? product : made(op, {a, b});
    }
    if (!x || !y) return made(op, {a, b});
    const auto left = static_cast<std::uint64_t>(*x);
    const auto right = static_cast<std::uint64_t>(*y);
    switch (op) {
        case Op::Add: return m_to.integer(static_cast<std::int64_t>(left + right));
        case Op::Sub: return m_to.integer(static_cast<std::int64_t>(left - right));
        case Op::Mul: return m_to.integer(static_cast<std::int64_t>(left * right));
        case Op::Div:
            if (*y == 0 || *y == -1) return made(op, {a, b});
            return m_to.integer(*x / *y);
        case Op::Gt: return m_to.boolean(*x > *y);
        case Op::Lt: return m_to.boolean(*x < *y);
        case Op::Gte: return m_to.boolean(*x >= *y);
        case Op::Lte: return m_to.boolean(*x <= *y);
        case Op::Eq: return m_to.boolean(*x == *y);
        case Op::Ne: return m_to.boolean(*x != *y);
        default: return made(op, {a, b});
    }
}

ValueId Expander::arithmetic(Op op, TermId term) {
    const std::size_t count = m_from.childCount(term);
    if (count == 0) return ofTerm(residual(term));
    if (count == 1) {
        const ValueId value = eval(m_from.child(term, 0));
        if (op == Op::Max && at(value).kind == Kind::Vector) {
            const Parts parts = at(value).parts;
            TermId largest = this->term(parts[0]);
            for (std::size_t i = 1; i < parts.size(); ++i) {
                largest = made(Op::Max, {this->term(parts[i]), atom(largest, "largest")});
            }
            return ofTerm(largest);
        }
        if (op == Op::Exp && !m_to.types().isNumeric(at(value).type)) {
            const ValueId vector =
                mapped(value, [&](ValueId part) { return ofTerm(made(Op::Exp, {this->term(part)})); });
            if (vector.isValid()) return vector;
        }
        if (op == Op::TsNeg) return scaled(m_to.floating(-1.0), value);
        if (op == Op::Neg) {
            if (const auto x = integer(this->term(value))) {
                return ofTerm(m_to.integer(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(*x))));
            }
        }
        if (op == Op::ToFloat) {
            constexpr std::int64_t Exact = 1LL << 53U;
            const auto x = integer(this->term(value));
            if (x && *x <= Exact && *x >= -Exact) return ofTerm(m_to.floating(static_cast<double>(*x)));
        }
        // Functions that take long are not computed twice.
        const TermId result = made(op, {this->term(value)});
        const TermId known = op >= Op::Log && op <= Op::Lgamma ? m_code.known(m_block, result) : TermId();
        return ofTerm(known.isValid() ? known : result);
    }
    const ValueId a = eval(m_from.child(term, 0));
    const ValueId b = eval(m_from.child(term, 1));
    if (op == Op::TsScale) {
        if (m_to.types().isNumeric(at(b).type)) return ofTerm(made(op, {this->term(a), this->term(b)}));
        return scaled(this->term(a), b);
    }
    if (op == Op::Eq || op == Op::Ne || op == Op::Max) return ofTerm(scalar(op, this->term(a), this->term(b)));
    return combined(op, a, b);
}

/// f of each part, for vectors whose length is known and tuples with such vectors; invalid without one.
ValueId Expander::mapped(ValueId value, absl::FunctionRef<ValueId(ValueId)> f) {
    const std::optional<Parts> parts = partsOf(value);
    if (!parts) return {};
    Parts results;
    for (const ValueId part : *parts) results.push_back(f(part));
    const bool isTuple = m_to.types().isTuple(at(value).type);
    return ofParts(isTuple ? Kind::Tuple : Kind::Vector, at(value).type, std::move(results));
}

ValueId Expander::scaled(TermId factor, ValueId value) {
    const TypeId type = at(value).type;
    const bool isNegation = factor == m_to.floating(-1.0);
    if (type == m_to.types().floating()) {
        return ofTerm(isNegation ? made(Op::Neg, {term(value)}) : scalar(Op::Mul, factor, term(value)));
    }
    if (!m_to.types().isTuple(type) && !m_to.types().isTensor(type)) {
        dropTerm(factor);
        return value;
    }
    if (isSplit(value) && m_growth.take(2 * at(value).parts.size())) {
        factor = atom(factor, "factor");
        const std::optional<Parts> parts = partsOf(value);
        if (parts) {
            Parts results;
            for (const ValueId part : *parts) results.push_back(scaled(factor, part));
            return ofParts(m_to.types().isTuple(type) ? Kind::Tuple : Kind::Vector, type, std::move(results));
        }
    }
    const TypeId stated = at(value).stated;
    const TermId whole = term(value);
    return ofTerm(isNegation ? made(Op::TsNeg, {whole}) : made(Op::TsScale, {factor, whole}), stated);
}

ValueId Expander::combined(Op op, ValueId a, ValueId b) {
    const ir::TypeTable& types = m_to.types();
    const auto isCompound = [&](ValueId value) {
        return types.isTuple(at(value).type) || types.isTensor(at(value).type);
    };
    const bool isTangent = op == Op::TsAdd;
    if (!isCompound(a) && !isCompound(b)) {
        if (!isTangent) return ofTerm(scalar(op, term(a), term(b)));
        if (at(a).type == types.floating()) return ofTerm(made(Op::Add, {term(a), term(b)}));
        drop(b);
        return a;
    }
    const TypeId type = isCompound(a) ? at(a).type : at(b).type;
    const bool isMatrix = op == Op::Mul && isCompound(a) && isCompound(b);
    const auto isKnown = [&](ValueId value) {
        if (!isCompound(value)) return true;
        return isStatic(value) || lengthOf(value).value_or(MostElements + 1) <= MostElements;
    };
    const bool isGained = (isCompound(a) && isSplit(a)) || (isCompound(b) && isSplit(b));
    const bool areKnown = !isMatrix && isGained && isKnown(a) && isKnown(b);
    if (isTangent && isCompound(a) != isCompound(b)) {
        // A tangent of Integers alone is the empty tuple.
        return ofTerm(made(op, {term(a), term(b)}), at(a).stated);
    }
    const auto countOf = [&](ValueId value) -> std::size_t {
        if (!isCompound(value)) return 0;
        return isStatic(value) ? at(value).parts.size() : static_cast<std::size_t>(lengthOf(value).value_or(0));
    };
    const std::size_t count = std::max(countOf(a), countOf(b));
    const bool isSameCount = !isCompound(a) || !isCompound(b) || countOf(a) == countOf(b);
    if (areKnown && isSameCount && count > 0 && m_growth.take(2 * count)) {
        const auto several = [&](ValueId value) -> std::optional<Parts> {
            if (isCompound(value)) return partsOf(value);
            const ValueId number = count > 1 ? bound(value, "factor", true) : value;
            return Parts(count, number);
        };
        const std::optional<Parts> left = several(a);
        const std::optional<Parts> right = several(b);
        if (left && right) {
            Parts results;
            for (std::size_t i = 0; i < count; ++i) results.push_back(combined(op, (*left)[i], (*right)[i]));
            return ofParts(types.isTuple(type) ? Kind::Tuple : Kind::Vector, type, std::move(results));
        }
    }
    const ValueId sized = isCompound(a) && at(a).kind == Kind::Term ? a : b;
    const bool isSized = !isMatrix && at(sized).kind == Kind::Term && isCompound(sized);
    const TypeId stated = isSized ? at(sized).stated : TypeId();
    return ofTerm(made(op, {term(a), term(b)}), stated);
}

TermId Expander::addedToZero(TermId x) {
    return m_code.isNeverNegativeZero(x) ? x : made(Op::Add, {m_to.floating(0.0), x});
}

/// Invalid if the parts of an operand are not known.
TermId Expander::innerProduct(ValueId a, ValueId b) {
    const ir::TypeTable& types = m_to.types();
    const TypeId type = at(a).type;
    if (type == types.floating()) return scalar(Op::Mul, term(a), term(b));
    if (!types.isTuple(type) && !types.isTensor(type)) {
        drop(a);
        drop(b);
        return m_to.floating(0.0);
    }
    const bool isTuple = types.isTuple(type);
    const auto countOf = [&](ValueId value) {
        if (isTuple) return static_cast<std::int64_t>(types.children(type).size());
        return lengthOf(value).value_or(MostElements + 1);
    };
    const std::int64_t count = countOf(a);
    if (count != countOf(b) || count > MostElements || !m_growth.take(2 * static_cast<std::uint64_t>(count))) return {};
    const std::optional<Parts> left = partsOf(a);
    const std::optional<Parts> right = partsOf(b);
    if (!left || !right) return {};
    TermId sum = m_to.floating(0.0);
    for (std::size_t i = 0; i < left->size(); ++i) {
        TermId product = innerProduct((*left)[i], (*right)[i]);
        if (!product.isValid()) product = made(Op::TsDot, {term((*left)[i]), term((*right)[i])});
        const bool isZero = m_to.is(product, CoreOp::Literal);
        if (isZero && m_to.payload(product) == ir::Payload::floating(0.0)) continue;
        const bool isFirst = sum == m_to.floating(0.0);
        sum = isFirst ? addedToZero(product) : made(Op::Add, {sum, product});
    }
    return sum;
}

ValueId Expander::inner(TermId term) {
    const ValueId a = eval(m_from.child(term, 0));
    const ValueId b = eval(m_from.child(term, 1));
    if (!m_to.types().isNumeric(at(a).type)) {
        if (const TermId product = innerProduct(a, b); product.isValid()) return ofTerm(product);
    }
    return ofTerm(made(ks::ksOp(m_from.op(term)), {this->term(a), this->term(b)}));
}

std::optional<ValueId> Expander::accumulated(ValueId a, ValueId b) {
    const ir::TypeTable& types = m_to.types();
    const TypeId type = at(a).type;
    if (types.isNumeric(type)) {
        if (term(a) == m_to.floating(0.0)) return ofTerm(addedToZero(term(b)));
        return ofTerm(scalar(Op::Add, term(a), term(b)));
    }
    if (!types.isTuple(type) && !types.isTensor(type)) {
        drop(b);
        return a;
    }
    if (types.isTensor(type) && lengthOf(a) != lengthOf(b)) return std::nullopt;
    const std::optional<Parts> left = partsOf(a);
    const std::optional<Parts> right = partsOf(b);
    if (!left || !right) return std::nullopt;
    Parts sums;
    for (std::size_t i = 0; i < left->size(); ++i) {
        const std::optional<ValueId> sum = accumulated((*left)[i], (*right)[i]);
        if (!sum) return std::nullopt;
        sums.push_back(*sum);
    }
    return ofParts(types.isTuple(type) ? Kind::Tuple : Kind::Vector, type, std::move(sums));
}

}  // namespace mitos::loops
