// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule as an ONNX file, and the memory that ONNX Runtime takes for it.
#pragma once

#include "app/cli/context.h"

#include <stop_token>
#include <string>
#include <vector>

namespace mitos::cli {

/// A program with the order in which its nodes start, and what the file says of the schedule.
struct ScheduledProgram {
    const OpenProgram& open;
    std::vector<ir::TermId> order;
    std::string summary;  ///< a JSON object, for the metadata
};

/// Writes the model with its nodes in that order, and the summary as the entry `mitos_schedule` of its metadata. Notes go to stderr. Fails
/// as writeModel() does.
[[nodiscard]] Status writeScheduled(const ScheduledProgram& scheduled, const std::string& path);

/// The memory of a run in bytes, beside weights and inputs: in the program's own order, and in that of the schedule.
struct MeasuredOrders {
    struct Row {
        std::string how;  ///< "the graph as it is, order of the file"
        bool keepsOrder = false;
        std::uint64_t before = 0;
        std::uint64_t after = 0;
    };
    std::string by;  ///< "ONNX Runtime 1.32.0, Python 3.11.2"
    std::vector<Row> rows;
};
/// Measures both orders with the runtime of that Python: the graph as it is and with all of the runtime's optimizations, in the order of the
/// file and in the order that the runtime chooses. Fails as onnx::measureMemory does.
[[nodiscard]] Result<MeasuredOrders> measureOrders(const ScheduledProgram& scheduled, const std::string& python,
                                                   const std::stop_token& stop);
void print(const MeasuredOrders& measured);
[[nodiscard]] Json toJson(const MeasuredOrders& measured);

}  // namespace mitos::cli
