// SPDX-License-Identifier: GPL-3.0-or-later
// Support for editors of rule files: the parts of a text by their kind, and the words of the language.
#pragma once

#include "core/base/source_text.h"

#include <span>
#include <string_view>
#include <vector>

namespace mitos::rules {

enum class PartKind : std::uint8_t {
    Comment,
    Keyword,           ///< `rule`, `where`, `let`, …
    Defined,           ///< the name that an item defines
    Operator,          ///< the name before the brackets of a call: an operator or a named pattern
    FunctionVariable,  ///< one capital letter, optionally with digits
    Variable,          ///< any other name
    Member,            ///< an attribute in a condition: `is_const` of `a.is_const`
    Number,            ///< also `true` and `false`
    Text,              ///< with its quotes
    Symbol,
    Bad,  ///< a character that begins no word, or a text that does not end
};

struct TextPart {
    PartKind kind = PartKind::Symbol;
    SourceSpan span;
};

/// The parts of a text without the space between them, in order. It never fails. No part is longer than a line, so that a single
/// line may be passed; then an item is recognized only if it begins there.
[[nodiscard]] std::vector<TextPart> partsOf(std::string_view text);

/// The words of the language: `rule`, `where`, `let`, …
[[nodiscard]] std::span<const std::string_view> keywords();
/// The attributes that conditions may ask for: `is_const`, `rank`, …
[[nodiscard]] std::vector<std::string_view> conditionAttributes();
/// Whether conditions have an attribute of that name, so that an analysis cannot have it.
[[nodiscard]] bool isConditionAttribute(std::string_view name);
/// The functions that conditions may call, each once: `log`, `len`, …
[[nodiscard]] std::vector<std::string_view> conditionFunctions();

}  // namespace mitos::rules
