// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters described as data: dialogs, flags and table columns are generated from the descriptions. Strategies and cost models
// describe theirs.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mitos {

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;
using ParameterValues = std::map<std::string, ParameterValue>;

struct ParameterInfo {
    std::string name;             ///< as in --set name=value
    std::string title;            ///< shown to users
    std::string help;             ///< one line
    ParameterValue defaultValue;  ///< its alternative is the parameter's type
    double minimum = 0.0;         ///< least value of a number, inclusive
    double maximum = 0.0;
    std::vector<std::string> choices = {};       ///< allowed values of a string
    std::vector<std::string> choiceTitles = {};  ///< shown to users instead of the choices; as many, or none
    /// A string with choices may also be the path of a file with this ending, ".json"; empty: it may not.
    std::string fileEnding = {};
    /// Beginnings of further values that a string with choices may have, but that are not offered. Whatever uses the value checks the
    /// rest of it.
    std::vector<std::string> unlisted = {};

    [[nodiscard]] bool isText() const { return std::holds_alternative<std::string>(defaultValue); }
    /// Whether the value is the path of a file.
    [[nodiscard]] bool isFile(std::string_view value) const;
    /// Whether the value begins as one of those that are not listed.
    [[nodiscard]] bool isUnlisted(std::string_view value) const;
};

/// Checks the given values against the descriptions and fills in defaults. `owner` names whose parameters they are. Fails if a name
/// is unknown (the error lists the known ones), or if a value has the wrong type or is out of range.
[[nodiscard]] Result<ParameterValues> resolveParameters(std::string_view owner, std::span<const ParameterInfo> infos,
                                                        const ParameterValues& given);
/// Parses a value of the described parameter ("10", "0.5", "true", "log").
[[nodiscard]] Result<ParameterValue> parseParameter(const ParameterInfo& info, std::string_view text);
/// The value as parseParameter reads it.
[[nodiscard]] std::string parameterText(const ParameterValue& value);
/// The values of a parameter in words: "log|none", "true|false", "1 to 1000", "text".
[[nodiscard]] std::string rangeText(const ParameterInfo& info);

}  // namespace mitos
