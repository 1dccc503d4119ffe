// SPDX-License-Identifier: GPL-3.0-or-later
// See experiment.h.
#include "search/experiments/experiment.h"

#include "core/base/source_text.h"
#include "search/experiments/csv_table.h"
#include "search/experiments/experiment_folder.h"
#include "search/parallel.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <mutex>

namespace mitos::search::experiments {

namespace {

using Json = nlohmann::ordered_json;

/// The runs of an experiment, some of which have ended.
class RunsInProgress {
public:
    RunsInProgress(const Experiment& experiment, const ExperimentFolder& folder, const OnProgress& progress)
        : m_experiment(experiment),
          m_folder(folder),
          m_progress(progress),
          m_names(experiment.runs()) {
        m_runs.records.resize(m_names.size());
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            std::optional<std::string> record = folder.held(m_names[i]);
            if (!record || !experiment.isOf(i, *record)) continue;
            m_runs.records[i] = *std::move(record);
            ++m_runs.found;
        }
        m_done = m_runs.found;
    }

    /// Makes those that the folder does not hold.
    [[nodiscard]] Result<ExperimentRuns> make(const std::stop_token& stop) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            if (!m_runs.records[i]) open.push_back(i);
        }
        std::stop_source stopAll;
        const std::stop_callback relay(stop, [&stopAll] { stopAll.request_stop(); });
        runEach(open.size(), m_experiment.jobs(), stopAll.get_token(),
                [&](std::size_t number, const std::stop_token& ended) { makeOne(open[number], ended, stopAll); });
        if (m_unwritten) return *std::move(m_unwritten);
        m_runs.isStopped = stop.stop_requested();
        return std::move(m_runs);
    }

private:
    void makeOne(std::size_t number, const std::stop_token& stop, std::stop_source& stopAll) {
        const std::string& name = m_names[number];
        const auto report = [this, &name](const std::string& step) {
            const std::scoped_lock lock(m_mutex);
            if (m_progress) m_progress({.done = m_done, .wanted = m_names.size(), .run = name, .step = step});
        };
        report({});
        Result<EndedRun> run = m_experiment.make(number, stop, report);
        const Status kept = run ? m_folder.keep(name, *run) : Status(Success{});
        const std::scoped_lock lock(m_mutex);
        if (!run) {
            if (run.error().code != ErrorCode::Cancelled) m_runs.failures.emplace_back(name, run.error().message);
            return;
        }
        if (!kept) {  // the disk is full, say: further runs would be lost, too
            if (!m_unwritten) m_unwritten = kept.error();
            stopAll.request_stop();
            return;
        }
        ++m_done;
        m_runs.records[number] = std::move(run->record);
        const std::string summary = m_experiment.summary(*m_runs.records[number]);
        if (m_progress) {
            m_progress({.done = m_done, .wanted = m_names.size(), .run = name, .step = {}, .ended = &summary});
        }
    }

    const Experiment& m_experiment;
    const ExperimentFolder& m_folder;
    const OnProgress& m_progress;
    std::vector<std::string> m_names;
    ExperimentRuns m_runs;
    std::size_t m_done = 0;
    std::optional<Error> m_unwritten;
    std::mutex m_mutex;
};

std::string claimsCsv(const std::vector<Claim>& claims) {
    CsvTable csv({"claim", "place", "verdict", "finding"});
    for (const Claim& claim : claims) csv.add({claim.claim, claim.place, toString(claim.verdict), claim.finding});
    return csv.text();
}

}  // namespace

std::size_t ExperimentRuns::ended() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(records, [](const auto& record) { return record.has_value(); }));
}

Result<ExperimentRuns> carryOut(const Experiment& experiment, const std::string& folder, const std::stop_token& stop,
                                const OnProgress& progress) {
    MITOS_TRY(const ExperimentFolder kept,
              ExperimentFolder::open(std::string(experiment.name()), experiment.settings(), folder));
    return RunsInProgress(experiment, kept, progress).make(stop);
}

Status writeReport(const ExperimentReport& report, const Environment& environment, const std::string& folder) {
    const auto pathOf = [&folder](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
    MITOS_REQUIRE(writeFile(pathOf("claims.csv"), claimsCsv(report.claims)));
    for (const ExperimentFile& file : report.files) MITOS_REQUIRE(writeFile(pathOf(file.path), file.text));
    return writeFile(pathOf("report.html"), htmlOf(report.page, report.claims, environment));
}

std::string reportText(const ExperimentReport& report, const ExperimentRuns& runs) {
    std::string text = report.text;
    for (const Claim& claim : report.claims) {
        text += fmt::format("{:<14} {}\n{:<14} {}\n", toString(claim.verdict), claim.claim, "", claim.finding);
    }
    text += fmt::format("\n{} of {} runs have ended, {} of them before this call\n", runs.ended(), runs.records.size(),
                        runs.found);
    for (const auto* const failures : {&runs.failures, &report.failures}) {
        for (const auto& [name, reason] : *failures) text += fmt::format("failed: {}: {}\n", name, reason);
    }
    return text;
}

std::string reportJson(const Experiment& experiment, const ExperimentReport& report, const ExperimentRuns& runs) {
    Json json{{"experiment", std::string(experiment.name())},
              {"runs_wanted", runs.records.size()},
              {"runs_ended", runs.ended()},
              {"runs_found", runs.found},
              {"stopped", runs.isStopped},
              {"failures", Json::array()},
              {"claims", Json::array()}};
    for (const auto* const failures : {&runs.failures, &report.failures}) {
        for (const auto& [name, reason] : *failures) json["failures"].push_back({{"run", name}, {"error", reason}});
    }
    for (const Claim& claim : report.claims) {
        json["claims"].push_back({{"claim", claim.claim},
                                  {"place", claim.place},
                                  {"verdict", toString(claim.verdict)},
                                  {"finding", claim.finding}});
    }
    json.update(Json::parse(report.json));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mitos::search::experiments
