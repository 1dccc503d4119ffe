// SPDX-License-Identifier: GPL-3.0-or-later
// See devices.h.
#include "search/experiments/devices.h"

#include "core/base/source_text.h"
#include "search/experiments/egraph_mcts.h"
#include "search/experiments/experiment_folder.h"
#include "search/experiments/record_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mitos::search::experiments {

Result<OtherExperiment> readExperiment(const std::string& folder) {
    MITOS_TRY(const std::string settings, readSettings(std::string(EGraphMcts::Name), folder));
    const auto json = nlohmann::json::parse(settings);
    if (!json.contains("cost") || !json.at("cost").is_string()) {
        return inputError(fmt::format("the settings of {} name no cost model", folder),
                          "name the folder of another experiment");
    }
    OtherExperiment other{.cost = json.at("cost").get<std::string>(), .runs = {}};
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(std::filesystem::path(folder) / "runs", error), end;
         !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() == ".json") files.push_back(entry->path());
    }
    if (error) {
        return Error{ErrorCode::Io, fmt::format("the runs in {} cannot be listed: {}", folder, error.message()),
                     std::nullopt, "name the folder of an experiment"};
    }
    std::ranges::sort(files);
    for (const std::filesystem::path& file : files) {
        MITOS_TRY(const SourceText text, readSourceFile(file.string()));
        const Result<std::string> opened = openRecord(std::string(text.text()), settings);
        Result<RunRecord> record = opened ? readRecord(*opened) : Result<RunRecord>(opened.error());
        if (record && nameOf(*record) != file.stem().string()) {
            record = inputError(fmt::format("this is the record of {}", nameOf(*record)), "");
        }
        if (!record) {
            return inputError(fmt::format("{}: {}", file.string(), record.error().message),
                              "delete the file; the command that made the folder repeats the run");
        }
        other.runs.push_back(*std::move(record));
    }
    return other;
}

}  // namespace mitos::search::experiments
