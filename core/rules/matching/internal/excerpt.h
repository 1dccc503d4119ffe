// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of rule files inside sentences. Private to core/rules.
#pragma once

#include <string>
#include <string_view>

namespace mitos::rules {

/// A piece of source on one line, without comments.
[[nodiscard]] std::string oneLine(std::string_view text);
/// At most about `limit` bytes of a text; … stands for the rest.
[[nodiscard]] std::string shortened(std::string text, std::size_t limit = 120);

}  // namespace mitos::rules
