// SPDX-License-Identifier: GPL-3.0-or-later
// What names and literals look like in ks text (ks-language.md 1), shared by reading and printing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

[[nodiscard]] constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
/// First and further characters of identifiers.
[[nodiscard]] bool isNameStart(char c);
[[nodiscard]] bool isNameChar(char c);
/// Keywords and names of types: no variable or function may be called so.
[[nodiscard]] bool isReserved(std::string_view name);
/// Whether a variable can be called so.
[[nodiscard]] bool isVariableName(std::string_view name);
/// `fwd`, `rev`, `D` and the like: what a structured name `[rev f]` may begin with.
[[nodiscard]] bool isDerivation(std::string_view name);
/// What a message says of them.
constexpr std::string_view DerivationsAre =
    "derivations are fwd, rev, D, Dt, shape, CL, suffwdpass, sufrevpass and sufrev";

/// The operator that a name of old files stands for: "*" is mul, "==" eq, "pr" print. Any other name stays as it is.
[[nodiscard]] std::string_view withoutAlias(std::string_view name);
/// `add` of `add@ff`, and of the older `add$ff`: the name without the letters of its argument's type (ks-language.md 8);
/// nothing if no such letters follow.
[[nodiscard]] std::optional<std::string_view> withoutTypeLetters(std::string_view name);

/// `rev` and `f`, of the plain name `rev$f` that old files use for `[rev f]`.
struct DerivedName {
    std::string_view derivation;
    std::string_view base;
};
[[nodiscard]] std::optional<DerivedName> derivedName(std::string_view name);

/// The shortest text that reads back as exactly this Float: "1.0", "-1e-38", "1e999" (infinite), "$nan".
[[nodiscard]] std::string floatText(double value);
/// The value of a name such as "$nan" or "$nan:fff8000000000000"; nothing for any other name.
[[nodiscard]] std::optional<double> notANumber(std::string_view name);
/// With quotes and escapes.
[[nodiscard]] std::string stringText(std::string_view value);
/// The value of a String literal (its text with quotes); nothing if an escape is unknown.
[[nodiscard]] std::optional<std::string> stringValue(std::string_view quoted);

/// The candidate that was probably meant by a misspelt name; empty if none is close.
[[nodiscard]] std::string_view closestName(std::string_view name, const std::vector<std::string_view>& candidates);
/// "did you mean X?", or the fallback if no candidate is close.
[[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates,
                                     std::string fallback = {});

}  // namespace mitos::ks
