// SPDX-License-Identifier: GPL-3.0-or-later
// See run_recorder.h.
#include "storage/workspace/run_recorder.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace mitos::storage {

Run requestedRun(const std::string& strategy, const search::SearchProblem& problem, const std::string& ruleSets) {
    Run run;
    run.strategy = strategy;
    run.parameters = toJson(problem.parameters);
    run.rules = ruleSets;
    run.costModel = problem.cost->info().name;
    run.budget = toJson(problem.budget);
    run.seed = problem.seed;
    run.status = "running";
    return run;
}

void enterResult(Run& run, const search::SearchResult& result, std::string threadText) {
    run.status = "finished";
    run.stop = search::toString(result.reason);
    run.initialCost = result.initialCost;
    run.bestCost = result.bestCost;
    run.threadChecked = result.check.valid;
    run.thread = std::move(threadText);
    run.statistics = toJson(result.statistics);
}

void enterFailedRules(Run& run, const eval::TrustedRules& rules) {
    if (rules.failed.empty()) return;
    nlohmann::json failed = nlohmann::json::array();
    for (const eval::DoubtfulRule& rule : rules.failed) {
        failed.push_back(
            {{"name", rule.name}, {"set", rule.set}, {"counterexample", rule.reason}, {"left_out", !rules.insisted}});
    }
    setField(run.statistics, FailedRulesField, failed.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void setField(std::string& json, const char* field, const std::string& value) {
    nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
    if (!object.is_object()) object = nlohmann::json::object();
    object[field] = nlohmann::json::parse(value, nullptr, false);
    json = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunRecorder::RunRecorder(Session session, RunId id, search::Observer* next)
    : m_session(std::move(session)),
      m_id(id),
      m_writer(m_session, id, next) {}

Result<std::unique_ptr<RunRecorder>> RunRecorder::begin(const std::string& path, const Run& run,
                                                        search::Observer* next) {
    MITOS_TRY(Session session, Session::open(path));
    MITOS_TRY(const RunId id, session.beginRun(run));
    return std::unique_ptr<RunRecorder>(new RunRecorder(std::move(session), id, next));
}

Status RunRecorder::finish(Run run) {
    run.id = m_id;
    return m_session.finishRun(run);
}

Status RunRecorder::remove() { return m_session.removeRun(m_id); }

}  // namespace mitos::storage
