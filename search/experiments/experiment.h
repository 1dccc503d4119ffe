// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment: the evaluation of a paper, repeated. It runs in a folder, which keeps every run, so that an experiment that was stopped
// goes on; its report has tables, claims with their verdicts, and the paper's numbers beside ours.
#pragma once

#include "core/base/result.h"
#include "search/experiments/claim.h"
#include "search/experiments/report_page.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// A file below the folder of an experiment.
struct ExperimentFile {
    std::string path;
    std::string text;
};

/// A run that has ended.
struct EndedRun {
    std::string record;  ///< a JSON object
    std::vector<ExperimentFile> files = {};
};

/// The runs of an experiment, some of which have ended.
struct ExperimentRuns {
    std::vector<std::optional<std::string>> records;            ///< by number; nothing for a run that has not ended
    std::size_t found = 0;                                      ///< runs that the folder held before
    std::vector<std::pair<std::string, std::string>> failures;  ///< name of a run, reason
    bool isStopped = false;

    [[nodiscard]] std::size_t ended() const;
};

/// The report on the runs of an experiment.
struct ExperimentReport {
    ReportPage page;
    std::vector<Claim> claims;
    std::vector<ExperimentFile> files;                               ///< tables and runs as CSV
    std::string text;                                                ///< tables for the terminal
    std::string json = "{}";                                         ///< an object with the same numbers
    std::vector<std::pair<std::string, std::string>> failures = {};  ///< beside those of runs: name, reason
    bool isRight = true;  ///< whether all results agree with what they must agree with
};

/// Receives a line on what a run does.
using OnStep = std::function<void(const std::string& step)>;

/// The description of an experiment. Its functions may be called by several threads at once.
class Experiment {
public:
    Experiment() = default;
    Experiment(const Experiment&) = delete;
    Experiment& operator=(const Experiment&) = delete;
    virtual ~Experiment() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    /// The settings that all runs of a folder share, a JSON object. More runs may be added to a folder, but none of other settings.
    [[nodiscard]] virtual std::string settings() const = 0;
    /// Names and values of the settings for the reader of the report.
    [[nodiscard]] virtual Environment facts() const = 0;
    /// The names of the runs, in the order in which they are made; a run is known by its number among them.
    [[nodiscard]] virtual std::vector<std::string> runs() const = 0;
    /// How many runs may be made at the same time.
    [[nodiscard]] virtual unsigned jobs() const { return 1; }
    /// Makes a run. Fails with Cancelled after a stop.
    [[nodiscard]] virtual Result<EndedRun> make(std::size_t run, const std::stop_token& stop,
                                                const OnStep& onStep) const = 0;
    /// Whether the record can be read, and is that of the run.
    [[nodiscard]] virtual bool isOf(std::size_t run, const std::string& record) const = 0;
    /// A line on a run that has ended.
    [[nodiscard]] virtual std::string summary(const std::string& record) const = 0;
    /// A stop ends long work; the report is then incomplete.
    [[nodiscard]] virtual ExperimentReport report(const ExperimentRuns& runs, const std::stop_token& stop) const = 0;
};

/// Reported when a run begins, at its steps, and when it has ended: one call at a time, on the threads that run.
struct ExperimentProgress {
    std::size_t done = 0;  ///< runs that have ended, those found in the folder included
    std::size_t wanted = 0;
    std::string run;                     ///< its name
    std::string step = {};               ///< empty when it begins, and when it has ended
    const std::string* ended = nullptr;  ///< the summary of a run that has ended
};
using OnProgress = std::function<void(const ExperimentProgress&)>;

/// Makes the runs that the folder does not hold. The folder is created if there is none:
///
///     experiment.json         the settings that all runs share
///     runs/NAME.json          the record of a run, with a digest
///
/// and what an experiment keeps beside its records. A run counts as held once it has been written completely. Fails if the folder belongs
/// to another experiment, or to one of other settings, if it holds other files, and if it cannot be written. A stop leaves the runs that
/// have ended.
[[nodiscard]] Result<ExperimentRuns> carryOut(const Experiment& experiment, const std::string& folder,
                                              const std::stop_token& stop, const OnProgress& progress = {});

/// Writes report.html, claims.csv and the files of the report. Fails if a file cannot be written.
[[nodiscard]] Status writeReport(const ExperimentReport& report, const Environment& environment,
                                 const std::string& folder);
/// Tables and claims as text of several lines.
[[nodiscard]] std::string reportText(const ExperimentReport& report, const ExperimentRuns& runs);
/// The same numbers as one JSON object.
[[nodiscard]] std::string reportJson(const Experiment& experiment, const ExperimentReport& report,
                                     const ExperimentRuns& runs);

}  // namespace mitos::search::experiments
