// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of an experiment.
#pragma once

#include "search/experiments/plan.h"
#include "search/experiments/record.h"
#include "search/experiments/single_run.h"

#include <filesystem>
#include <optional>
#include <string>

namespace mitos::search::experiments {

class ExperimentFolder {
public:
    /// Opens the folder, or creates it. Fails if it holds an experiment of other settings, or other files.
    [[nodiscard]] static Result<ExperimentFolder> open(const ExperimentPlan& plan, const std::string& path);

    /// The run's record; nothing if the folder does not hold it, or holds one that cannot be read, whose digest does not fit, or that is
    /// of another program, approach, budget or seed.
    [[nodiscard]] std::optional<RunRecord> held(const ExperimentPlan& plan, const RunKey& key) const;
    /// Writes all files of a run, its record last.
    [[nodiscard]] Status keep(const ExperimentPlan& plan, const RunKey& key, const FinishedRun& run) const;

private:
    ExperimentFolder(std::filesystem::path path, std::string settings)
        : m_path(std::move(path)),
          m_settings(std::move(settings)) {}
    std::filesystem::path m_path;
    std::string m_settings;  ///< of all runs, as text
};

/// The settings that all runs of an experiment share.
struct ExperimentSettings {
    std::string cost;  ///< name of the cost model
    std::string text;  ///< all of them, to which the digests of the records belong
};
/// Reads those of the experiment in a folder. Fails if there is no experiment.
[[nodiscard]] Result<ExperimentSettings> readSettings(const std::string& path);

}  // namespace mitos::search::experiments
