// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the experiment of the e-graph MCTS paper in a folder, which keeps every run, so that an experiment that was stopped goes on.
#pragma once

#include "search/experiments/initial_costs.h"
#include "search/experiments/plan.h"
#include "search/experiments/record.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

struct ExperimentResults {
    std::vector<InitialCosts> initial;  ///< of the programs, in their order, if Table 1 is wanted
    std::vector<RunRecord> runs;        ///< those that have ended, in the order of runsOf()
    std::size_t wanted = 0;             ///< runs that the plan needs
    std::size_t found = 0;              ///< runs that the folder held before
    std::vector<std::pair<std::string, std::string>> failures;  ///< name of a run or program, reason
    bool isStopped = false;
};

/// Called when a run begins and when it has ended, one call at a time, on the threads that search.
struct ExperimentProgress {
    std::size_t done = 0;  ///< runs that have ended, those found in the folder included
    std::size_t wanted = 0;
    std::string run;                   ///< its name
    const RunRecord* ended = nullptr;  ///< null if the run begins
};
using OnProgress = std::function<void(const ExperimentProgress&)>;

/// Carries out the plan in the folder, which is created if there is none:
///
///     experiment.json                       the settings that all runs share
///     runs/NAME.json                        a run: costs, time, the rules of each iteration with the cost of each e-graph
///     programs/PROGRAM.txt, NAME.txt        the program that it starts from, and its result
///     graphs/PROGRAM.first.json, NAME.last.json    e-graphs in the format egraph-serialize
///
/// Runs that the folder holds are read; a run counts as held once it has been written completely. More programs, seeds, parts and budgets may
/// be added later. Fails if the folder belongs to an experiment of other settings or holds other files, and if it cannot be written. A stop
/// leaves the runs that have ended.
[[nodiscard]] Result<ExperimentResults> runExperiment(const ExperimentPlan& plan, const std::string& folder,
                                                      const std::stop_token& stop, const OnProgress& progress = {});

}  // namespace mitos::search::experiments
