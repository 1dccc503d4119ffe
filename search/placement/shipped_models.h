// SPDX-License-Identifier: GPL-3.0-or-later
// The trained policies that are built in: resources/models.
#pragma once

#include "search/placement/policy_model.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

struct ShippedModel {
    std::string name;  ///< of its file, without the ending: "memory-2"
    PolicyModel model;
};

/// All policies. Those that this version cannot read are left out (a test reads all).
[[nodiscard]] std::vector<ShippedModel> shippedModels();

/// The one for an objective and a number of devices, and for a meaning of keys if one is given.
[[nodiscard]] std::optional<ShippedModel> shippedModelFor(Objective objective, std::uint32_t devices,
                                                          std::optional<Decode> decode);

}  // namespace mitos::search::placement
