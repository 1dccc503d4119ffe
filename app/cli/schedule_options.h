// SPDX-License-Identifier: GPL-3.0-or-later
// The flags of `schedule`.
#pragma once

#include "app/cli/context.h"
#include "core/schedule/machine.h"
#include "search/placement/strategies.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::cli {

struct ScheduleOptions : CommonOptions {
    std::vector<std::string> moreFiles = {};  ///< of a sweep, beside `file`
    std::uint32_t devices = 2;
    std::uint64_t deviceMemory = schedule::UnlimitedMemory;
    std::vector<double> speeds;
    std::string transfers = "instant";
    double latency = 0.0;
    std::optional<double> bandwidth;
    std::string objective = "time";
    std::string strategy{search::placement::UsualStrategy};
    std::vector<std::string> set;
    std::optional<double> seconds;
    std::optional<std::uint64_t> evaluations;
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1;
    unsigned jobs = 0;
    bool releasesOutputs = false;
    bool rematerializes = false;
    std::optional<double> extraTime;
    bool quiet = false;
    std::string session;
    bool isOfSweep = false;     ///< asks for one search of all combinations of files, strategies and seeds
    std::string task;           ///< its number; empty: the environment says it
    std::string nameInRow;      ///< of the program, in the row of that search
    bool asksForCount = false;  ///< of these searches
    std::string output;
    bool writesModel = false;  ///< as isModelOutput() has it
    std::string python;        ///< with ONNX Runtime, which measures; empty: nothing is measured

    [[nodiscard]] search::placement::Objective goal() const {
        using search::placement::Objective;
        return objective == "memory" ? Objective::Memory : Objective::Runtime;
    }
    /// How many searches a strategy is asked for: one that does not depend on the seed needs one.
    [[nodiscard]] std::uint64_t searchesOf(const search::placement::Strategy& asked) const {
        return asked.isRandomized ? seeds : 1;
    }
};

}  // namespace mitos::cli
