// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/shipped_models.h"

#include "search/learned/shipped_files.h"

#include <utility>

namespace mitos::search::placement {

std::vector<ShippedModel> shippedModels() {
    std::vector<ShippedModel> models;
    for (const learned::ShippedFile& file : learned::shippedFiles()) {
        if (auto model = readPolicy(file.name, file.bytes))
            models.push_back({.name = std::string(file.name), .model = *std::move(model)});
    }
    return models;
}

std::optional<ShippedModel> shippedModelFor(Objective objective, std::uint32_t devices, std::optional<Decode> decode) {
    for (ShippedModel& one : shippedModels()) {
        const PolicyModel& model = one.model;
        if (model.objective == objective && model.devices == devices && (!decode || model.decode == *decode))
            return std::move(one);
    }
    return std::nullopt;
}

}  // namespace mitos::search::placement
