// SPDX-License-Identifier: GPL-3.0-or-later
// The functions over lists.
#include "core/rules/matching/internal/condition_value.h"

#include <algorithm>

namespace mitos::rules {

namespace {

using Kind = Value::Kind;

/// The limit on the length of computed lists: shapes and pads are short. Longer lists are undefined.
constexpr std::int64_t LongestList = 4096;

Value folded(const Value& list, std::int64_t start, ConditionKind kind) {
    if (!list.isList()) return {};
    Value result = Value::whole(start);
    for (const Value& each : list.list) result = arithmetic(result, each, kind);
    return result;
}

/// The least or the largest element; undefined for an empty list, and if some element is a size with a name.
Value outermost(const Value& list, ConditionKind kind) {
    if (!list.isList() || list.list.empty()) return {};
    Value result = list.list.front();
    for (const Value& each : list.list) {
        if (!each.isNumber()) return {};
        if (order(each, result, kind).isTrue()) result = each;
    }
    return result;
}

bool isTrue(const Value& a, const Value& b, const ir::TypeTable& types) {
    return equality(a, b, ConditionKind::Equal, types).isTrue();
}

Value concatenated(const std::vector<Value>& lists) {
    Value result = Value::ofList({});
    for (const Value& list : lists) {
        if (!list.isList()) return {};
        result.list.insert(result.list.end(), list.list.begin(), list.list.end());
    }
    return result;
}

/// Whether all elements, or some element, equal the number; undefined if that depends on a size with a name.
Value quantified(const Value& list, const Value& number, bool all, const ir::TypeTable& types) {
    if (!list.isList() || number.kind == Kind::Undefined || number.isList()) return {};
    bool isKnown = true;
    for (const Value& each : list.list) {
        const Value same = equality(each, number, ConditionKind::Equal, types);
        if (all ? same.isFalse() : same.isTrue()) return Value::boolean(!all);
        isKnown = isKnown && same.kind == Kind::Bool;
    }
    return isKnown ? Value::boolean(all) : Value();
}

Value inverse(const Value& permutation) {
    if (!permutation.isList()) return {};
    const auto count = static_cast<std::int64_t>(permutation.list.size());
    std::vector<Value> result(permutation.list.size());
    for (std::int64_t i = 0; i < count; ++i) {
        const Value& at = permutation.list[static_cast<std::size_t>(i)];
        if (at.kind != Kind::Integer || at.integer < 0 || at.integer >= count) return {};
        Value& place = result[static_cast<std::size_t>(at.integer)];
        if (place.kind != Kind::Undefined) return {};
        place = Value::whole(i);
    }
    return Value::ofList(std::move(result));
}

Value broadcast(const Value& a, const Value& b, const ir::TypeTable& types) {
    if (!a.isList() || !b.isList()) return {};
    std::vector<Value> result(std::max(a.list.size(), b.list.size()));
    const Value one = Value::whole(1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Value& left = i < a.list.size() ? a.list[a.list.size() - 1 - i] : one;
        const Value& right = i < b.list.size() ? b.list[b.list.size() - 1 - i] : one;
        Value& out = result[result.size() - 1 - i];
        if (isTrue(left, right, types) || isTrue(right, one, types))
            out = left;
        else if (isTrue(left, one, types))
            out = right;
        else
            return {};
    }
    return Value::ofList(std::move(result));
}

}  // namespace

Value element(const Value& list, const Value& index) {
    if (!list.isList()) return {};
    if (index.isList()) {
        std::vector<Value> result;
        for (const Value& each : index.list) {
            result.push_back(each.isList() ? Value() : element(list, each));
            if (result.back().kind == Kind::Undefined) return {};
        }
        return Value::ofList(std::move(result));
    }
    if (index.kind != Kind::Integer) return {};
    const auto count = static_cast<std::int64_t>(list.list.size());
    const std::int64_t at = index.integer < 0 ? index.integer + count : index.integer;
    return at >= 0 && at < count ? list.list[static_cast<std::size_t>(at)] : Value();
}

Value slice(const Value& list, const Value& from, const Value& to) {
    if (!list.isList() || from.kind != Kind::Integer || to.kind != Kind::Integer) return {};
    const auto count = static_cast<std::int64_t>(list.list.size());
    const auto place = [count](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + count : at, 0, count);
    };
    const std::int64_t begin = place(from.integer);
    const std::int64_t end = std::max(begin, place(to.integer));
    return Value::ofList({list.list.begin() + begin, list.list.begin() + end});
}

Value listCall(ListFunction function, const std::vector<Value>& arguments, const ir::TypeTable& types) {
    const Value& first = arguments.front();
    switch (function) {
        case ListFunction::Length:
            return first.isList() ? Value::whole(static_cast<std::int64_t>(first.list.size())) : Value();
        case ListFunction::Sum: return folded(first, 0, ConditionKind::Add);
        case ListFunction::Product: return folded(first, 1, ConditionKind::Multiply);
        case ListFunction::Least: return outermost(first, ConditionKind::Less);
        case ListFunction::Largest: return outermost(first, ConditionKind::Greater);
        case ListFunction::Concat: return concatenated(arguments);
        case ListFunction::All: return quantified(first, arguments[1], true, types);
        case ListFunction::Contains: return quantified(first, arguments[1], false, types);
        case ListFunction::Position: {
            if (!first.isList()) return {};
            const auto found =
                std::ranges::find_if(first.list, [&](const Value& each) { return isTrue(each, arguments[1], types); });
            return found == first.list.end() ? Value() : Value::whole(found - first.list.begin());
        }
        case ListFunction::Repeat: {
            const Value& count = arguments[1];
            const bool isCount = count.kind == Kind::Integer && count.integer >= 0 && count.integer <= LongestList;
            if (!isCount || !first.isNumber()) return {};
            return Value::ofList(std::vector<Value>(static_cast<std::size_t>(count.integer), first));
        }
        case ListFunction::Range: {
            if (first.kind != Kind::Integer || first.integer < 0 || first.integer > LongestList) return {};
            std::vector<Value> result;
            for (std::int64_t i = 0; i < first.integer; ++i) result.push_back(Value::whole(i));
            return Value::ofList(std::move(result));
        }
        case ListFunction::Inverse: return inverse(first);
        case ListFunction::Broadcast: return broadcast(first, arguments[1], types);
        case ListFunction::Sizes: break;
    }
    return {};
}

}  // namespace mitos::rules
