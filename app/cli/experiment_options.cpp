// SPDX-License-Identifier: GPL-3.0-or-later
// See experiment_options.h.
#include "app/cli/experiment_options.h"

#include "app/cli/commit.h"
#include "app/cli/compare_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mitos::cli {

namespace {

std::string progressText(const search::experiments::ExperimentProgress& progress) {
    const std::string count = fmt::format("{:>4} of {} runs  {}", progress.done, progress.wanted, progress.run);
    if (progress.ended != nullptr) return count + ": " + *progress.ended;
    return progress.step.empty() ? count + " …" : count + ": " + progress.step;
}

/// Every run is a line of its own where standard error is a file.
search::experiments::OnProgress progressOf(const ExperimentOptions& options, const ProgressLine& line) {
    if (options.quiet) return {};
    return [&line](const search::experiments::ExperimentProgress& progress) {
        if (progress.ended != nullptr) {
            line.clear();
            fmt::print(stderr, "{}\n", progressText(progress));
        } else {
            line.show(progressText(progress));
        }
    };
}

}  // namespace

void ExperimentOptions::addOutput(CLI::App& command, const std::vector<std::string_view>& parts) {
    addJson(command);
    command.add_option(
        "--only", only,
        fmt::format("parts of the report, separated by commas (default: all): {}", fmt::join(parts, ", ")));
    command
        .add_option("-o,--output", output,
                    "the folder of the experiment; one that holds runs with these settings is continued")
        ->required();
    command.add_flag("--quiet", quiet, "no progress");
}

void ExperimentOptions::addShared(CLI::App& command, const std::string& programsHelp,
                                  const std::vector<std::string_view>& parts, const char* programsOption) {
    addOutput(command, parts);
    command.add_option(programsOption, programs, programsHelp);
}

Result<std::vector<const networks::Network*>> networksOf(const ExperimentOptions& options) {
    std::vector<const networks::Network*> found;
    if (options.programs.empty()) {
        for (const networks::Network& network : networks::allNetworks()) found.push_back(&network);
        return found;
    }
    for (const std::string& name : splitList(options.programs)) {
        MITOS_TRY(const networks::Network* network, networks::findNetwork(name));
        if (std::ranges::find(found, network) == found.end()) found.push_back(network);
    }
    if (found.empty())
        return inputError("--programs names none", "separate their names by commas; see `mitos-cli model`");
    return found;
}

Result<int> runExperiment(const search::experiments::Experiment& experiment, const ExperimentOptions& options,
                          const std::stop_token& stop) {
    const ProgressLine line = options.progressLine();
    MITOS_TRY(const search::experiments::ExperimentRuns runs,
              search::experiments::carryOut(experiment, options.output, stop, progressOf(options, line)));
    line.clear();
    const search::experiments::ExperimentReport report = experiment.report(runs, stop);
    search::experiments::Environment environment{
        {"Mitos", MITOS_VERSION}, {"Commit", commitText()}, {"Machine", machineText()}};
    for (auto& fact : experiment.facts()) environment.push_back(std::move(fact));
    environment.emplace_back("Made", utcNow());
    MITOS_REQUIRE(search::experiments::writeReport(report, environment, options.output));
    if (options.json) {
        print(Json::parse(search::experiments::reportJson(experiment, report, runs)));
    } else {
        fmt::print("{}report: {}/report.html\n", search::experiments::reportText(report, runs), options.output);
    }
    const bool isDone = runs.failures.empty() && report.failures.empty() && report.isRight;
    return isDone ? ExitStatus::Success : ExitStatus::CheckFailed;
}

}  // namespace mitos::cli
