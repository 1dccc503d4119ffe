// SPDX-License-Identifier: GPL-3.0-or-later
// See coarsening_experiment.h.
#include "search/experiments/coarsening_experiment.h"

#include "search/experiments/coarsening_record.h"
#include "search/experiments/coarsening_report.h"
#include "search/experiments/coarsening_tables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace mitos::search::experiments {

Result<std::unique_ptr<CoarseningExperiment>> CoarseningExperiment::open(CoarseningPlan plan, std::string machine,
                                                                         const std::stop_token& stop,
                                                                         const OnStep& onStep) {
    std::unique_ptr<CoarseningExperiment> experiment(new CoarseningExperiment);
    MITOS_REQUIRE(requireCoarseningParts(plan.parts));
    MITOS_TRY(experiment->m_benchmarks, benchmarksOf(plan));
    MITOS_TRY(experiment->m_paper, coarseningNumbers());
    MITOS_TRY(experiment->m_tools, coarseningTools(plan, stop, onStep));
    experiment->m_plan = std::move(plan);
    experiment->m_machine = std::move(machine);
    return experiment;
}

std::string CoarseningExperiment::settings() const {
    const nlohmann::ordered_json json{{"machine", m_machine},
                                      {"compiler", m_tools.compiler},
                                      {"libraries", m_tools.foundLibraries()},
                                      {"seconds", m_plan.secondsPerConfiguration},
                                      {"size_limit", m_plan.sizeLimit}};
    return json.dump();
}

Environment CoarseningExperiment::facts() const {
    return {{"Compiler", m_tools.compiler},
            {"Libraries", librariesText(m_tools)},
            {"Largest segment", fmt::format("{} operators", m_plan.sizeLimit)},
            {"Time for a configuration", fmt::format("{:g} s", m_plan.secondsPerConfiguration)}};
}

std::vector<std::string> CoarseningExperiment::runs() const {
    std::vector<std::string> names;
    for (const CoarseningBenchmark* benchmark : m_benchmarks) names.emplace_back(benchmark->name);
    return names;
}

Result<EndedRun> CoarseningExperiment::make(std::size_t run, const std::stop_token& stop, const OnStep& onStep) const {
    MITOS_TRY(const CoarseningRun measured, measureBenchmark(*m_benchmarks[run], m_plan, m_tools, stop, onStep));
    return EndedRun{.record = writeCoarseningRecord(measured)};
}

bool CoarseningExperiment::isOf(std::size_t run, const std::string& record) const {
    const Result<CoarseningRun> read = readCoarseningRecord(record);
    return read && read->benchmark == m_benchmarks[run];
}

std::string CoarseningExperiment::summary(const std::string& record) const {
    const Result<CoarseningRun> run = readCoarseningRecord(record);
    return run ? coarseningSummary(*run) : run.error().message;
}

ExperimentReport CoarseningExperiment::report(const ExperimentRuns& runs, const std::stop_token& /*stop*/) const {
    CoarseningResults results{
        .runs = {}, .tools = m_tools, .paper = m_paper, .secondsPerConfiguration = m_plan.secondsPerConfiguration};
    for (const auto& record : runs.records) {
        if (!record) continue;
        if (Result<CoarseningRun> run = readCoarseningRecord(*record)) results.runs.push_back(*std::move(run));
    }
    ExperimentReport report = coarseningReport(results, m_plan.parts);
    if (results.runs.size() < runs.records.size()) {
        report.page.warnings.push_back(
            fmt::format("{} of {} runs have ended; the others are missing from all tables. The same command goes on.",
                        results.runs.size(), runs.records.size()));
    }
    for (const auto& [name, reason] : runs.failures) {
        report.page.warnings.push_back(fmt::format("{}: {}", name, reason));
    }
    return report;
}

}  // namespace mitos::search::experiments
