// SPDX-License-Identifier: GPL-3.0-or-later
// Reads fields of JSON objects that another version, or another program, may have written.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace mitos {

/// Nothing if the field is missing or of another kind.
template <typename T>
std::optional<T> fieldOf(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    if (found == object.end()) return std::nullopt;
    bool fits = found->is_number_unsigned();
    if constexpr (std::is_same_v<T, bool>) fits = found->is_boolean();
    if constexpr (std::is_same_v<T, std::string>) fits = found->is_string();
    if constexpr (std::is_same_v<T, double>) fits = found->is_number();
    if constexpr (std::is_same_v<T, int>) fits = found->is_number_integer();
    return fits ? std::optional(found->template get<T>()) : std::nullopt;
}

/// Leaves `into` as it is if the field is missing or of another kind.
template <typename T>
void readField(const nlohmann::json& object, const char* field, T& into) {
    if (std::optional<T> value = fieldOf<T>(object, field)) into = *std::move(value);
}

}  // namespace mitos
