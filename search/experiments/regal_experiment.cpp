// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_experiment.h.
#include "search/experiments/regal_experiment.h"

#include "search/experiments/regal_report.h"
#include "search/experiments/regal_searches.h"
#include "search/report/html.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace mitos::search::experiments {

RegalExperiment::RegalExperiment(RegalPlan plan, RegalModels models, NamedNumbers paper)
    : m_plan(std::move(plan)),
      m_models(std::move(models)),
      m_paper(std::move(paper)),
      m_graphs(m_plan) {}

Result<std::unique_ptr<RegalExperiment>> RegalExperiment::open(RegalPlan plan) {
    MITOS_REQUIRE(checkPlan(plan));
    MITOS_TRY(RegalModels models, RegalModels::in(plan.models, plan.evaluations));
    MITOS_TRY(NamedNumbers paper, namedNumbers("regal-paper"));
    std::unique_ptr<RegalExperiment> experiment(
        new RegalExperiment(std::move(plan), std::move(models), std::move(paper)));
    RegalExperiment& made = *experiment;
    std::optional<std::string> failure;
    if (!made.m_models.all().empty()) {
        const auto library = learned::LearnedLibrary::load(made.m_plan.library);
        if (library)
            made.m_networks = library->version();
        else
            failure = fmt::format("{}; {}", library.error().message, library.error().hint);
    }
    std::set<std::pair<RegalMethod, placement::Objective>> named;
    for (const RegalRun& run : regalRuns(made.m_plan)) {
        const RegalMethodInfo& info = infoOf(run.key.method);
        const placement::Objective objective = objectiveOf(run.key.task);
        const bool isMissing = info.role != RegalRole::None && made.modelOf(run.key) == nullptr;
        const bool isUnloadable = info.role != RegalRole::None && failure.has_value();
        if (!isMissing && !isUnloadable) {
            made.m_runs.push_back(run);
        } else if (named.emplace(info.method, objective).second) {
            made.m_missing.emplace_back(
                fmt::format("{} for {}", info.title, objective == placement::Objective::Memory ? "memory" : "run time"),
                isMissing ? RegalModels::missingText(objective, info.role, !made.m_plan.models.empty()) : *failure);
        }
    }
    return experiment;
}

const RegalModel* RegalExperiment::modelOf(const RegalKey& key) const {
    const RegalRole role = infoOf(key.method).role;
    return role == RegalRole::None ? nullptr : m_models.find(objectiveOf(key.task), role);
}

std::string RegalExperiment::settings() const {
    const nlohmann::ordered_json json{{"evaluations", m_plan.evaluations},
                                      {"seeds", m_plan.seeds},
                                      {"first_graph", FirstUnseenSeed},
                                      {"variants", m_plan.variants},
                                      {"noise", m_plan.noise},
                                      {"memory_factor", m_plan.memoryFactor},
                                      {"exact_seconds", m_plan.exactSeconds},
                                      {"releases_outputs", m_plan.releasesOutputs}};
    return json.dump();
}

Environment RegalExperiment::facts() const {
    return {
        {"Graphs", fmt::format("{} generated ones of four families, seeds {} to {}", m_plan.graphs, FirstUnseenSeed,
                               FirstUnseenSeed + m_plan.graphs - 1)},
        {"Networks", report::plural(m_plan.networks.size(), "network", "networks")},
        {"Seeds of a search", fmt::format("1 to {}", m_plan.seeds)},
        {"Evaluations of a search", fmt::format("{}", m_plan.evaluations)},
        {"Memory of a device, if limited", fmt::format("{:g} times the peak that BRKGA finds", m_plan.memoryFactor)},
        {"Exact search", fmt::format("{:g} s a graph", m_plan.exactSeconds)},
        {"Outputs of graphs", m_plan.releasesOutputs ? "released" : "retained"},
        {"Searches at a time", fmt::format("{}", m_plan.jobs)},
        {"Library of networks", m_networks}};
}

std::vector<std::string> RegalExperiment::runs() const {
    std::vector<std::string> names;
    for (const RegalRun& run : m_runs) names.push_back(run.name());
    return names;
}

Result<EndedRun> RegalExperiment::make(std::size_t run, const std::stop_token& stop, const OnStep& /*onStep*/) const {
    MITOS_TRY(const RegalRecord record, makeRegalRun(m_plan, m_graphs, m_runs[run], modelOf(m_runs[run].key), stop));
    return EndedRun{.record = writeRegalRecord(record)};
}

bool RegalExperiment::isOf(std::size_t run, const std::string& record) const {
    const Result<RegalRecord> read = readRegalRecord(record);
    const RegalRun& wanted = m_runs[run];
    const RegalModel* const model = modelOf(wanted.key);
    if (!read || read->run != wanted.name() || read->outcomes.size() != wanted.count) return false;
    if (read->model != (model == nullptr ? std::string() : model->digest)) return false;
    for (std::uint32_t i = 0; i < wanted.count; ++i) {
        if (read->outcomes[i].graph != m_graphs.name(wanted.key.set, wanted.first + i)) return false;
    }
    return true;
}

std::string RegalExperiment::summary(const std::string& record) const {
    const Result<RegalRecord> read = readRegalRecord(record);
    if (!read) return read.error().message;
    double seconds = 0.0;
    std::size_t searches = 0;
    for (const RegalOutcome& outcome : read->outcomes) {
        searches += outcome.searches.size();
        for (const RegalSearch& search : outcome.searches) seconds += search.seconds;
    }
    return fmt::format("{}, {}", report::plural(searches, "search", "searches"), report::durationText(seconds));
}

ExperimentReport RegalExperiment::report(const ExperimentRuns& runs, const std::stop_token& /*stop*/) const {
    std::vector<std::pair<RegalRun, RegalRecord>> records;
    for (std::size_t i = 0; i < runs.records.size(); ++i) {
        if (!runs.records[i]) continue;
        if (Result<RegalRecord> record = readRegalRecord(*runs.records[i]))
            records.emplace_back(m_runs[i], *std::move(record));
    }
    const std::size_t ended = records.size();
    const RegalResults results(m_plan, m_models, m_paper, std::move(records));
    ExperimentReport report = regalReport(results, m_missing);
    if (ended < m_runs.size()) {
        report.page.warnings.push_back(
            fmt::format("{} of {} runs have ended; the others are missing from all tables. The same command goes on.",
                        ended, m_runs.size()));
    }
    for (const auto& [name, reason] : runs.failures)
        report.page.warnings.push_back(fmt::format("{}: {}", name, reason));
    return report;
}

}  // namespace mitos::search::experiments
