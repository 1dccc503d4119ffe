// SPDX-License-Identifier: GPL-3.0-or-later
// Options that the experiments share, and how one is carried out and reported.
#pragma once

#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/search_options.h"
#include "core/networks/networks.h"
#include "search/experiments/experiment.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::cli {

/// The options of every experiment.
struct ExperimentOptions : CommonOptions {
    std::string programs;
    std::string only;
    std::string output;
    bool quiet = false;

    /// Adds --only, --output, --quiet and --json.
    void addOutput(CLI::App& command, const std::vector<std::string_view>& parts);
    /// The same, and the programs.
    void addShared(CLI::App& command, const std::string& programsHelp, const std::vector<std::string_view>& parts,
                   const char* programsOption = "--programs,--models");
    [[nodiscard]] ProgressLine progressLine() const { return ProgressLine(!quiet && !json); }
};

/// The networks that --programs names, or all; each once.
[[nodiscard]] Result<std::vector<const networks::Network*>> networksOf(const ExperimentOptions& options);

/// Makes the runs that the folder does not hold, and the report.
[[nodiscard]] Result<int> runExperiment(const search::experiments::Experiment& experiment,
                                        const ExperimentOptions& options, const std::stop_token& stop);

/// Adds `experiment pypm`, which compiles models.
void addPypmExperiment(CLI::App& experiments, const Choose& choose);

}  // namespace mitos::cli
