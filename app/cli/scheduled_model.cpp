// SPDX-License-Identifier: GPL-3.0-or-later
// See scheduled_model.h.
#include "app/cli/scheduled_model.h"

#include "core/base/child_process.h"
#include "core/base/readable_number.h"
#include "core/onnx/runtime.h"

#include <fmt/format.h>

#include <filesystem>

namespace mitos::cli {

namespace {

namespace fs = std::filesystem;

Status writeIn(const ScheduledProgram& scheduled, bool isOrdered, const fs::path& path) {
    tensor::Model model = scheduled.open.read.model ? *scheduled.open.read.model
                                                    : tensor::modelOf(*scheduled.open.bank, scheduled.open.program);
    onnx::ExportOptions options;
    if (isOrdered) options.order = scheduled.order;
    const auto written = onnx::exportFile(*scheduled.open.bank, model, path, options);
    return written ? Status(mitos::Success{}) : Status(written.error());
}

}  // namespace

Status writeScheduled(const ScheduledProgram& scheduled, const std::string& path) {
    onnx::ExportOptions options;
    options.order = scheduled.order;
    options.metadata["mitos_schedule"] = scheduled.summary;
    const auto written = writeModel({scheduled.open, *scheduled.open.bank, scheduled.open.program, {}}, path, options);
    return written ? Status(mitos::Success{}) : Status(written.error());
}

Result<MeasuredOrders> measureOrders(const ScheduledProgram& scheduled, const std::string& python,
                                     const std::stop_token& stop) {
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    const fs::path before = fs::path(folder.path()) / "before.onnx";
    const fs::path after = fs::path(folder.path()) / "after.onnx";
    MITOS_REQUIRE(writeIn(scheduled, false, before));
    MITOS_REQUIRE(writeIn(scheduled, true, after));
    MeasuredOrders measured;
    for (const auto level : {onnx::OptimizationLevel::Disabled, onnx::OptimizationLevel::All}) {
        for (const bool keepsOrder : {true, false}) {
            MITOS_TRY(const onnx::RuntimeMemory memory,
                      onnx::measureMemory({before, after}, {.python = python, .level = level, .stop = stop},
                                          {.keepsOrder = keepsOrder}));
            measured.by = memory.by.text();
            const bool isChanged = level == onnx::OptimizationLevel::All;
            measured.rows.push_back({fmt::format("{}, {}", isChanged ? "all its optimizations" : "the graph as it is",
                                                 keepsOrder ? "order of the file" : "its own order"),
                                     keepsOrder, memory.peaks[0], memory.peaks[1]});
        }
    }
    return measured;
}

void print(const MeasuredOrders& measured) {
    fmt::print("{}: memory of a run beside weights and inputs, in the program's order and in that of the schedule\n",
               measured.by);
    constexpr double Noise = 0.01;
    bool isUndone = false;
    for (const MeasuredOrders::Row& row : measured.rows) {
        const auto before = static_cast<double>(row.before);
        const auto after = static_cast<double>(row.after);
        fmt::print("  {:<40} {} -> {} ({})\n", row.how, amountText(before, "bytes"), amountText(after, "bytes"),
                   changeText(before, after));
        isUndone = isUndone || (row.keepsOrder && after > before * (1.0 - Noise));
    }
    if (isUndone) {
        fmt::print(
            "  Where the order of the file makes no difference, the runtime's own changes of the graph undo it: fused "
            "nodes get a new place.\n");
    }
}

Json toJson(const MeasuredOrders& measured) {
    Json rows = Json::array();
    for (const MeasuredOrders::Row& row : measured.rows) {
        rows.push_back({{"how", row.how},
                        {"keeps_order", row.keepsOrder},
                        {"before_bytes", row.before},
                        {"after_bytes", row.after}});
    }
    return {{"by", measured.by}, {"runs", std::move(rows)}};
}

}  // namespace mitos::cli
