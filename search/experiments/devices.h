// SPDX-License-Identifier: GPL-3.0-or-later
// Gains under the costs of two devices: an experiment beside another one that was run before, as the paper's Figure 14 beside Figure 6.
#pragma once

#include "search/experiments/measure.h"
#include "search/experiments/record.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mitos::search::experiments {

/// An experiment that was run before, under other costs.
struct OtherExperiment {
    std::string cost;             ///< name of its cost model
    std::vector<RunRecord> runs;  ///< those that have ended, by the names of their files
};
/// Reads the folder of an experiment (experiment.h). Fails if it is none, if a run cannot be read, or if one is not the run that its
/// file is named after or not of this experiment.
[[nodiscard]] Result<OtherExperiment> readExperiment(const std::string& folder);

/// A network under TENSAT, MCTS OCF/ILP or ILP/ILP, in both experiments.
struct DeviceRow {
    std::string program;
    std::size_t approach = 0;  ///< index into approaches()
    Measure here;              ///< gain of the extracted programs, in per cent
    Measure there;
    std::size_t outOfTime = 0;             ///< runs of both that the time limit ended
    std::optional<double> paperA100 = {};  ///< the paper's gains
    std::optional<double> paperP100 = {};
};

}  // namespace mitos::search::experiments
