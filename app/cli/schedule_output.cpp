// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule_output.h.
#include "app/cli/schedule_output.h"

#include "core/base/readable_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::cli {

namespace {

using search::placement::highestPeakOf;
using search::placement::ScheduleValue;

std::string timeText(double time, const std::string& unit) {
    return amountText(time, unit.empty() ? "units of time" : unit);
}

std::string bytesText(std::uint64_t bytes) { return amountText(static_cast<double>(bytes), "bytes"); }

double percentLess(double before, double after) { return before > 0.0 ? 100.0 * (1.0 - after / before) : 0.0; }

void printGap(const ScheduleValue& value, const char* what, double found, const std::string& bound) {
    if (!value.timeline().isFeasible()) return;
    if (value.scheduled().isProven) {
        fmt::print("{:<10}none is less: this is the least {} there is\n", "bound", what);
    } else if (value.scheduled().bound) {
        fmt::print("{:<10}none is less than {} ({:.2f} % less)\n", "bound", bound,
                   percentLess(found, *value.scheduled().bound));
    }
}

void printRepeated(const FoundSchedule& found) {
    const schedule::ScheduledGraph& scheduled = found.value.scheduled();
    const schedule::Timeline& timeline = found.value.timeline();
    const std::uint64_t after = highestPeakOf(scheduled, timeline);
    const std::uint64_t before = scheduled.repeated ? scheduled.repeated->peakBefore : after;
    const std::size_t count = scheduled.repeated ? scheduled.graph.operations.size() - scheduled.repeated->first : 0;
    const double added = found.addedDuration();
    fmt::print("{:<10}{} operation{} run again: peak {} before, {} after ({:.1f} % less)\n", "repeated", count,
               count == 1 ? "" : "s", bytesText(before), bytesText(after),
               percentLess(static_cast<double>(before), static_cast<double>(after)));
    fmt::print("{:<10}they take {} ({:.1f} % more run time)\n", "", timeText(added, scheduled.unit),
               timeline.runtime > added ? 100.0 * added / (timeline.runtime - added) : 0.0);
}

}  // namespace

void print(const ScheduleOptions& options, const FoundSchedule& found) {
    const schedule::ScheduledGraph& scheduled = found.value.scheduled();
    const schedule::Timeline& timeline = found.value.timeline();
    fmt::print("{:<10}{} operations, {} tensors, {} control edges\n", "graph",
               countText(static_cast<double>(scheduled.graph.operations.size())),
               countText(static_cast<double>(scheduled.graph.tensors.size())),
               countText(static_cast<double>(scheduled.graph.controlEdges.size())));
    fmt::print("{:<10}{}\n", "runtime", timeText(timeline.runtime, scheduled.unit));
    if (!scheduled.isForMemory) {
        printGap(found.value, "run time", timeline.runtime, timeText(scheduled.bound.value_or(0.0), scheduled.unit));
    }
    for (std::uint32_t device = 0; device < scheduled.machine.devices.size(); ++device) {
        const auto count = std::ranges::count(timeline.operations, device, &schedule::OperationRun::device);
        const double busy = [&] {
            double sum = 0.0;
            for (const schedule::OperationRun& run : timeline.operations)
                sum += run.device == device ? run.end - run.start : 0.0;
            return sum;
        }();
        fmt::print("device {}  {} operations, busy {:.1f} %, peak {}\n", device, count,
                   timeline.runtime > 0.0 ? 100.0 * busy / timeline.runtime : 0.0,
                   bytesText(timeline.peak[device] + scheduled.residentBytes));
    }
    if (scheduled.residentBytes > 0)
        fmt::print("{:<10}of the peak {} are weights, in every order\n", "", bytesText(scheduled.residentBytes));
    if (scheduled.isForMemory) {
        printGap(found.value, "peak", static_cast<double>(highestPeakOf(scheduled, timeline)),
                 amountText(scheduled.bound.value_or(0.0), "bytes"));
    }
    if (options.rematerializes) printRepeated(found);
    fmt::print("{:<10}{} transfers\n", "", timeline.transfers.size());
    if (found.run.result) {
        for (const std::string& note : found.run.result->notes) fmt::print("{:<10}{}\n", "", note);
    }
    const search::Run& run = found.run.run;
    const std::uint64_t evaluations = run.statistics.evaluations;
    fmt::print("{}: {} evaluation{}, {:.2f} s, seed {}\n", options.strategy,
               countText(static_cast<double>(evaluations)), evaluations == 1 ? "" : "s", found.seconds, run.seed);
}

Json toJson(const ScheduleOptions& options, const FoundSchedule& found) {
    const schedule::ScheduledGraph& scheduled = found.value.scheduled();
    const schedule::Timeline& timeline = found.value.timeline();
    Json peaks = Json::array();
    for (const std::uint64_t peak : timeline.peak) peaks.push_back(peak + scheduled.residentBytes);
    Json json{{"operations", scheduled.graph.operations.size()},
              {"tensors", scheduled.graph.tensors.size()},
              {"unit", scheduled.unit},
              {"strategy", options.strategy},
              {"objective", options.objective},
              {"runtime", timeline.runtime},
              {"peak_bytes", std::move(peaks)},
              {"resident_bytes", scheduled.residentBytes},
              {"feasible", timeline.isFeasible()},
              {"overflow_bytes", timeline.overflow},
              {"bound", scheduled.bound.value_or(0.0)},
              {"proven", scheduled.isProven},
              {"evaluations", found.run.run.statistics.evaluations},
              {"seconds", found.seconds},
              {"valid", true},
              {"seed", found.run.run.seed},
              {"seeds", found.seeds}};
    if (options.rematerializes) {
        const std::uint64_t peak = highestPeakOf(scheduled, timeline);
        json["rematerialization"] = {
            {"repeated_operations",
             scheduled.repeated ? scheduled.graph.operations.size() - scheduled.repeated->first : 0},
            {"peak_bytes_before", scheduled.repeated ? scheduled.repeated->peakBefore : peak},
            {"peak_bytes", peak},
            {"added_runtime", found.addedDuration()}};
    }
    return json;
}

}  // namespace mitos::cli
