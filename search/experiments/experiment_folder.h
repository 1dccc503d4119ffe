// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of an experiment.
#pragma once

#include "core/base/result.h"
#include "search/experiments/experiment.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace mitos::search::experiments {

class ExperimentFolder {
public:
    /// Opens the folder, or creates it. Fails if it holds another experiment, one of other settings, or other files. Settings are a JSON
    /// object.
    [[nodiscard]] static Result<ExperimentFolder> open(const std::string& experiment, const std::string& settings,
                                                       const std::string& path);

    /// The record of a run; nothing if the folder does not hold it, or if its digest does not fit.
    [[nodiscard]] std::optional<std::string> held(const std::string& run) const;
    /// Writes all files of a run, its record last.
    [[nodiscard]] Status keep(const std::string& name, const EndedRun& run) const;

private:
    ExperimentFolder(std::filesystem::path path, std::string settings)
        : m_path(std::move(path)),
          m_settings(std::move(settings)) {}
    std::filesystem::path m_path;
    std::string m_settings;  ///< of all runs, as text
};

/// Reads the settings of the experiment in a folder as text, to which the digests of its records belong: a JSON object. Fails if there is no
/// experiment of that name.
[[nodiscard]] Result<std::string> readSettings(const std::string& experiment, const std::string& path);

}  // namespace mitos::search::experiments
