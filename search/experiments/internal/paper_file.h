// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a data file with a paper's numbers: a JSON object, every part of which is checked.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// An object of such a file. Its errors name the file and the place in it.
class PaperObject {
public:
    /// Fails if the text is not a JSON object.
    [[nodiscard]] static Result<PaperObject> parse(std::string_view file, std::string_view text);

    [[nodiscard]] Error error(const std::string& what) const;
    /// Fails if the object has another key.
    [[nodiscard]] Status requireOnly(std::initializer_list<std::string_view> keys) const;
    [[nodiscard]] bool has(std::string_view key) const { return m_json.contains(key); }

    /// A text that is not empty.
    [[nodiscard]] Result<std::string> text(std::string_view key) const;
    [[nodiscard]] Result<double> number(std::string_view key) const;
    /// A whole number from 1 on.
    [[nodiscard]] Result<std::uint32_t> count(std::string_view key) const;
    /// So many numbers; null is read as NaN if `allowsNull`.
    [[nodiscard]] Result<std::vector<double>> numbers(std::string_view key, std::size_t count,
                                                      bool allowsNull = false) const;
    /// The entries of a list of objects.
    [[nodiscard]] Result<std::vector<PaperObject>> entries(std::string_view key) const;
    [[nodiscard]] Result<PaperObject> object(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> keys() const;

private:
    PaperObject(std::string place, nlohmann::json json) : m_place(std::move(place)), m_json(std::move(json)) {}

    std::string m_place;  ///< file, and the path to the object in it
    nlohmann::json m_json;
};

}  // namespace mitos::search::experiments
