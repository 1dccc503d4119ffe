// SPDX-License-Identifier: GPL-3.0-or-later
// See paper_file.h.
#include "search/experiments/internal/paper_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::search::experiments {

Result<PaperObject> PaperObject::parse(std::string_view file, std::string_view text) {
    nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    const PaperObject object(std::string(file), json);
    if (json.is_discarded()) return object.error("this is not JSON");
    if (!json.is_object()) return object.error("this is not a JSON object");
    return object;
}

Error PaperObject::error(const std::string& what) const {
    return {ErrorCode::Parse, fmt::format("{}: {}", m_place, what), std::nullopt,
            "the files in resources/experiments show the format"};
}

Status PaperObject::requireOnly(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : m_json.items()) {
        if (std::ranges::find(keys, key) != keys.end()) continue;
        return error(fmt::format("unknown key \"{}\"; the keys are {}", key, fmt::join(keys, ", ")));
    }
    return Success{};
}

Result<std::string> PaperObject::text(std::string_view key) const {
    const auto found = m_json.find(key);
    if (found == m_json.end() || !found->is_string() || found->get<std::string>().empty()) {
        return error(fmt::format("\"{}\" must be a text", key));
    }
    return found->get<std::string>();
}

Result<double> PaperObject::number(std::string_view key) const {
    const auto found = m_json.find(key);
    if (found == m_json.end() || !found->is_number() || !std::isfinite(found->get<double>())) {
        return error(fmt::format("\"{}\" must be a number", key));
    }
    return found->get<double>();
}

Result<std::uint32_t> PaperObject::count(std::string_view key) const {
    const auto found = m_json.find(key);
    const bool isWhole = found != m_json.end() && found->is_number_unsigned();
    const std::uint64_t value = isWhole ? found->get<std::uint64_t>() : 0;
    if (value == 0 || value > std::numeric_limits<std::uint32_t>::max()) {
        return error(fmt::format("\"{}\" must be a whole number from 1 on", key));
    }
    return static_cast<std::uint32_t>(value);
}

Result<std::vector<double>> PaperObject::numbers(std::string_view key, std::size_t count, bool allowsNull) const {
    const auto found = m_json.find(key);
    const auto fails = [&] { return error(fmt::format("\"{}\" must be a list of {} numbers", key, count)); };
    if (found == m_json.end() || !found->is_array() || found->size() != count) return fails();
    std::vector<double> values;
    for (const nlohmann::json& value : *found) {
        const bool isMissing = allowsNull && value.is_null();
        if (!isMissing && (!value.is_number() || !std::isfinite(value.get<double>()))) return fails();
        values.push_back(isMissing ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
    return values;
}

Result<std::vector<PaperObject>> PaperObject::entries(std::string_view key) const {
    const auto found = m_json.find(key);
    if (found == m_json.end() || !found->is_array() || found->empty()) {
        return error(fmt::format("\"{}\" must be a list of objects", key));
    }
    std::vector<PaperObject> objects;
    for (const nlohmann::json& value : *found) {
        PaperObject object(fmt::format("{}: {}, entry {}", m_place, key, objects.size() + 1), value);
        if (!value.is_object()) return object.error("this is not an object");
        objects.push_back(std::move(object));
    }
    return objects;
}

Result<PaperObject> PaperObject::object(std::string_view key) const {
    const auto found = m_json.find(key);
    if (found == m_json.end() || !found->is_object()) return error(fmt::format("\"{}\" must be an object", key));
    return PaperObject(fmt::format("{}: {}", m_place, key), *found);
}

std::vector<std::string> PaperObject::keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : m_json.items()) keys.push_back(key);
    return keys;
}

}  // namespace mitos::search::experiments
