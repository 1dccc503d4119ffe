// SPDX-License-Identifier: GPL-3.0-or-later
// Propagates sizes, constants and structure through the operators of ks.
#include "core/cost/internal/transfer.h"

#include "core/ks/operators.h"

#include <bit>
#include <limits>
#include <optional>

namespace mitos::cost {

using ir::TermId;
using ks::Op;

namespace {

std::optional<std::int64_t> integerOp(Op op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    switch (op) {
        case Op::Add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
        case Op::Sub: return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
        case Op::Mul: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
        case Op::Div:
            if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
            return a / b;
        default: return std::nullopt;
    }
}

template <typename T>
std::optional<bool> comparison(Op op, T a, T b) {
    switch (op) {
        case Op::Gt: return a > b;
        case Op::Lt: return a < b;
        case Op::Gte: return a >= b;
        case Op::Lte: return a <= b;
        case Op::Eq: return a == b;
        case Op::Ne: return a != b;
        default: return std::nullopt;
    }
}

/// The result if both children are known constants of one kind and the operator computes with them.
std::optional<ValueId> folded(AbstractValues& values, Op op, const AbstractValue& a, const AbstractValue& b) {
    if (a.kind != b.kind) return std::nullopt;
    std::optional<bool> truth;
    if (a.kind == ValueKind::Integer) {
        if (const std::optional<std::int64_t> result = integerOp(op, a.bits, b.bits)) return values.integer(*result);
        truth = comparison(op, a.bits, b.bits);
    } else if (a.kind == ValueKind::Float) {
        truth = comparison(op, std::bit_cast<double>(a.bits), std::bit_cast<double>(b.bits));
    } else if (a.kind == ValueKind::Bool) {
        if (op == Op::And) truth = a.bits != 0 && b.bits != 0;
        if (op == Op::Or) truth = a.bits != 0 || b.bits != 0;
        if (op == Op::Eq || op == Op::Ne) truth = (a.bits == b.bits) == (op == Op::Eq);
    }
    return truth ? std::optional(values.boolean(*truth)) : std::nullopt;
}

ValueId binary(AbstractValues& values, const ir::TermBank& bank, TermId term, std::span<const ValueId> results) {
    const AbstractValue a = values[results[0]];
    const AbstractValue b = values[results[1]];
    if (const std::optional<ValueId> known = folded(values, ks::ksOp(bank.op(term)), a, b)) return *known;
    const ir::TypeTable& types = bank.types();
    const ir::TypeId result = bank.type(term);
    if (!types.isTensor(result) && !types.isTuple(result)) return values.unknown();
    if (a.kind == ValueKind::Tensor && b.kind == ValueKind::Tensor && a.sizes.size() == 2 && b.sizes.size() == 1) {
        return values.tensor(std::span(a.sizes).first(1), values.unknown());  // matrix times vector
    }
    // The operands have one shape, or one of them is broadcast over the other.
    return values.shapeOf(bank.type(bank.child(term, 0)) == result ? results[0] : results[1]);
}

ValueId unzipped(AbstractValues& values, ValueId tensor) {
    const AbstractValue outer = values[tensor];
    const AbstractValue element = values[outer.parts[0]];
    std::vector<ValueId> parts;
    for (const ValueId part : element.parts) parts.push_back(values.tensor(outer.sizes, part));
    return values.tuple(parts);
}

}  // namespace

ValueId anyOfType(AbstractValues& values, const ir::TermBank& bank, ir::TypeId type) {
    return values.ofType(bank.types(), type, [](Symbol) { return AbstractValue::UnknownSize; });
}

ValueId argumentValue(AbstractValues& values, const ir::TermBank& bank, TermId term, std::size_t child,
                      std::span<const ValueId> childValues) {
    const auto element = [&](std::size_t i) { return values[childValues[i]].parts[0]; };
    const auto isTensor = [&](std::size_t i) { return values[childValues[i]].kind == ValueKind::Tensor; };
    switch (ks::ksOp(bank.op(term))) {
        case Op::Map:
            if (isTensor(1)) return element(1);
            break;
        case Op::Map2:
            if (isTensor(1) && isTensor(2)) return values.tuple(std::vector{element(1), element(2)});
            break;
        case Op::Fold:
            if (isTensor(2)) return values.tuple(std::vector{values.shapeOf(childValues[1]), element(2)});
            break;
        case Op::Loop: return values.tuple(std::vector{values.unknown(), values.shapeOf(childValues[1])});
        case Op::Apply: return childValues[1];
        case Op::Check:
            if (child == 0) return childValues[2];
            break;
        default: break;
    }
    return anyOfType(values, bank, bank.types().children(bank.type(bank.child(term, child)))[0]);
}

ValueId operatorValue(AbstractValues& values, const ir::TermBank& bank, TermId term, std::span<const ValueId> results) {
    const auto isTensor = [&](std::size_t i) { return values[results[i]].kind == ValueKind::Tensor; };
    const auto sizes = [&](std::size_t i) { return values[results[i]].sizes; };
    const auto element = [&](std::size_t i) { return values[results[i]].parts[0]; };
    const Op op = ks::ksOp(bank.op(term));
    switch (op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
        case Op::Gt:
        case Op::Lt:
        case Op::Gte:
        case Op::Lte:
        case Op::Eq:
        case Op::Ne:
        case Op::And:
        case Op::Or: return binary(values, bank, term, results);
        case Op::Neg:
            if (const AbstractValue v = values[results[0]]; v.kind == ValueKind::Integer) {
                if (const auto negated = integerOp(Op::Sub, 0, v.bits)) return values.integer(*negated);
            }
            return values.unknown();
        case Op::Not:
            if (const AbstractValue v = values[results[0]]; v.kind == ValueKind::Bool)
                return values.boolean(v.bits == 0);
            return values.unknown();
        case Op::ToFloat:
            if (const AbstractValue v = values[results[0]]; v.kind == ValueKind::Integer) {
                return values.floating(static_cast<double>(v.bits));
            }
            return values.unknown();
        case Op::If:
            if (const AbstractValue c = values[results[0]]; c.kind == ValueKind::Bool)
                return results[c.bits != 0 ? 1 : 2];
            return values.join(results[1], results[2]);
        case Op::Assert: return results[1];
        case Op::Apply: return results[0];
        case Op::Inline:
        case Op::Copydown:
        case Op::Trace: return results[0];
        case Op::Exp:
        case Op::TsAdd:
        case Op::TsNeg: return values.shapeOf(results[0]);
        case Op::TsScale: return values.shapeOf(results[1]);
        case Op::Delta: return values.shapeOf(results[2]);
        case Op::Build:
        case Op::ConstVec: return values.tensor(values.sizesFrom(results[0]), results[1]);
        case Op::DeltaVec: return values.tensor(values.sizesFrom(results[0]), values.shapeOf(results[2]));
        case Op::Sumbuild: return values.shapeOf(results[1]);
        case Op::Fold: return values.join(results[1], results[0]);
        case Op::Loop: {
            const ValueId next = values[results[2]].kind == ValueKind::Tuple ? values[results[2]].parts[1] : results[1];
            return values.tuple(std::vector{values.unknown(), values.shapeOf(values.join(results[1], next))});
        }
        case Op::Diag: {
            const ValueId row = values.tensor(values.sizesFrom(results[1]), values.shapeOf(results[2]));
            return values.tensor(values.sizesFrom(results[0]), row);
        }
        case Op::VecInit: {
            ValueId all = results[0];
            for (const ValueId v : results) all = values.join(all, v);
            return values.tensor(std::vector{static_cast<std::int64_t>(results.size())}, all);
        }
        case Op::Dup: {
            const std::vector<ValueId> copies(bank.types().children(bank.type(term)).size(), results[0]);
            return values.tuple(copies);
        }
        case Op::Map:
        case Op::Map2:
            if (isTensor(1)) return values.tensor(sizes(1), results[0]);
            break;
        case Op::Index:
            if (isTensor(1)) return element(1);
            break;
        case Op::Size:
            if (isTensor(0)) return values.sizeValue(sizes(0));
            break;
        case Op::Sum:
            if (isTensor(0)) return values.shapeOf(element(0));
            break;
        case Op::Unzip:
            if (isTensor(0) && values[element(0)].kind == ValueKind::Tuple) return unzipped(values, results[0]);
            break;
        case Op::BuildFromSparse:
            if (isTensor(0) && values[results[2]].kind == ValueKind::Tuple) {
                return values.tensor(sizes(0), values.shapeOf(values[results[2]].parts[1]));
            }
            break;
        default: break;
    }
    return anyOfType(values, bank, bank.type(term));
}

}  // namespace mitos::cost
