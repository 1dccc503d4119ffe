// SPDX-License-Identifier: GPL-3.0-or-later
// Analytic cost models of tensor programs: time by the roofline model, and peak memory.
#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/device.h"
#include "core/cost/sized_model.h"

#include <memory>

namespace mitos::cost {

/// Cost in microseconds: the sum over distinct nodes of launch + max(flops / peak, bytes / bandwidth), after Williams, Waterman and
/// Patterson (Roofline, 2009). A node that depends on weights only is computed before the program runs and costs nothing; views cost
/// nothing either.
[[nodiscard]] std::shared_ptr<const CostModel> makeRooflineModel(CostModelInfo info, Device device, AssumedSizes sizes);

/// Cost in bytes: the most that is held at a time if nodes run in the order of listings. Weights, and values computed from them alone,
/// are held all the time; inputs and other computed values are held until their last use.
[[nodiscard]] std::shared_ptr<const CostModel> makePeakMemoryModel(CostModelInfo info, AssumedSizes sizes);

}  // namespace mitos::cost
