// SPDX-License-Identifier: GPL-3.0-or-later
// Performance parameters of machines, read from resources/devices, from files of the same form, and from the calibration of this machine
// (calibration.h).
#pragma once

#include "core/base/parameters.h"
#include "core/ir/type_table.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mitos::cost {

/// The parameters of a roofline: an operator takes a launch, and then the longer of computing and moving data.
struct Device {
    std::string name;   ///< "a100", the file's whole path, or the parameters of a calibrated one (calibratedName)
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

/// The name of the device that the calibration of this machine describes, and that of the same one or, without a calibration, of the
/// processor of a laptop. They mean something else on another machine.
inline constexpr std::string_view ThisMachine = "this-machine";
inline constexpr std::string_view Processor = "processor";

/// Finds a device by name, or reads the file if the path ends in .json. Errors: no such device (lists the names); a file in which a
/// parameter is missing or is not a number above 0; no calibration of this machine.
[[nodiscard]] Result<Device> findDevice(std::string_view nameOrFile);

/// A name for a device that means the same on every machine, since it states the parameters, with three digits:
/// "calibrated@0.85us_96.2f32_48.1f64_96.2f16_11.8gb" (microseconds, GFLOP/s, GB/s).
[[nodiscard]] std::string calibratedName(const Device& device);
/// The device as a file that findDevice() reads.
[[nodiscard]] std::string deviceText(const Device& device);

/// The file of the calibration of this machine; empty if this user has no folder for it.
[[nodiscard]] std::filesystem::path calibrationFile();
/// The calibration of this machine; none if there is no such file. Fails if it is damaged.
[[nodiscard]] Result<std::optional<Device>> calibrationOfThisMachine();
/// Replaces ThisMachine and Processor by a name that means the same everywhere. The result is empty, or warns that a damaged calibration is
/// ignored. Fails if this machine is asked for and has no calibration.
[[nodiscard]] Result<std::string> settleDevice(std::string& name);

/// The parameter `device` of cost models: a shipped device, this machine if it was calibrated, or a .json file.
[[nodiscard]] ParameterInfo deviceParameter();

}  // namespace mitos::cost
