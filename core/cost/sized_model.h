// SPDX-License-Identifier: GPL-3.0-or-later
// The size-aware ks model, ks-sized: abstract interpretation with real sizes.
#pragma once

#include "core/cost/charge.h"
#include "core/cost/cost_model.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace mitos::cost {

/// The sizes that the model assumes: by name, and one for dimensions without a name or with an unlisted name.
struct AssumedSizes {
    std::int64_t otherwise = 100;
    std::map<std::string, std::int64_t> named;
};

[[nodiscard]] std::shared_ptr<const CostModel> makeSizedModel(CostModelInfo info, const Profile& profile,
                                                              AssumedSizes sizes);

}  // namespace mitos::cost
