// SPDX-License-Identifier: GPL-3.0-or-later
// Reads fields of JSON objects that another version, or another program, may have written.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <type_traits>

namespace mitos::storage {

/// Leaves `into` as it is if the field is missing or of another kind.
template <typename T>
void readField(const nlohmann::json& object, const char* field, T& into) {
    const auto found = object.find(field);
    if (found == object.end()) return;
    bool fits = found->is_number_unsigned();
    if constexpr (std::is_same_v<T, bool>) fits = found->is_boolean();
    if constexpr (std::is_same_v<T, std::string>) fits = found->is_string();
    if constexpr (std::is_same_v<T, double>) fits = found->is_number();
    if constexpr (std::is_same_v<T, int>) fits = found->is_number_integer();
    if (fits) into = found->template get<T>();
}

}  // namespace mitos::storage
