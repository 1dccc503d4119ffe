// SPDX-License-Identifier: GPL-3.0-or-later
// Text from files that is shown to people: nothing in it may speak to the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mitos {

/// Length of the UTF-8 sequence at the start of `bytes`, which are not empty; 0 if it is not a valid one (overlong forms, surrogates
/// and values above U+10FFFF are not).
[[nodiscard]] std::size_t utf8Length(std::string_view bytes);

/// The text with its lines and tabs, and with every other control character, every mark that turns the direction of writing, and
/// every byte that is not UTF-8 written out: \u001b, \u202e, \x9b. JSON stays JSON of the same meaning.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace mitos
