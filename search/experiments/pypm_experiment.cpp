// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_experiment.h.
#include "search/experiments/pypm_experiment.h"

#include "search/experiments/pypm_report.h"
#include "search/experiments/pypm_runs.h"
#include "search/report/html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace mitos::search::experiments {

PypmExperiment::PypmExperiment(PypmPlan plan, NamedNumbers paper)
    : m_plan(std::move(plan)),
      m_paper(std::move(paper)) {}

Result<std::unique_ptr<PypmExperiment>> PypmExperiment::open(PypmPlan plan) {
    MITOS_REQUIRE(checkPlan(plan));
    MITOS_TRY(NamedNumbers paper, namedNumbers("pypm-paper"));
    return std::unique_ptr<PypmExperiment>(new PypmExperiment(std::move(plan), std::move(paper)));
}

std::string PypmExperiment::settings() const {
    std::vector<std::string> rules;
    for (const auto& rule : rulesOf(m_plan, PypmCompilation::Both)) rules.push_back(rule->name());
    const nlohmann::ordered_json json{{"rules", std::move(rules)},
                                      {"cost", m_plan.cost->info().name},
                                      {"repetitions", m_plan.repetitions},
                                      {"comparison_seconds", m_plan.comparisonSeconds},
                                      {"threads", m_plan.runtime.threads},
                                      {"seconds", m_plan.seconds},
                                      {"sizes", m_plan.sizes}};
    return json.dump();
}

Environment PypmExperiment::facts() const {
    std::vector<std::string> levels;
    for (const onnx::OptimizationLevel level : m_plan.levels) levels.emplace_back(onnx::toString(level));
    Environment facts{
        {"Models", fmt::format("{}", m_plan.models.size())},
        {"Rules", fmt::format("{}: {} of attention, {} of epilogs", m_plan.ruleSets,
                              rulesOf(m_plan, PypmCompilation::Attention).size(),
                              rulesOf(m_plan, PypmCompilation::Epilogs).size())},
        {"Cost model", m_plan.cost->info().name},
        {"Passes that are timed", fmt::format("{} for each compilation", m_plan.repetitions)},
        {"Comparison of values", m_plan.comparisonSeconds > 0.0
                                     ? fmt::format("{} a compilation", report::durationText(m_plan.comparisonSeconds))
                                     : "none"}};
    if (!m_plan.isTimed()) {
        facts.emplace_back("Run by", m_plan.whyNot.empty() ? "nothing in this call" : "nothing: " + m_plan.whyNot);
        return facts;
    }
    facts.emplace_back("Run by", m_plan.version->text());
    facts.emplace_back("Levels of its optimizations", fmt::format("{}", fmt::join(levels, ", ")));
    facts.emplace_back("Threads of an operator", fmt::format("{}", m_plan.runtime.threads));
    facts.emplace_back("Time of running a model", fmt::format("{} a level", report::durationText(m_plan.seconds)));
    facts.emplace_back("Sizes that are names", m_plan.sizes);
    return facts;
}

std::vector<std::string> PypmExperiment::runs() const {
    std::vector<std::string> names;
    for (const PypmModel& model : m_plan.models) names.push_back(model.name);
    return names;
}

Result<EndedRun> PypmExperiment::make(std::size_t run, const std::stop_token& stop, const OnStep& onStep) const {
    MITOS_TRY(const PypmRecord record, makePypmRun(m_plan, m_plan.models[run], stop, onStep));
    return EndedRun{.record = writePypmRecord(record)};
}

bool PypmExperiment::isOf(std::size_t run, const std::string& record) const {
    const Result<PypmRecord> read = readPypmRecord(record);
    const PypmModel& model = m_plan.models[run];
    if (!read || read->run != model.name || read->program != pypmHash(model)) return false;
    if (!m_plan.isTimed()) return true;
    return read->runtime == m_plan.version->text() &&
           std::ranges::all_of(m_plan.levels, [&](onnx::OptimizationLevel level) {
               return read->find(onnx::toString(level)) != nullptr;
           });
}

std::string PypmExperiment::summary(const std::string& record) const {
    const Result<PypmRecord> read = readPypmRecord(record);
    if (!read) return read.error().message;
    std::vector<std::string> parts;
    for (const PypmPass& pass : read->passes) {
        if (pass.compilation != infoOf(PypmCompilation::Neither).name)
            parts.push_back(fmt::format("{} {} in {}", pass.matches(), pass.compilation,
                                        report::durationText(pass.medianSeconds())));
    }
    for (const PypmTimes& times : read->times)
        parts.push_back(
            fmt::format("both {:.3f} times as fast at level {}", times.compilations.back().speedup(), times.level));
    if (!read->timingError.empty()) parts.push_back("not run: " + read->timingError);
    return fmt::format("{}", fmt::join(parts, "; "));
}

ExperimentReport PypmExperiment::report(const ExperimentRuns& runs, const std::stop_token& /*stop*/) const {
    std::vector<PypmResults::Entry> entries;
    for (std::size_t i = 0; i < runs.records.size(); ++i) {
        if (!runs.records[i]) continue;
        if (Result<PypmRecord> record = readPypmRecord(*runs.records[i]))
            entries.emplace_back(&m_plan.models[i], *std::move(record));
    }
    const std::size_t ended = entries.size();
    ExperimentReport report = pypmReport(PypmResults(m_plan, m_paper, std::move(entries)));
    if (ended < m_plan.models.size()) {
        report.page.warnings.push_back(
            fmt::format("{} of {} runs have ended; the others are missing from all tables. The same command goes on.",
                        ended, m_plan.models.size()));
    }
    for (const auto& [name, reason] : runs.failures)
        report.page.warnings.push_back(fmt::format("{}: {}", name, reason));
    return report;
}

}  // namespace mitos::search::experiments
