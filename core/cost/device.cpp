// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/device.h"

#include "core/base/cache_folder.h"
#include "core/base/number_text.h"
#include "core/base/source_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cassert>
#include <cmath>
#include <utility>

namespace mitos::cost {

namespace {

constexpr std::string_view FileEnding = ".json";
constexpr std::string_view CalibratedPrefix = "calibrated@";
constexpr std::string_view WithoutCalibration = "laptop";
constexpr const char* HowToCalibrate = "mitos-cli measure --calibrate measures this machine, in less than a minute";

/// The parameters of a device, as files and names of calibrated devices have them.
struct DeviceField {
    const char* key;
    double Device::*value;
    std::string_view unit;  ///< in names
    double perUnit;
};
constexpr std::array<DeviceField, 5> Fields{{{"launch_seconds", &Device::launchSeconds, "us", 1e-6},
                                             {"single_flops", &Device::singleFlops, "f32", 1e9},
                                             {"double_flops", &Device::doubleFlops, "f64", 1e9},
                                             {"half_flops", &Device::halfFlops, "f16", 1e9},
                                             {"bytes_per_second", &Device::bytesPerSecond, "gb", 1e9}}};

Result<Device> readDevice(std::string name, std::string_view text) {
    const auto fails = [&](const std::string& what) {
        return Error{ErrorCode::Parse, fmt::format("device {}: {}", name, what), std::nullopt,
                     "a device is a JSON object like those in resources/devices"};
    };
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return fails("this is no JSON object");
    Device device;
    for (const DeviceField& field : Fields) {
        const auto found = json.find(field.key);
        const bool isGood = found != json.end() && found->is_number() && std::isfinite(found->get<double>()) &&
                            found->get<double>() > 0.0;
        if (!isGood) return fails(fmt::format("{} must be a number above 0", field.key));
        device.*field.value = found->get<double>();
    }
    const auto title = json.find("title");
    device.title = title != json.end() && title->is_string() ? title->get<std::string>() : name;
    device.name = std::move(name);
    return device;
}

/// The device of a name that states its parameters. If it is this machine, it has that title.
Result<Device> calibratedDevice(std::string_view name) {
    const Error wrong = inputError(fmt::format("\"{}\" names no calibrated device", name),
                                   "it must be like calibrated@0.85us_96.2f32_48.1f64_96.2f16_11.8gb");
    Device device{.name = std::string(name), .title = fmt::format("a machine that was calibrated ({})", name)};
    std::string_view rest = name.substr(CalibratedPrefix.size());
    for (const DeviceField& field : Fields) {
        const std::size_t end = rest.find('_');
        std::string_view part = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (!part.ends_with(field.unit)) return wrong;
        part.remove_suffix(field.unit.size());
        const auto value = numberFrom<double>(part);
        const double scaled = value.value_or(0.0) * field.perUnit;
        if (!std::isfinite(scaled) || scaled <= 0.0) return wrong;
        device.*field.value = scaled;
    }
    if (!rest.empty()) return wrong;
    const auto own = calibrationOfThisMachine();
    if (own && *own && (*own)->name == name) device.title = (*own)->title;
    return device;
}

}  // namespace

double Device::flops(ir::Dtype dtype) const {
    if (dtype == ir::Dtype::F16 || dtype == ir::Dtype::Bf16) return halfFlops;
    return dtype == ir::Dtype::F64 ? doubleFlops : singleFlops;
}

std::string calibratedName(const Device& device) {
    std::string name(CalibratedPrefix);
    for (const DeviceField& field : Fields) {
        const bool isFirst = &field == &Fields.front();
        // Three digits, without the exponent that they may have: 1230 rather than 1.23e+03.
        const std::string digits = fmt::format("{:.3g}", device.*field.value / field.perUnit);
        name += fmt::format("{}{}{}", isFirst ? "" : "_", numberFrom<double>(digits).value_or(0.0), field.unit);
    }
    return name;
}

std::string deviceText(const Device& device) {
    nlohmann::ordered_json json{{"title", device.title}};
    for (const DeviceField& field : Fields) json[field.key] = device.*field.value;
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::filesystem::path calibrationFile() {
    const std::filesystem::path folder = configFolder();
    return folder.empty() ? folder : folder / "this-machine.json";
}

Result<std::optional<Device>> calibrationOfThisMachine() {
    const std::filesystem::path file = calibrationFile();
    std::error_code unknown;
    if (file.empty() || !std::filesystem::exists(file, unknown)) return std::optional<Device>();
    MITOS_TRY(const SourceText text, readSourceFile(file.string()));
    MITOS_TRY(Device device, readDevice(file.string(), text.text()));
    device.name = calibratedName(device);
    device.title = fmt::format("This machine: {}", device.title);
    return std::optional(std::move(device));
}

Result<std::string> settleDevice(std::string& name) {
    if (name != ThisMachine && name != Processor) return std::string();
    const Result<std::optional<Device>> own = calibrationOfThisMachine();
    if (own && *own) {
        name = (*own)->name;
        return std::string();
    }
    if (name == Processor) {
        name = WithoutCalibration;
        return own ? std::string()
                   : fmt::format("the calibration of this machine is ignored: {}; {}", own.error().message,
                                 HowToCalibrate);
    }
    if (own) return inputError("this machine has not been calibrated", HowToCalibrate);
    Error damaged = own.error();
    damaged.hint = HowToCalibrate;
    return damaged;
}

Result<Device> findDevice(std::string_view nameOrFile) {
    if (nameOrFile == ThisMachine || nameOrFile == Processor) {
        std::string name(nameOrFile);
        MITOS_REQUIRE(settleDevice(name));
        return findDevice(name);
    }
    if (nameOrFile.starts_with(CalibratedPrefix)) return calibratedDevice(nameOrFile);
    std::string known;
    for (const ShippedDevice& shipped : shippedDevices()) {
        if (shipped.name == nameOrFile) return readDevice(std::string(nameOrFile), shipped.text);
        known += (known.empty() ? "" : ", ") + std::string(shipped.name);
    }
    if (nameOrFile.ends_with(FileEnding)) {
        MITOS_TRY(const SourceText text, readSourceFile(std::string(nameOrFile)));
        return readDevice(std::string(nameOrFile), text.text());
    }
    return inputError(fmt::format("there is no device \"{}\"", nameOrFile),
                      fmt::format("devices: {}, {}, or a .json file", known, ThisMachine));
}

ParameterInfo deviceParameter() {
    ParameterInfo device{.name = "device",
                         .title = "Device",
                         .help =
                             "a device of `resources/devices`, `this-machine` after `mitos-cli measure --calibrate`, "
                             "`processor` (this machine, or a laptop), or a .json file",
                         .defaultValue = std::string(DefaultDevice),
                         .fileEnding = std::string(FileEnding),
                         .unlisted = {std::string(ThisMachine), std::string(Processor), std::string(CalibratedPrefix)}};
    for (const ShippedDevice& shipped : shippedDevices()) {
        const Result<Device> found = findDevice(shipped.name);
        assert(found.ok());  // it comes with the program
        device.choices.emplace_back(shipped.name);
        device.choiceTitles.push_back(found->title);
    }
    if (const auto own = calibrationOfThisMachine(); own && *own) {
        device.choices.push_back((*own)->name);
        device.choiceTitles.push_back((*own)->title);
    }
    return device;
}

}  // namespace mitos::cost
