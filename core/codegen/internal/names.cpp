// SPDX-License-Identifier: GPL-3.0-or-later
// Identifiers, comments, literals.
#include "core/codegen/internal/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace mitos::codegen {

namespace {

/// Keywords of C++17 and C++20, macros of the standard headers that may be included, and the file's own namespaces.
constexpr std::array Reserved{
    "alignas",     "alignof",  "and",          "and_eq",     "asm",       "assert",    "auto",
    "bitand",      "bitor",    "bool",         "break",      "case",      "catch",     "char",
    "char16_t",    "char32_t", "char8_t",      "class",      "co_await",  "co_return", "co_yield",
    "compl",       "concept",  "const",        "const_cast", "consteval", "constexpr", "constinit",
    "continue",    "decltype", "default",      "delete",     "do",        "double",    "dynamic_cast",
    "else",        "enum",     "errno",        "explicit",   "export",    "extern",    "false",
    "float",       "for",      "friend",       "goto",       "if",        "inline",    "input",
    "int",         "ks",       "linux",        "long",       "main",      "mutable",   "namespace",
    "new",         "noexcept", "not",          "not_eq",     "nullptr",   "operator",  "or",
    "or_eq",       "output",   "private",      "protected",  "public",    "register",  "reinterpret_cast",
    "requires",    "return",   "short",        "signed",     "sizeof",    "static",    "static_assert",
    "static_cast", "stderr",   "stdin",        "stdout",     "std",       "struct",    "switch",
    "template",    "this",     "thread_local", "throw",      "true",      "try",       "typedef",
    "typeid",      "typename", "union",        "unix",       "unsigned",  "using",     "virtual",
    "void",        "volatile", "wchar_t",      "while",      "xor",       "xor_eq"};

bool isReserved(const std::string& name) {
    const bool keyword = std::ranges::find(Reserved, name) != Reserved.end();
    // NAN, INFINITY, HUGE_VAL, M_PI, EOF, …: names in capitals may be macros.
    const bool capitals =
        name.size() > 1 && std::ranges::none_of(name, [](unsigned char c) { return std::islower(c); });
    return keyword || capitals;
}

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

std::string toIdentifier(std::string_view text, std::string_view otherwise) {
    std::string name;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
        if (plain) {
            name += c;
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.size() > 60) name.resize(60);
    if (name.empty()) name = otherwise;
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "v");
    if (isReserved(name)) name += "_";
    return name;
}

std::string NameScope::declare(std::string_view wanted, std::string_view otherwise) {
    const std::string base = toIdentifier(wanted, otherwise);
    const char* const between = std::isdigit(static_cast<unsigned char>(base.back())) != 0 ? "_" : "";
    int& next = m_next.try_emplace(base, 1).first->second;
    const auto numbered = [&] { return next == 1 ? base : fmt::format("{}{}{}", base, between, next); };
    std::string name = numbered();
    while (m_visible.contains(name)) {
        ++next;
        name = numbered();
    }
    m_visible.insert(name);
    m_names.push_back({name, base, next});
    return name;
}

void NameScope::leave(std::size_t mark) {
    while (m_names.size() > mark) {
        const Name& name = m_names.back();
        int& next = m_next[name.base];
        next = std::min(next, name.number);
        m_visible.erase(name.text);
        m_names.pop_back();
    }
}

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
