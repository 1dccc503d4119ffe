// SPDX-License-Identifier: GPL-3.0-or-later
// See record_file.h.
#include "search/experiments/record_file.h"

#include "core/base/hash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mitos::search::experiments {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* DigestKey = "digest";
constexpr const char* Remedy = "delete the file to run it again";

/// The digest of a record without one.
std::string digestOf(const Json& record, std::string_view settings) {
    const std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
    return fmt::format("{:016x}", combineHash(hashText(settings), hashText(text)));
}

}  // namespace

Error noRecord(std::string_view reason) {
    return inputError(fmt::format("this is not the record of a run: {}", reason), Remedy);
}

std::string sealRecord(const std::string& record, std::string_view settings) {
    Json json = Json::parse(record);
    json[DigestKey] = digestOf(json, settings);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::string> openRecord(const std::string& text, std::string_view settings) {
    try {
        Json json = Json::parse(text);
        const auto digest = json.at(DigestKey).get<std::string>();
        json.erase(DigestKey);
        if (digest == digestOf(json, settings)) return json.dump(-1, ' ', false, Json::error_handler_t::replace);
        return inputError("its digest does not fit: the record was changed, or is of an experiment of other settings",
                          Remedy);
    } catch (const Json::exception& error) {
        return noRecord(error.what());
    }
}

}  // namespace mitos::search::experiments
