// SPDX-License-Identifier: GPL-3.0-or-later
// Translates TENSAT's text rules to rules of our language, which are then loaded like any others. Its semantics are kept, sound or not:
// the number of groups of a convolution follows from the shapes, elementwise operators do not broadcast, and split divides where the
// last concat joined.
#pragma once

#include "core/base/source_text.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules::tensat {

/// "tensat:FILE" names a set of such rules.
constexpr std::string_view Prefix = "tensat:";
/// The file in the name of a set; nothing if it names another kind of set.
[[nodiscard]] std::optional<std::string> fileOf(std::string_view setName);

struct Translation {
    std::string text;                           ///< a rule file
    std::map<std::string, SourcePlace> places;  ///< by name of rule ("single_12"): its place in TENSAT's file
    std::vector<Error> errors;                  ///< for lines that are not rules
    std::vector<Error> omitted;                 ///< rules that our operators cannot express, with the reason
};

/// Translates a file of rules. A rule is named after the file and its (first) line. The source has the name of the set.
[[nodiscard]] Translation translate(const SourceText& source);

}  // namespace mitos::rules::tensat
