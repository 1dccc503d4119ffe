// SPDX-License-Identifier: GPL-3.0-or-later
// Classifies characters and converts literals.
#include "core/ks/names.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>

namespace mitos::ks {

namespace {

constexpr std::array ReservedNames = {
    std::string_view("def"),   std::string_view("edef"),  std::string_view("gdef"),   std::string_view("rule"),
    std::string_view("let"),   std::string_view("if"),    std::string_view("assert"), std::string_view("call"),
    std::string_view("tuple"), std::string_view(":"),     std::string_view("$dummy"), std::string_view("Integer"),
    std::string_view("Float"), std::string_view("Vec"),   std::string_view("Lam"),    std::string_view("String"),
    std::string_view("true"),  std::string_view("false"), std::string_view("Bool"),   std::string_view("Tensor"),
    std::string_view("Tuple"), std::string_view("LM"),    std::string_view("lam"),    std::string_view("True"),
    std::string_view("False"),
};

constexpr std::array Derivations = {
    std::string_view("fwd"), std::string_view("rev"),        std::string_view("D"),          std::string_view("shape"),
    std::string_view("CL"),  std::string_view("suffwdpass"), std::string_view("sufrevpass"), std::string_view("sufrev"),
    std::string_view("Dt"),  std::string_view("cost"),
};

constexpr std::string_view NanName = "$nan";
constexpr std::string_view OtherNanPrefix = "$nan:";

template <typename Names>
bool contains(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool isNameStart(char c) {
    constexpr std::string_view Signs = "_':!$%&*+.,/<=>?@\\^|-~";
    return isLetter(c) || Signs.find(c) != std::string_view::npos;
}

bool isNameChar(char c) { return isNameStart(c) || isDigit(c); }

bool isReserved(std::string_view name) { return contains(ReservedNames, name) || notANumber(name).has_value(); }

bool isVariableName(std::string_view name) {
    if (name.empty() || !isNameStart(name[0]) || isReserved(name)) return false;
    const bool number = (name[0] == '+' || name[0] == '-') && name.size() > 1 && isDigit(name[1]);
    return !number && std::ranges::all_of(name, isNameChar);
}

bool isDerivation(std::string_view name) { return contains(Derivations, name); }

std::string_view withoutAlias(std::string_view name) {
    struct Alias {
        std::string_view old;
        std::string_view name;
    };
    constexpr std::array Aliases = {Alias{"*", "mul"},  Alias{"+", "add"},  Alias{"-", "sub"},   Alias{"/", "div"},
                                    Alias{"==", "eq"},  Alias{"!=", "ne"},  Alias{"<", "lt"},    Alias{">", "gt"},
                                    Alias{"<=", "lte"}, Alias{">=", "gte"}, Alias{"pr", "print"}};
    const auto alias = std::ranges::find(Aliases, name, &Alias::old);
    return alias == Aliases.end() ? name : alias->name;
}

std::optional<std::string_view> withoutTypeLetters(std::string_view name) {
    constexpr std::string_view TypeLetters = "bifs<>lT";
    const std::size_t at = name.find_last_of("@$");
    if (at == std::string_view::npos || at == 0 || at + 1 == name.size()) return std::nullopt;
    const std::string_view letters = name.substr(at + 1);
    const bool typed = !isDigit(letters[0]) && std::ranges::all_of(letters, [&](char c) {
        return isDigit(c) || TypeLetters.find(c) != std::string_view::npos;
    });
    return typed ? std::optional(name.substr(0, at)) : std::nullopt;
}

std::optional<DerivedName> derivedName(std::string_view name) {
    const std::size_t dollar = name.find('$');
    if (dollar == std::string_view::npos || dollar + 1 == name.size()) return std::nullopt;
    const DerivedName parts{name.substr(0, dollar), name.substr(dollar + 1)};
    return isDerivation(parts.derivation) && parts.derivation != "cost" ? std::optional(parts) : std::nullopt;
}

std::string floatText(double value) {
    if (value != value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const auto usual = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
        return bits == usual ? std::string(NanName) : fmt::format("{}{:016x}", OtherNanPrefix, bits);
    }
    if (value == std::numeric_limits<double>::infinity()) return "1e999";
    if (value == -std::numeric_limits<double>::infinity()) return "-1e999";
    std::array<char, 32> buffer{};
    const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::optional<double> notANumber(std::string_view name) {
    if (name == NanName) return std::numeric_limits<double>::quiet_NaN();
    if (!name.starts_with(OtherNanPrefix)) return std::nullopt;
    const auto bits = numberFrom<std::uint64_t>(name.substr(OtherNanPrefix.size()), 16);
    const double value = bits ? std::bit_cast<double>(*bits) : 0.0;
    return value != value ? std::optional(value) : std::nullopt;
}

std::string stringText(std::string_view value) {
    std::string text = "\"";
    for (const char c : value) {
        switch (c) {
            case '"': text += "\\\""; break;
            case '\\': text += "\\\\"; break;
            case '\n': text += "\\n"; break;
            case '\t': text += "\\t"; break;
            case '\r': text += "\\r"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20U || c == '\x7f') {
                    text += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
                } else {
                    text.push_back(c);
                }
        }
    }
    return text + "\"";
}

std::optional<std::string> stringValue(std::string_view quoted) {
    const std::string_view inner = quoted.substr(1, quoted.size() - 2);
    std::string value;
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if (inner[i] != '\\') {
            value.push_back(inner[i]);
            continue;
        }
        if (++i >= inner.size()) return std::nullopt;
        switch (inner[i]) {
            case 'n': value.push_back('\n'); break;
            case 't': value.push_back('\t'); break;
            case 'r': value.push_back('\r'); break;
            case '"':
            case '\'':
            case '\\': value.push_back(inner[i]); break;
            case 'x': {
                unsigned code = 0;
                if (i + 2 >= inner.size()) return std::nullopt;
                const auto [end, error] = std::from_chars(inner.data() + i + 1, inner.data() + i + 3, code, 16);
                // Only ASCII is accepted: any other single byte would not be UTF-8.
                if (error != std::errc() || end != inner.data() + i + 3 || code == 0 || code > 0x7FU)
                    return std::nullopt;
                value.push_back(static_cast<char>(code));
                i += 2;
                break;
            }
            default: return std::nullopt;
        }
    }
    return value;
}

}  // namespace mitos::ks
