// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos_experiment.h.
#include "search/experiments/knossos_experiment.h"

#include "search/experiments/knossos_report.h"
#include "search/experiments/report_table.h"
#include "search/learned/learned_library.h"
#include "search/report/html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace mitos::search::experiments {

KnossosExperiment::KnossosExperiment(KnossosPlan plan, KnossosPrograms programs, NamedNumbers paper)
    : m_plan(std::move(plan)),
      m_programs(std::move(programs)),
      m_paper(std::move(paper)) {}

Result<std::unique_ptr<KnossosExperiment>> KnossosExperiment::open(KnossosPlan plan) {
    MITOS_REQUIRE(checkPlan(plan));
    MITOS_TRY(KnossosPrograms programs, KnossosPrograms::load(plan.registry));
    MITOS_TRY(NamedNumbers paper, namedNumbers("knossos-paper"));
    std::unique_ptr<KnossosExperiment> experiment(
        new KnossosExperiment(std::move(plan), std::move(programs), std::move(paper)));
    KnossosExperiment& made = *experiment;
    std::optional<std::string> failure;
    const auto isOfLibrary = [&](const KnossosMethod& method) {
        return method.needsLibrary && (method.name != KnossosAsPrinted || made.m_plan.paperNetwork != "terms");
    };
    const std::vector<const KnossosMethod*> methods = made.m_plan.chosenMethods();
    if (std::ranges::any_of(methods, [&](const KnossosMethod* method) { return isOfLibrary(*method); })) {
        const auto library = learned::LearnedLibrary::load();
        if (library)
            made.m_library = library->version();
        else
            failure = fmt::format("{}; {}", library.error().message, library.error().hint);
    }
    for (const KnossosRun& run : knossosRuns(made.m_plan)) {
        if (!failure || !isOfLibrary(*run.method)) made.m_runs.push_back(run);
    }
    for (const KnossosMethod* const method : methods) {
        if (failure && isOfLibrary(*method)) made.m_missing.emplace_back(method->title, *failure);
    }
    return experiment;
}

std::string KnossosExperiment::settings() const {
    nlohmann::ordered_json training = nlohmann::ordered_json::object();
    for (const auto& [name, value] : m_plan.training) training[name] = parameterText(value);
    std::vector<std::string> rules;
    for (const auto& rule : m_plan.rules.directions) rules.push_back(rule->name());
    const nlohmann::ordered_json json{{"epochs", m_plan.epochs},         {"stage", m_plan.stage},
                                      {"evaluations", m_plan.budgets},   {"paper_network", m_plan.paperNetwork},
                                      {"training", std::move(training)}, {"rules", std::move(rules)}};
    return json.dump();
}

Environment KnossosExperiment::facts() const {
    std::vector<std::string> methods;
    for (const KnossosMethod* const method : m_plan.chosenMethods()) methods.emplace_back(method->title);
    std::vector<std::string> budgets;
    for (const std::uint64_t budget : m_plan.budgets) budgets.push_back(groupedText(budget));
    std::vector<std::string> training;
    for (const auto& [name, value] : m_plan.training)
        training.push_back(fmt::format("{} = {}", name, parameterText(value)));
    return {{"Rules and cost", fmt::format("{}, {}", m_plan.ruleSets, KnossosCost)},
            {"Methods", fmt::format("{}", fmt::join(methods, ", "))},
            {"Seeds", fmt::format("1 to {}", m_plan.repetitions)},
            {"Epochs", fmt::format("{}, compared every {}", m_plan.epochs, m_plan.stage)},
            {"Evaluations of each program", fmt::format("{}", fmt::join(budgets, "; "))},
            {"Network of Algorithm 1", m_plan.paperNetwork},
            {"Settings of trainings",
             training.empty() ? "those of the methods" : fmt::format("{}", fmt::join(training, ", "))},
            {"Runs at a time", fmt::format("{}", m_plan.jobs)},
            {"Library of networks", m_library}};
}

std::vector<std::string> KnossosExperiment::runs() const {
    std::vector<std::string> names;
    for (const KnossosRun& run : m_runs) names.push_back(run.name());
    return names;
}

Result<EndedRun> KnossosExperiment::make(std::size_t run, const std::stop_token& stop, const OnStep& onStep) const {
    MITOS_TRY(const KnossosRecord record, makeKnossosRun(m_plan, m_programs, m_runs[run], settings(), stop, onStep));
    return EndedRun{.record = writeKnossosRecord(record)};
}

bool KnossosExperiment::isOf(std::size_t run, const std::string& record) const {
    const Result<KnossosRecord> read = readKnossosRecord(record);
    return read && read->run == m_runs[run].name() && !read->stages.empty();
}

std::string KnossosExperiment::summary(const std::string& record) const {
    const Result<KnossosRecord> read = readKnossosRecord(record);
    if (!read) return read.error().message;
    std::vector<std::string> totals;
    for (const KnossosEvaluation& one : read->stages.back().evaluations) {
        if (one.strategy == read->stages.back().evaluations.front().strategy)
            totals.push_back(fmt::format("{:g} ({})", one.total(), groupedText(one.budget)));
    }
    const double seconds = read->stages.back().trainingSeconds;
    return fmt::format("{}{}", fmt::join(totals, ", "),
                       seconds > 0.0 ? ", trained for " + report::durationText(seconds) : std::string());
}

ExperimentReport KnossosExperiment::report(const ExperimentRuns& runs, const std::stop_token& /*stop*/) const {
    std::vector<std::pair<KnossosRun, KnossosRecord>> records;
    for (std::size_t i = 0; i < runs.records.size(); ++i) {
        if (!runs.records[i]) continue;
        if (Result<KnossosRecord> record = readKnossosRecord(*runs.records[i]))
            records.emplace_back(m_runs[i], *std::move(record));
    }
    const std::size_t ended = records.size();
    ExperimentReport report = knossosReport(KnossosResults(m_plan, m_paper, std::move(records)), m_missing);
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
