// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison and arithmetic.
#include "core/rules/matching/internal/condition_value.h"

#include <cmath>
#include <limits>
#include <optional>

namespace mitos::rules {

namespace {

using Kind = Value::Kind;

std::string_view dtypeName(const ir::TypeTable& types, ir::TypeId type) {
    switch (types.kind(type)) {
        case ir::TypeKind::Float: return "f64";
        case ir::TypeKind::Integer: return "i64";
        case ir::TypeKind::Bool: return "bool";
        default: return "";
    }
}

/// Whether the values are equal; nothing if it is not known.
std::optional<bool> areEqual(const Value& a, const Value& b, const ir::TypeTable& types) {
    if (a.isNumber() && b.isNumber()) {
        return a.kind == Kind::Integer && b.kind == Kind::Integer ? a.integer == b.integer : a.number == b.number;
    }
    // A name represents a size of 1 or more.
    if ((a.kind == Kind::Size && b.isNumber() && b.number < 1.0) ||
        (b.kind == Kind::Size && a.isNumber() && a.number < 1.0))
        return false;
    if (a.kind == Kind::Type && b.kind == Kind::Word) return dtypeName(types, a.type) == b.word;
    if (a.kind == Kind::Word && b.kind == Kind::Type) return dtypeName(types, b.type) == a.word;
    if (a.kind != b.kind) return std::nullopt;
    switch (a.kind) {
        case Kind::Bool: return a.integer == b.integer;
        case Kind::Word: return a.word == b.word;
        case Kind::Type: return a.type == b.type;
        case Kind::Size: return a.word == b.word ? std::optional(true) : std::nullopt;
        case Kind::List: break;
        default: return std::nullopt;
    }
    if (a.list.size() != b.list.size()) return false;
    bool isKnown = true;
    for (std::size_t i = 0; i < a.list.size(); ++i) {
        const std::optional<bool> equal = areEqual(a.list[i], b.list[i], types);
        if (equal && !*equal) return false;
        isKnown = isKnown && equal;
    }
    return isKnown ? std::optional(true) : std::nullopt;
}

/// The result of a product or quotient; undefined if it underflowed to 0 or to a subnormal number, which has few digits.
Value unlessLost(double result, bool isSomething) {
    return isSomething && std::abs(result) < std::numeric_limits<double>::min() ? Value() : Value::real(result);
}

}  // namespace

Value equality(const Value& a, const Value& b, ConditionKind kind, const ir::TypeTable& types) {
    const std::optional<bool> equal = areEqual(a, b, types);
    if (!equal) return {};
    return Value::boolean(*equal == (kind == ConditionKind::Equal));
}

Value order(const Value& a, const Value& b, ConditionKind kind) {
    if (!a.isNumber() || !b.isNumber()) return {};
    const bool whole = a.kind == Kind::Integer && b.kind == Kind::Integer;
    const bool less = whole ? a.integer < b.integer : a.number < b.number;
    const bool equal = whole ? a.integer == b.integer : a.number == b.number;
    switch (kind) {
        case ConditionKind::Less: return Value::boolean(less);
        case ConditionKind::LessEqual: return Value::boolean(less || equal);
        case ConditionKind::Greater: return Value::boolean(whole ? !less && !equal : a.number > b.number);
        default: return Value::boolean(whole ? !less : a.number >= b.number);
    }
}

Value arithmetic(const Value& a, const Value& b, ConditionKind kind) {
    if (a.isList() || b.isList()) {
        if (a.isList() && b.isList() && a.list.size() != b.list.size()) return {};
        std::vector<Value> elements;
        const std::size_t count = a.isList() ? a.list.size() : b.list.size();
        for (std::size_t i = 0; i < count; ++i) {
            elements.push_back(arithmetic(a.isList() ? a.list[i] : a, b.isList() ? b.list[i] : b, kind));
            if (!elements.back().isNumber()) return {};
        }
        return Value::ofList(std::move(elements));
    }
    if (!a.isNumber() || !b.isNumber()) return {};
    if (a.kind == Kind::Float || b.kind == Kind::Float) {
        switch (kind) {
            case ConditionKind::Add: return Value::real(a.number + b.number);
            case ConditionKind::Subtract: return Value::real(a.number - b.number);
            case ConditionKind::Multiply: return unlessLost(a.number * b.number, a.number != 0.0 && b.number != 0.0);
            case ConditionKind::Divide: return unlessLost(a.number / b.number, a.number != 0.0);
            default: return Value::real(std::fmod(a.number, b.number));
        }
    }
    std::int64_t result = 0;
    bool bad = false;
    switch (kind) {
        case ConditionKind::Add: bad = __builtin_add_overflow(a.integer, b.integer, &result); break;
        case ConditionKind::Subtract: bad = __builtin_sub_overflow(a.integer, b.integer, &result); break;
        case ConditionKind::Multiply: bad = __builtin_mul_overflow(a.integer, b.integer, &result); break;
        default:
            bad = b.integer == 0 || (b.integer == -1 && a.integer == std::numeric_limits<std::int64_t>::min());
            if (!bad) result = kind == ConditionKind::Divide ? a.integer / b.integer : a.integer % b.integer;
    }
    return bad ? Value() : Value::whole(result);
}

}  // namespace mitos::rules
