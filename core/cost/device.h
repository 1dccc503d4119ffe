// SPDX-License-Identifier: GPL-3.0-or-later
// Performance parameters of machines, read from resources/devices and from files of the same form.
#pragma once

#include "core/base/parameters.h"
#include "core/ir/type_table.h"

#include <span>
#include <string>
#include <string_view>

namespace mitos::cost {

/// The parameters of a roofline: an operator takes a launch, and then the longer of computing and moving data.
struct Device {
    std::string name;   ///< "a100", or the file's whole path
    std::string title;  ///< title shown to the user
    double launchSeconds = 0.0;
    double halfFlops = 0.0;    ///< per second, on f16 and bf16
    double singleFlops = 0.0;  ///< on f32, and on every type without its own parameter
    double doubleFlops = 0.0;  ///< on f64
    double bytesPerSecond = 0.0;

    [[nodiscard]] double flops(ir::Dtype dtype) const;
};

struct ShippedDevice {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::span<const ShippedDevice> shippedDevices();

/// The device of roofline costs if none is given.
inline constexpr std::string_view DefaultDevice = "a100";

/// Finds a device by name, or reads the file if the path ends in .json. Errors: no such device (lists the names); a file in which a
/// parameter is missing or is not a number above 0.
[[nodiscard]] Result<Device> findDevice(std::string_view nameOrFile);

/// The parameter `device` of cost models: a shipped device, or a .json file.
[[nodiscard]] ParameterInfo deviceParameter();

}  // namespace mitos::cost
