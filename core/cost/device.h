// SPDX-License-Identifier: GPL-3.0-or-later
// What a machine can do, as data: resources/devices, and files of the same form.
#pragma once

#include "core/base/result.h"
#include "core/ir/type_table.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mitos::cost {

/// The parameters of a roofline: an operator takes a launch, and then what is slower, computing or moving.
struct Device {
    std::string name;   ///< "a100", or the file's whole path
    std::string title;  ///< for people
    double launchSeconds = 0.0;
    double halfFlops = 0.0;    ///< per second, on f16 and bf16
    double singleFlops = 0.0;  ///< on f32, and on everything that has no row of its own
    double doubleFlops = 0.0;  ///< on f64
    double bytesPerSecond = 0.0;

    [[nodiscard]] double flops(ir::Dtype dtype) const;
};

struct ShippedDevice {
    std::string_view name;
    std::string_view text;
};
[[nodiscard]] std::span<const ShippedDevice> shippedDevices();

/// The device of roofline costs if none is named.
inline constexpr std::string_view DefaultDevice = "a100";

/// A device by name, or the file whose path ends in .json. Errors: there is none (lists the names), a file that lacks a
/// parameter or has one that is not a number above 0.
[[nodiscard]] Result<Device> findDevice(std::string_view nameOrFile);

/// The file of a device in the name of a cost model, "roofline:FILE.json,n=64"; nothing: it names none.
[[nodiscard]] std::optional<std::string> deviceFileOf(std::string_view costModel);

}  // namespace mitos::cost
