// SPDX-License-Identifier: GPL-3.0-or-later
// Parses parameters from text and checks them against their description.
#include "core/base/parameters.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos {

namespace {

const char* typeName(const ParameterValue& value) {
    constexpr const char* Names[] = {"true or false", "a whole number", "a number", "a word"};
    return Names[value.index()];
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

/// The values that the parameter accepts, for hints.
std::string accepted(const ParameterInfo& info) {
    if (!info.choices.empty()) {
        const std::string file = info.fileEnding.empty() ? "" : fmt::format(", or a {} file", info.fileEnding);
        return fmt::format("{} is one of: {}{}.", info.name, joined(info.choices), file);
    }
    const bool number =
        std::holds_alternative<std::int64_t>(info.defaultValue) || std::holds_alternative<double>(info.defaultValue);
    if (number) {
        return fmt::format("{} is {} from {} to {}; without it, {}.", info.name, typeName(info.defaultValue),
                           info.minimum, info.maximum, parameterText(info.defaultValue));
    }
    return fmt::format("{} is {}; without it, {}.", info.name, typeName(info.defaultValue),
                       parameterText(info.defaultValue));
}

/// Converts the value to the parameter's type (an integer is accepted for a real number) and checks its range.
Result<ParameterValue> checked(const ParameterInfo& info, ParameterValue value) {
    if (std::holds_alternative<double>(info.defaultValue) && std::holds_alternative<std::int64_t>(value)) {
        value = static_cast<double>(std::get<std::int64_t>(value));
    }
    if (value.index() != info.defaultValue.index()) {
        return inputError(
            fmt::format("{} = {} is not {}", info.name, parameterText(value), typeName(info.defaultValue)),
            accepted(info));
    }
    double number = info.minimum;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    if (!(number >= info.minimum && number <= info.maximum)) {
        return inputError(fmt::format("{} = {} is out of range", info.name, parameterText(value)), accepted(info));
    }
    const auto* word = std::get_if<std::string>(&value);
    if (word != nullptr && !info.choices.empty() && !info.isFile(*word) && !info.isUnlisted(*word) &&
        std::ranges::find(info.choices, *word) == info.choices.end()) {
        return inputError(fmt::format("{} cannot be \"{}\"", info.name, *word), accepted(info));
    }
    return value;
}

std::optional<bool> truth(std::string_view text) {
    if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
    if (text == "false" || text == "no" || text == "off" || text == "0") return false;
    return std::nullopt;
}

}  // namespace

bool ParameterInfo::isUnlisted(std::string_view value) const {
    return std::ranges::any_of(unlisted, [value](const std::string& each) { return value.starts_with(each); });
}

bool ParameterInfo::isFile(std::string_view value) const { return !fileEnding.empty() && value.ends_with(fileEnding); }

std::string parameterText(const ParameterValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    return std::get<std::string>(value);
}

Result<ParameterValue> parseParameter(const ParameterInfo& info, std::string_view text) {
    const Error wrongType =
        inputError(fmt::format("{} = \"{}\" is not {}", info.name, text, typeName(info.defaultValue)), accepted(info));
    if (std::holds_alternative<bool>(info.defaultValue)) {
        const std::optional<bool> flag = truth(text);
        return flag ? checked(info, *flag) : Result<ParameterValue>(wrongType);
    }
    if (std::holds_alternative<std::int64_t>(info.defaultValue)) {
        const std::optional<std::int64_t> whole = numberFrom<std::int64_t>(text);
        return whole ? checked(info, *whole) : Result<ParameterValue>(wrongType);
    }
    if (std::holds_alternative<double>(info.defaultValue)) {
        const std::optional<double> real = numberFrom<double>(text);
        return real && std::isfinite(*real) ? checked(info, *real) : Result<ParameterValue>(wrongType);
    }
    return checked(info, std::string(text));
}

Result<ParameterValues> resolveParameters(std::string_view owner, std::span<const ParameterInfo> infos,
                                          const ParameterValues& given) {
    ParameterValues values;
    for (const ParameterInfo& parameter : infos) values.emplace(parameter.name, parameter.defaultValue);
    for (const auto& [name, value] : given) {
        const auto described = std::ranges::find(infos, name, &ParameterInfo::name);
        if (described == infos.end()) {
            std::vector<std::string> known;
            for (const ParameterInfo& parameter : infos) known.push_back(parameter.name);
            return inputError(fmt::format("{} has no parameter \"{}\"", owner, name),
                              known.empty() ? fmt::format("{} takes no parameters.", owner)
                                            : fmt::format("{} takes: {}.", owner, joined(known)));
        }
        MITOS_TRY(values[name], checked(*described, value));
    }
    return values;
}

std::string rangeText(const ParameterInfo& info) {
    if (!info.choices.empty()) return fmt::format("{}", fmt::join(info.choices, "|"));
    if (std::holds_alternative<bool>(info.defaultValue)) return "true|false";
    return info.isText() ? "text" : fmt::format("{:g} to {:g}", info.minimum, info.maximum);
}

}  // namespace mitos
