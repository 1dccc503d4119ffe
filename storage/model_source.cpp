// SPDX-License-Identifier: GPL-3.0-or-later
// See model_source.h.
#include "storage/model_source.h"

#include "core/base/json_field.h"

#include <array>
#include <utility>

namespace mitos::storage {

namespace {

using Kind = ModelSource::Kind;
constexpr std::array KindNames = {std::pair(Kind::Sampled, "sampled"), std::pair(Kind::File, "file"),
                                  std::pair(Kind::Network, "network")};

}  // namespace

std::string toJson(const StoredModel& model) {
    nlohmann::json json{{"place", model.source.place},
                        {"realistic", model.source.realistic},
                        {"digest", model.source.digest},
                        {"name", model.name},
                        {"outputs", model.outputs}};
    for (const auto& [kind, name] : KindNames) {
        if (kind == model.source.kind) json["kind"] = name;
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

StoredModel modelFromJson(const std::string& text) {
    StoredModel model;
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return model;
    std::string kind;
    readField(json, "kind", kind);
    for (const auto& [known, name] : KindNames) {
        if (kind == name) model.source.kind = known;
    }
    readField(json, "place", model.source.place);
    readField(json, "realistic", model.source.realistic);
    readField(json, "digest", model.source.digest);
    readField(json, "name", model.name);
    const auto outputs = json.find("outputs");
    if (outputs != json.end() && outputs->is_array()) {
        for (const nlohmann::json& output : *outputs) {
            if (output.is_string()) model.outputs.push_back(output.get<std::string>());
        }
    }
    return model;
}

}  // namespace mitos::storage
