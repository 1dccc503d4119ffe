// SPDX-License-Identifier: GPL-3.0-or-later
// See egraph_mcts.h.
#include "search/experiments/egraph_mcts.h"

#include "core/base/hash.h"
#include "core/dialects/dialects.h"
#include "core/egraph/json.h"
#include "search/experiments/single_run.h"
#include "search/experiments/write_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace mitos::search::experiments {

EGraphMcts::EGraphMcts(ExperimentPlan plan, EGraphRules rules)
    : m_plan(std::move(plan)),
      m_rules(std::move(rules)),
      m_keys(runsOf(m_plan)) {}

Result<std::unique_ptr<EGraphMcts>> EGraphMcts::open(ExperimentPlan plan) {
    MITOS_TRY(EGraphRules rules, egraph::prepareRules(plan.rules.directions));
    return std::unique_ptr<EGraphMcts>(new EGraphMcts(std::move(plan), std::move(rules)));
}

std::string EGraphMcts::settings() const {
    std::uint64_t rules = 0;
    for (const auto& rule : m_plan.rules.directions) {
        rules = combineHash(combineHash(rules, hashText(rule->name())), hashText(rule->rule().text));
    }
    const nlohmann::ordered_json json{{"rules", m_plan.ruleSets},
                                      {"rules_hash", fmt::format("{:016x}", rules)},
                                      {"cost", m_plan.costName},
                                      {"nodes", m_plan.nodes},
                                      {"seconds_per_run", m_plan.secondsPerRun}};
    return json.dump();
}

Environment EGraphMcts::facts() const {
    return {{"Searches at a time", fmt::format("{}", m_plan.jobs)},
            {"Rules", fmt::format("{} ({} directions)", m_plan.ruleSets, m_plan.rules.directions.size())},
            {"Cost model", m_plan.costName},
            {"E-nodes", fmt::format("at most {}", m_plan.nodes)},
            {"Search budget", fmt::format("{}", m_plan.budget)},
            {"Repetitions", fmt::format("{}", m_plan.repetitions)},
            {"Time limit of a run", fmt::format("{:g} s", m_plan.secondsPerRun)}};
}

std::vector<std::string> EGraphMcts::runs() const {
    std::vector<std::string> names;
    for (const RunKey& key : m_keys) names.push_back(nameOf(m_plan, key));
    return names;
}

Result<EndedRun> EGraphMcts::make(std::size_t run, const std::stop_token& stop, const OnStep& /*onStep*/) const {
    const RunKey& key = m_keys[run];
    const std::string name = nameOf(m_plan, key);
    const ComparisonPlan::Subject& subject = m_plan.programs[key.program];
    MITOS_TRY(const FinishedRun finished, runOnce(m_plan, key, m_rules, stop));
    EndedRun ended{.record = writeRecord(finished.record),
                   .files = {{fmt::format("programs/{}.txt", subject.name),
                              dialects::printProgram(*subject.bank, subject.program) + "\n"},
                             {fmt::format("programs/{}.txt", name), finished.result + "\n"}}};
    if (finished.first) {
        ended.files.push_back({fmt::format("graphs/{}.first.json", subject.name), egraph::writeJson(*finished.first)});
    }
    if (finished.last) {
        ended.files.push_back({fmt::format("graphs/{}.last.json", name), egraph::writeJson(*finished.last)});
    }
    return ended;
}

bool EGraphMcts::isOf(std::size_t run, const std::string& record) const {
    const RunKey& key = m_keys[run];
    const ComparisonPlan::Subject& subject = m_plan.programs[key.program];
    const Result<RunRecord> read = readRecord(record);
    return read && read->program == subject.name && read->approach == approaches()[key.approach].name &&
           read->budget == key.budget && read->seed == key.seed &&
           read->programHash == hashText(dialects::printProgram(*subject.bank, subject.program));
}

std::string EGraphMcts::summary(const std::string& record) const {
    const Result<RunRecord> run = readRecord(record);
    if (!run) return run.error().message;
    return fmt::format("{:+.2f} % in {:.1f} s, {} e-nodes, {}", -run->gain(), run->seconds, run->nodes(), run->stop);
}

ExperimentResults EGraphMcts::results(const ExperimentRuns& runs, const std::stop_token& stop) const {
    ExperimentResults results;
    results.wanted = runs.records.size();
    for (const auto& record : runs.records) {
        if (!record) continue;
        if (Result<RunRecord> run = readRecord(*record)) results.runs.push_back(*std::move(run));
    }
    if (m_plan.parts.contains(Part::Table1)) {
        for (const ComparisonPlan::Subject& subject : m_plan.programs) {
            if (stop.stop_requested()) break;
            Result<InitialCosts> costs = initialCosts(subject, *m_plan.cost);
            if (costs) {
                results.initial.push_back(*std::move(costs));
            } else {
                results.failures.emplace_back(subject.name, costs.error().message);
            }
        }
    }
    return results;
}

ExperimentReport EGraphMcts::report(const ExperimentRuns& runs, const std::stop_token& stop) const {
    ExperimentResults results = this->results(runs, stop);
    std::vector<std::pair<std::string, std::string>> failures = results.failures;
    results.failures.insert(results.failures.end(), runs.failures.begin(), runs.failures.end());
    const Summary summary = summaryOf(m_plan, results);
    return {.page = pageOf(m_plan, results, summary),
            .claims = claimsOf(m_plan, results, summary),
            .files = csvFiles(m_plan, results, summary),
            .text = summaryText(m_plan, results, summary),
            .json = summaryJson(m_plan, summary, results),
            .failures = std::move(failures)};
}

}  // namespace mitos::search::experiments
