// SPDX-License-Identifier: GPL-3.0-or-later
// Validates UTF-8 and escapes control characters.
#include "core/base/printable.h"

#include <fmt/format.h>

#include <iterator>

namespace mitos {

namespace {

std::uint32_t codePoint(std::string_view sequence) {
    const auto lead = static_cast<unsigned char>(sequence[0]);
    std::uint32_t value = sequence.size() == 1 ? lead : lead & (0xFFU >> (sequence.size() + 1));
    for (const char next : sequence.substr(1)) value = (value << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
    return value;
}

bool isHarmless(std::uint32_t point) {
    if (point == '\n' || point == '\t') return true;
    if (point < 0x20U || (point >= 0x7FU && point < 0xA0U)) return false;  // C0, delete, C1
    if (point == 0x061CU || point == 0x200EU || point == 0x200FU) return false;
    if (point >= 0x2028U && point <= 0x202EU) return false;  // line separators, writing directions
    return point < 0x2066U || point > 0x2069U;
}

}  // namespace

std::size_t utf8Length(std::string_view bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80U) return 1;
    const std::size_t length = lead >= 0xC2U && lead < 0xE0U   ? 2
                               : (lead & 0xF0U) == 0xE0U       ? 3
                               : lead >= 0xF0U && lead < 0xF5U ? 4
                                                               : 0;
    if (length == 0 || bytes.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    if (lead == 0xE0U && byte(1) < 0xA0U) return 0;
    if (lead == 0xEDU && byte(1) > 0x9FU) return 0;
    if (lead == 0xF0U && byte(1) < 0x90U) return 0;
    if (lead == 0xF4U && byte(1) > 0x8FU) return 0;
    return length;
}

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        if (length == 0) {
            fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(text[0]));
        } else if (const std::uint32_t point = codePoint(text.substr(0, length)); isHarmless(point)) {
            shown += text.substr(0, length);
        } else {
            fmt::format_to(std::back_inserter(shown), "\\u{:04x}", point);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return shown;
}

std::string closingBrackets(std::string_view text) {
    constexpr std::string_view Opening = "([{";
    constexpr std::string_view Closing = ")]}";
    std::string open;  // the innermost last
    for (const char c : text) {
        if (const std::size_t kind = Opening.find(c); kind != std::string_view::npos) {
            open += Closing[kind];
        } else if (!open.empty() && open.back() == c) {
            open.pop_back();
        }
    }
    return {open.rbegin(), open.rend()};
}

}  // namespace mitos
