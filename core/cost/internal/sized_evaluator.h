// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of ks programs by abstract interpretation with real sizes.
#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/internal/charge.h"
#include "core/cost/sizes.h"

#include <memory>

namespace mitos::cost {

[[nodiscard]] std::unique_ptr<CostEvaluator> sizedEvaluator(const ir::TermBank& bank, ir::FunctionId function,
                                                            const Profile& profile, const AssumedSizes& sizes);

}  // namespace mitos::cost
