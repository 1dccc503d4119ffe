// SPDX-License-Identifier: GPL-3.0-or-later
// The syntax of names and literals in ks text (ks-language.md 1), shared by the reader and the printer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

[[nodiscard]] constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
/// Whether a character may be the first (isNameStart) or a further one (isNameChar) of an identifier.
[[nodiscard]] bool isNameStart(char c);
[[nodiscard]] bool isNameChar(char c);
/// Whether the name is a keyword or the name of a type, which no variable or function may have.
[[nodiscard]] bool isReserved(std::string_view name);
/// Whether a variable may have this name.
[[nodiscard]] bool isVariableName(std::string_view name);
/// Whether a structured name may begin with this word, as `[rev f]` does: `fwd`, `rev`, `D` and the like.
[[nodiscard]] bool isDerivation(std::string_view name);
/// The list of derivations for messages.
constexpr std::string_view DerivationsAre =
    "derivations are fwd, rev, D, Dt, shape, CL, suffwdpass, sufrevpass and sufrev";

/// The operator denoted by a name of old files: "*" is mul, "==" eq, "pr" print. Other names are returned unchanged.
[[nodiscard]] std::string_view withoutAlias(std::string_view name);
/// The name without the letters of its argument's type (ks-language.md 8): `add` for `add@ff` and for the older `add$ff`.
/// Returns nothing if the name has no such letters.
[[nodiscard]] std::optional<std::string_view> withoutTypeLetters(std::string_view name);

/// The parts `rev` and `f` of the plain name `rev$f`, which old files use for `[rev f]`.
struct DerivedName {
    std::string_view derivation;
    std::string_view base;
};
[[nodiscard]] std::optional<DerivedName> derivedName(std::string_view name);

/// The shortest text that is read back as exactly this Float: "1.0", "-1e-38", "1e999" (infinite), "$nan".
[[nodiscard]] std::string floatText(double value);
/// The value of a name such as "$nan" or "$nan:fff8000000000000"; nothing for any other name.
[[nodiscard]] std::optional<double> notANumber(std::string_view name);
/// The String literal of a value, with quotes and escapes.
[[nodiscard]] std::string stringText(std::string_view value);
/// The value of a String literal, given with its quotes; nothing if an escape is unknown.
[[nodiscard]] std::optional<std::string> stringValue(std::string_view quoted);

}  // namespace mitos::ks
