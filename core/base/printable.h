// SPDX-License-Identifier: GPL-3.0-or-later
// Makes text from files safe to display: control characters in it must not reach the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mitos {

/// Length of the UTF-8 sequence at the start of `bytes`, which must not be empty. Returns 0 if the sequence is invalid (overlong
/// forms, surrogates and values above U+10FFFF are invalid).
[[nodiscard]] std::size_t utf8Length(std::string_view bytes);

/// The text with line breaks and tabs kept, and with every other control character, every mark that changes the writing direction
/// and every byte that is not UTF-8 escaped: \u001b, \u202e, \x9b. JSON remains JSON with the same meaning.
[[nodiscard]] std::string printable(std::string_view text);

/// The brackets, innermost first, that close what the text leaves open: "))" for "(add (mul x". A text that is cut gets them behind its
/// ellipsis.
[[nodiscard]] std::string closingBrackets(std::string_view text);

}  // namespace mitos
