// SPDX-License-Identifier: GPL-3.0-or-later
// Reads numbers from texts.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace mitos {

/// The number that the whole text denotes, in the notation of std::from_chars (with the same further arguments: a base). Nothing if the
/// text denotes none, if the number does not fit, or if something follows it.
template <typename Number, typename... Format>
[[nodiscard]] std::optional<Number> numberFrom(std::string_view text, Format... format) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, format...);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace mitos
