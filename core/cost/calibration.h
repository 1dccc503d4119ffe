// SPDX-License-Identifier: GPL-3.0-or-later
// Calibrates a machine: a few operations are measured with whichever runtime there is, and the device that the roofline needs is fitted to
// their times.
#pragma once

#include "core/cost/device.h"
#include "core/cost/operation.h"
#include "core/cost/profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::cost {

/// The operations to measure on "cpu" or "cuda": the smallest ones, whose time is that of a launch, matrix products and convolutions that
/// compute much, and elementwise operations that move more than caches hold.
[[nodiscard]] std::vector<Operation> calibrationOperations(std::string_view device);

/// The device that the times of a profile come from. A launch is the least time; the rates are the best that an operation which takes much
/// longer reaches: flops by the type of its elements, and bytes by those that move more than caches hold. Types without a time
/// have the rate of f32 (f16), or half of it (f64). Numbers have three digits. Fails if there is no such operation.
[[nodiscard]] Result<Device> fittedDevice(const CostProfile& profile);

/// Writes the calibration of this machine, calibrationFile(), which is used from the next start of a program on. The result is the file's
/// path. Fails if this user has no folder for it, or it cannot be written.
[[nodiscard]] Result<std::string> writeCalibration(const Device& device);

}  // namespace mitos::cost
