// SPDX-License-Identifier: GPL-3.0-or-later
// The ks analytic models that assume one size for every dimension: ks-2021 and ks-2019.
#pragma once

#include "core/cost/charge.h"
#include "core/cost/cost_model.h"

#include <memory>

namespace mitos::cost {

/// Every tensor has vectorSize elements per dimension, and every loop runs vectorSize times (knossos-optimizer.md 3.1).
[[nodiscard]] std::shared_ptr<const CostModel> makeProfileModel(CostModelInfo info, const Profile& profile,
                                                                double vectorSize);

}  // namespace mitos::cost
