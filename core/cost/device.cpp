// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/device.h"

#include "core/base/source_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cassert>
#include <cmath>

namespace mitos::cost {

namespace {

constexpr std::string_view FileEnding = ".json";

Result<Device> readDevice(std::string name, std::string_view text) {
    const auto fails = [&](const std::string& what) {
        return Error{ErrorCode::Parse, fmt::format("device {}: {}", name, what), std::nullopt,
                     "a device is a JSON object like those in resources/devices"};
    };
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return fails("this is no JSON object");
    Device device;
    for (const auto& [key, value] :
         {std::pair("launch_seconds", &device.launchSeconds), std::pair("half_flops", &device.halfFlops),
          std::pair("single_flops", &device.singleFlops), std::pair("double_flops", &device.doubleFlops),
          std::pair("bytes_per_second", &device.bytesPerSecond)}) {
        const auto found = json.find(key);
        const bool isGood = found != json.end() && found->is_number() && std::isfinite(found->get<double>()) &&
                            found->get<double>() > 0.0;
        if (!isGood) return fails(fmt::format("{} must be a number above 0", key));
        *value = found->get<double>();
    }
    const auto title = json.find("title");
    device.title = title != json.end() && title->is_string() ? title->get<std::string>() : name;
    device.name = std::move(name);
    return device;
}

}  // namespace

double Device::flops(ir::Dtype dtype) const {
    if (dtype == ir::Dtype::F16 || dtype == ir::Dtype::Bf16) return halfFlops;
    return dtype == ir::Dtype::F64 ? doubleFlops : singleFlops;
}

Result<Device> findDevice(std::string_view nameOrFile) {
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
                      fmt::format("devices: {}, or a .json file", known));
}

ParameterInfo deviceParameter() {
    ParameterInfo device{.name = "device",
                         .title = "Device",
                         .help = "a device of `resources/devices`, or a .json file of that form",
                         .defaultValue = std::string(DefaultDevice),
                         .fileEnding = std::string(FileEnding)};
    for (const ShippedDevice& shipped : shippedDevices()) {
        const Result<Device> found = findDevice(shipped.name);
        assert(found.ok());  // it comes with the program
        device.choices.emplace_back(shipped.name);
        device.choiceTitles.push_back(found->title);
    }
    return device;
}

}  // namespace mitos::cost
