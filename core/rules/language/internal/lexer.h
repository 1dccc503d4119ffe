// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of a rule file.
#pragma once

#include "core/base/source_text.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mitos::rules::syntax {

enum class TokenKind : std::uint8_t {
    Name,
    Integer,
    Float,
    Text,        ///< without its quotes
    Symbol,      ///< operators and punctuation
    Projection,  ///< ".0": a point directly followed by digits and directly preceded by its operand
    Bad,         ///< a character that begins no token, or an unterminated string
    End,
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view text;
    SourceSpan span;
    int line = 0;
    bool firstOnLine = false;

    [[nodiscard]] bool is(std::string_view symbolOrName) const {
        return (kind == TokenKind::Symbol || kind == TokenKind::Name) && text == symbolOrName;
    }
};

/// A comment on a line of its own, without the # and one following space.
struct CommentLine {
    int line = 0;
    std::string_view text;
};

struct Tokens {
    std::vector<Token> tokens;  ///< the last one is End
    std::vector<CommentLine> comments;
};

[[nodiscard]] Tokens tokenize(std::string_view text);

}  // namespace mitos::rules::syntax
