// SPDX-License-Identifier: GPL-3.0-or-later
// What parts of conditions evaluate to. Private to core/rules.
#pragma once

#include "core/rules/compiled.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// Undefined is what is asked of something that is not there; nothing that is made of it holds.
struct Value {
    enum class Kind : std::uint8_t {
        Undefined,
        Bool,
        Integer,
        Float,
        Word,
        Type,
        Size,  ///< of a dimension that has a name, `word`: equal to itself and not below 1, else nothing is known
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

/// Of two lists: element by element; lists of different length are different.
[[nodiscard]] Value equality(const Value& a, const Value& b, ConditionKind kind, const ir::TypeTable& types);
[[nodiscard]] Value order(const Value& a, const Value& b, ConditionKind kind);
/// Lists of one length go element by element, and a number goes with every element of a list.
[[nodiscard]] Value arithmetic(const Value& a, const Value& b, ConditionKind kind);

// --- lists -------------------------------------------------------------------------------------------------------------

/// list[index], from the end if negative; the list of those for a list of indices.
[[nodiscard]] Value element(const Value& list, const Value& index);
/// list[from:to]; ends may be negative and are cut off at those of the list, as in Python.
[[nodiscard]] Value slice(const Value& list, const Value& from, const Value& to);
/// All of ListFunction but Sizes, which speaks of a variable.
[[nodiscard]] Value listCall(ListFunction function, const std::vector<Value>& arguments, const ir::TypeTable& types);

}  // namespace mitos::rules
