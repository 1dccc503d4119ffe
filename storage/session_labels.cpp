// SPDX-License-Identifier: GPL-3.0-or-later
// See session_labels.h.
#include "storage/session_labels.h"

#include "core/base/json_field.h"
#include "storage/session.h"

#include <filesystem>
#include <system_error>

namespace mitos::storage {

std::string toJson(const SessionLabels& labels) {
    return nlohmann::json{{"name", labels.name}, {"note", labels.note}, {"tags", labels.tags}}.dump();
}

SessionLabels labelsFromJson(const std::string& json) {
    SessionLabels labels;
    const auto object = nlohmann::json::parse(json, nullptr, false);
    if (!object.is_object()) return labels;
    readField(object, "name", labels.name);
    readField(object, "note", labels.note);
    if (const auto tags = object.find("tags"); tags != object.end() && tags->is_array()) {
        for (const auto& tag : *tags) {
            if (tag.is_string()) labels.tags.push_back(tag.get<std::string>());
        }
    }
    return labels;
}

Status storeLabels(const std::string& path, const SessionLabels& labels) {
    std::error_code failure;
    if (!std::filesystem::exists(path, failure)) {
        return Error{ErrorCode::Io, path + " is gone", std::nullopt, "It may have been moved or deleted."};
    }
    MITOS_TRY(Session session, Session::open(path));
    return session.setValue(LabelsKey, toJson(labels));
}

}  // namespace mitos::storage
