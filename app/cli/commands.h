// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of mitos-cli. Each adds its subcommand to the parser and registers the work to run when it is chosen.
#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace mitos::cli {

/// Receives the work of the chosen command; the work returns the exit status, or the error that ends the program with BadInput.
using Choose = std::function<void(std::function<Result<int>()>)>;

void addInfoCommand(CLI::App& app, const Choose& choose);
void addShowCommand(CLI::App& app, const Choose& choose);
void addEvalCommand(CLI::App& app, const Choose& choose);
void addRewritesCommand(CLI::App& app, const Choose& choose);
void addApplyCommand(CLI::App& app, const Choose& choose);
void addOptimizeCommand(CLI::App& app, const Choose& choose);
void addCompareCommand(CLI::App& app, const Choose& choose);
void addExperimentCommand(CLI::App& app, const Choose& choose);
void addExportCommand(CLI::App& app, const Choose& choose);
void addGenerateCommand(CLI::App& app, const Choose& choose);
void addGradCommand(CLI::App& app, const Choose& choose);
void addExtractCommand(CLI::App& app, const Choose& choose);
void addRulesCommand(CLI::App& app, const Choose& choose);
void addMatchCommand(CLI::App& app, const Choose& choose);
void addMeasureCommand(CLI::App& app, const Choose& choose);
void addModelCommand(CLI::App& app, const Choose& choose);
void addPartitionCommand(CLI::App& app, const Choose& choose);
void addSaturateCommand(CLI::App& app, const Choose& choose);
void addScheduleCommand(CLI::App& app, const Choose& choose);
void addTimeCommand(CLI::App& app, const Choose& choose);
void addTrainCommand(CLI::App& app, const Choose& choose);
void addTrainRulesCommand(CLI::App& train, const Choose& choose);  ///< added by addTrainCommand()
void addTrainValueCommand(CLI::App& train, const Choose& choose);  ///< the same
void addListCommands(CLI::App& app, const Choose& choose);         ///< strategies, costs, rulesets

}  // namespace mitos::cli
