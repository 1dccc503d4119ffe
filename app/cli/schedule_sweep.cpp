// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule_sweep.h.
#include "app/cli/schedule_sweep.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

struct AskedStrategy {
    std::string name;
    std::uint64_t searches = 1;  ///< of each file
};

Result<std::vector<AskedStrategy>> strategiesOf(const ScheduleOptions& options) {
    std::vector<AskedStrategy> asked;
    for (std::string& name : splitList(options.strategy)) {
        MITOS_TRY(const search::placement::Strategy strategy, search::placement::findStrategy(name));
        asked.push_back({std::move(name), options.searchesOf(strategy)});
    }
    if (asked.empty()) return inputError("--strategy names none", "see `mitos-cli schedule --help`");
    return asked;
}

std::uint64_t searchesOfFile(const std::vector<AskedStrategy>& strategies) {
    std::uint64_t sum = 0;
    for (const AskedStrategy& strategy : strategies) sum += strategy.searches;
    return sum;
}

Result<std::uint64_t> numberOf(const ScheduleOptions& options) {
    constexpr const char* Variable = "SLURM_ARRAY_TASK_ID";
    if (!options.task.empty()) {
        if (const auto number = numberFrom<std::uint64_t>(options.task)) return *number;
        return inputError(fmt::format("--array: \"{}\" is no number of a task", options.task), "count from 0");
    }
    const char* const told = std::getenv(Variable);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    const auto number = told != nullptr ? numberFrom<std::uint64_t>(told) : std::nullopt;
    if (number) return *number;
    return inputError(fmt::format("--array: {} is not set to a number", Variable),
                      "start the command by sbatch --array=0-N, or name the task: --array 0");
}

std::string stemOfFile(const std::string& file) { return std::filesystem::path(file).stem().string(); }

}  // namespace

Status checkSweep(const ScheduleOptions& options) {
    if (options.isOfSweep || options.asksForCount) return mitos::Success{};
    if (options.moreFiles.empty() && options.strategy.find(',') == std::string::npos) return mitos::Success{};
    return inputError(
        "several files or strategies are a sweep",
        "add --array, or compare them: mitos-cli compare FILES --strategies schedule-list,schedule-brkga");
}

Result<std::uint64_t> sweepSize(const ScheduleOptions& options) {
    MITOS_TRY(const std::vector<AskedStrategy> strategies, strategiesOf(options));
    return (1 + options.moreFiles.size()) * searchesOfFile(strategies);
}

Result<ScheduleOptions> sweepTask(const ScheduleOptions& options) {
    MITOS_TRY(const std::vector<AskedStrategy> strategies, strategiesOf(options));
    MITOS_TRY(const std::uint64_t number, numberOf(options));
    const std::uint64_t perFile = searchesOfFile(strategies);
    const std::uint64_t size = (1 + options.moreFiles.size()) * perFile;
    if (number >= size) {
        return inputError(fmt::format("--array: there is no task {}; this sweep has {}", number, size),
                          fmt::format("its tasks are 0 to {}", size - 1));
    }
    ScheduleOptions task = options;
    const std::uint64_t file = number / perFile;
    if (file > 0) task.file = options.moreFiles[file - 1];
    std::uint64_t rest = number % perFile;
    std::size_t strategy = 0;
    while (rest >= strategies[strategy].searches) rest -= strategies[strategy++].searches;
    task.strategy = strategies[strategy].name;
    task.seed = options.seed + rest;
    task.seeds = 1;
    const std::string stem = stemOfFile(task.file);
    std::vector<std::string> files = options.moreFiles;
    files.push_back(options.file);
    const auto same = std::ranges::count_if(files, [&](const std::string& one) { return stemOfFile(one) == stem; });
    task.nameInRow = same > 1 ? task.file : stem;
    return task;
}

}  // namespace mitos::cli
