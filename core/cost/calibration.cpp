// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/calibration.h"

#include "core/base/number_text.h"
#include "core/base/source_text.h"
#include "core/cost/internal/node_work.h"
#include "core/cost/internal/roofline_fit.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace mitos::cost {

namespace {

/// More than caches hold.
constexpr double ManyBytes = 64.0 * 1024.0 * 1024.0;

Operand array(ir::Dtype dtype, std::vector<std::int64_t> shape, bool isConstant = false) {
    return {.dtype = dtype, .shape = std::move(shape), .isConstant = isConstant};
}

Operation product(ir::Dtype dtype, std::int64_t size) {
    return {"MatMul", "", {array(dtype, {size, size}), array(dtype, {size, size}, true)}};
}

/// A convolution of an image of that many channels by as many filters of 3 × 3.
Operation convolution(std::int64_t channels, std::int64_t size) {
    const std::string ones = "[1,1]";
    const Result<Operation> operation =
        operationFrom({.op = "Conv",
                       .attributes = {{"strides", ones}, {"pads", "[1,1,1,1]"}, {"dilations", ones}, {"group", "1"}},
                       .inputs = {fmt::format("f32[1,{},{},{}]", channels, size, size),
                                  fmt::format("f32[{},{},3,3] constant", channels, channels)}});
    assert(operation.ok());
    return *operation;
}

/// The number with three digits.
double rounded(double value) { return numberFrom<double>(fmt::format("{:.3g}", value)).value_or(value); }

}  // namespace

std::vector<Operation> calibrationOperations(std::string_view device) {
    const bool isGpu = device != "cpu";
    std::vector<Operation> operations{
        {"Relu", "", {array(ir::Dtype::F32, {1})}},
        {"Add", "", {array(ir::Dtype::F32, {1}), array(ir::Dtype::F32, {1})}},
    };
    // A GPU needs larger operations to be busy.
    const std::int64_t scale = isGpu ? 8 : 1;
    for (const std::int64_t size : {256, 512, 1024}) operations.push_back(product(ir::Dtype::F32, scale * size));
    operations.push_back(product(ir::Dtype::F64, scale * 512));
    operations.push_back(product(ir::Dtype::F16, scale * 512));
    operations.push_back(convolution(64, scale * 56));
    operations.push_back(convolution(256, scale * 14));
    const std::int64_t many = isGpu ? 1 << 26 : 1 << 24;
    operations.push_back({"Relu", "", {array(ir::Dtype::F32, {many})}});
    operations.push_back({"Add", "", {array(ir::Dtype::F32, {many}), array(ir::Dtype::F32, {many})}});
    return operations;
}

Result<Device> fittedDevice(const CostProfile& profile) {
    const auto fails = [](const char* what) {
        return inputError(fmt::format("the machine cannot be calibrated: {}", what),
                          "the reasons why operations were not measured are listed; try another runtime (--runtime)");
    };
    if (profile.times.empty()) return fails("no operation was measured");
    std::map<ir::Dtype, std::vector<TimedWork>> computing;
    std::vector<TimedWork> moving;
    double launch = LongestSeconds;
    for (const auto& [operation, time] : profile.times) {
        launch = std::min(launch, time.minimum);
        const std::optional<NodeWork> work = workOf(operation);
        if (!work) continue;
        const double bytes = work->work.readBytes + work->work.writtenBytes;
        const TimedWork timed{work->work.flops, bytes, time.minimum};
        computing[work->dtype].push_back(timed);
        if (bytes >= ManyBytes) moving.push_back(timed);
    }
    const auto isLongHere = [launch](const TimedWork& work) { return isLong(work, launch); };
    if (std::ranges::none_of(moving, isLongHere)) return fails("no operation that moves much was measured");
    const auto rateOf = [&](ir::Dtype dtype, double otherwise) {
        const std::vector<TimedWork>& works = computing[dtype];
        return std::ranges::any_of(works, isLongHere) ? fittedRates(works, launch, 1.0).flopsPerSecond : otherwise;
    };
    const double single = rateOf(ir::Dtype::F32, 0.0);
    if (single <= 0.0) return fails("no operation on f32 that computes much was measured");
    Device device{.name = {},
                  .title = titleOf(profile.setup),
                  .launchSeconds = rounded(launch),
                  .halfFlops = rounded(rateOf(ir::Dtype::F16, single)),
                  .singleFlops = rounded(single),
                  .doubleFlops = rounded(rateOf(ir::Dtype::F64, single / 2.0)),
                  .bytesPerSecond = rounded(fittedRates(moving, launch, 1.0).bytesPerSecond)};
    device.name = calibratedName(device);
    return device;
}

Result<std::string> writeCalibration(const Device& device) {
    const std::filesystem::path file = calibrationFile();
    if (file.empty()) {
        return inputError("there is no folder for the calibration, as HOME and XDG_CONFIG_HOME name none",
                          "-o FILE.json writes it to a file; --cost roofline:FILE.json uses that");
    }
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    if (failed) {
        return Error{ErrorCode::Io,
                     fmt::format("the folder {} cannot be made: {}", file.parent_path().string(), failed.message()),
                     std::nullopt, "-o FILE.json writes the calibration to another place"};
    }
    MITOS_REQUIRE(writeFile(file.string(), deviceText(device)));
    return file.string();
}

}  // namespace mitos::cost
