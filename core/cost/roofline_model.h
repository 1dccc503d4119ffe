// SPDX-License-Identifier: GPL-3.0-or-later
// Analytic cost models of tensor programs: time by a roofline, and memory.
#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/device.h"
#include "core/cost/sized_model.h"

#include <memory>

namespace mitos::cost {

/// Microseconds: the sum over distinct nodes of launch + max(flops / peak, bytes / bandwidth), after Williams, Waterman and Patterson
/// (Roofline, 2009). What depends on weights only is computed before the program runs and costs nothing, as do views.
[[nodiscard]] std::shared_ptr<const CostModel> makeRooflineModel(CostModelInfo info, Device device, AssumedSizes sizes);

/// Bytes: the most that are held at a time when nodes run in the order in which listings have them. Weights, and what is
/// computed from them alone, are held all the time; an input, and what a node computes, until their last use.
[[nodiscard]] std::shared_ptr<const CostModel> makePeakMemoryModel(CostModelInfo info, AssumedSizes sizes);

}  // namespace mitos::cost
