// SPDX-License-Identifier: GPL-3.0-or-later
// The ks analytic models that assume one size for every dimension: ks-2021 and ks-2019.
#pragma once

#include "core/cost/factory.h"
#include "core/cost/internal/charge.h"

#include <memory>

namespace mitos::cost {

/// Costs under a profile that assumes vectorSize elements per dimension of every tensor, and as many rounds of every loop
/// (knossos-optimizer.md 3.1).
[[nodiscard]] std::shared_ptr<const CostModel> modelOfProfile(CostModelInfo info, const Profile& profile,
                                                              double vectorSize);
/// Costs that all profiles share, as text for descriptions.
inline constexpr const char* CommonCosts =
    "let 0.1, tuple 0.1 an element, if 1 + condition + more expensive arm + 0.0001 x the cheaper one, add and sub 1, "
    "mul and div 2, log, exp and their like 4, comparisons, index, size and conversions 1, a call 2 + the body (an "
    "external function: 2 + its cost$f, else 7; a recursive call: 2). Allocation, build: M; constVec, deltaVec: M + 1 "
    "an element (ks-2019: M); loops: rounds x body.";

}  // namespace mitos::cost
