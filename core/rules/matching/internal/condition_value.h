// SPDX-License-Identifier: GPL-3.0-or-later
// The values of the parts of conditions. Private to core/rules.
#pragma once

#include "core/rules/language/compiled.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// The value of a part of a condition. It is Undefined if the part refers to something that does not exist; no condition computed from
/// an Undefined part holds.
struct Value {
    enum class Kind : std::uint8_t {
        Undefined,
        Bool,
        Integer,
        Float,
        Word,
        Type,
        Size,  ///< the size of a dimension named `word`: equal to itself and at least 1, otherwise unknown
        List,
    };
    Kind kind = Kind::Undefined;
    std::int64_t integer = 0;
    double number = 0.0;
    std::string_view word = {};
    ir::TypeId type = {};
    std::vector<Value> list = {};

    static Value boolean(bool b) { return {.kind = Kind::Bool, .integer = b ? 1 : 0}; }
    static Value whole(std::int64_t i) {
        return {.kind = Kind::Integer, .integer = i, .number = static_cast<double>(i)};
    }
    static Value real(double d) { return {.kind = Kind::Float, .number = d}; }
    static Value text(std::string_view w) { return {.kind = Kind::Word, .word = w}; }
    static Value ofType(ir::TypeId t) { return {.kind = Kind::Type, .type = t}; }
    static Value size(std::string_view name) { return {.kind = Kind::Size, .word = name}; }
    static Value ofList(std::vector<Value> elements) { return {.kind = Kind::List, .list = std::move(elements)}; }

    [[nodiscard]] bool isNumber() const { return kind == Kind::Integer || kind == Kind::Float; }
    [[nodiscard]] bool isList() const { return kind == Kind::List; }
    [[nodiscard]] bool isTrue() const { return kind == Kind::Bool && integer == 1; }
    [[nodiscard]] bool isFalse() const { return kind == Kind::Bool && integer == 0; }
};

/// Equal or NotEqual. Lists are compared element by element; lists of different length are different.
[[nodiscard]] Value equality(const Value& a, const Value& b, ConditionKind kind, const ir::TypeTable& types);
[[nodiscard]] Value order(const Value& a, const Value& b, ConditionKind kind);
/// Lists of equal length are combined element by element; a number is combined with every element of a list.
[[nodiscard]] Value arithmetic(const Value& a, const Value& b, ConditionKind kind);

// --- lists -------------------------------------------------------------------------------------------------------------

/// list[index], counted from the end if negative; if `index` is a list, the list of the elements at those indices.
[[nodiscard]] Value element(const Value& list, const Value& index);
/// list[from:to]; the ends may be negative and are clamped to those of the list, as in Python.
[[nodiscard]] Value slice(const Value& list, const Value& from, const Value& to);
/// Calls any ListFunction except Sizes, which takes a variable.
[[nodiscard]] Value listCall(ListFunction function, const std::vector<Value>& arguments, const ir::TypeTable& types);

}  // namespace mitos::rules
