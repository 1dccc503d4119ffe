// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/internal/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::codegen {

namespace {

/// Length of the valid UTF-8 sequence at the beginning of the text; 0 if there is none.
std::size_t sequenceLength(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : (lead & 0xF0U) == 0xE0      ? 3
                               : (lead & 0xF8U) == 0xF0      ? 4
                                                             : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80) return 0;
    }
    return length;
}

}  // namespace

std::string asComment(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        std::string clean;
        while (!line.empty()) {
            const std::size_t length = sequenceLength(line);
            // Replaces broken bytes, control characters (tabs stay, carriage returns are dropped), and the marks that reorder text
            // (U+2028 to U+202E, U+2066 to U+2069).
            const std::string_view sequence = line.substr(0, std::max<std::size_t>(1, length));
            const bool control = length == 1 &&
                                 (static_cast<unsigned char>(sequence[0]) < 0x20 || sequence[0] == 0x7F) &&
                                 sequence[0] != '\t';
            const bool reorders =
                (sequence >= "\u2028" && sequence <= "\u202E") || (sequence >= "\u2066" && sequence <= "\u2069");
            if (length == 0 || control || reorders) {
                if (sequence != "\r") clean += '?';
            } else {
                clean += sequence;
            }
            line.remove_prefix(sequence.size());
        }
        while (clean.ends_with(' ') || clean.ends_with('\t')) clean.pop_back();
        if (clean.ends_with('\\')) clean += " .";  // otherwise the comment would continue on the next line
        out += clean.empty() ? "//\n" : "// " + clean + "\n";
    }
    return out;
}

std::string stringLiteral(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte >= 0x7F || c == '?') {
            out += fmt::format("\\{:03o}", byte);  // octal escapes end after three digits, hexadecimal ones do not
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string floatLiteral(double value) {
    if (std::isnan(value)) return "std::numeric_limits<double>::quiet_NaN()";
    if (std::isinf(value))
        return value > 0 ? "std::numeric_limits<double>::infinity()" : "(-std::numeric_limits<double>::infinity())";
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

}  // namespace mitos::codegen
