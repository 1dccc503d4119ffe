// SPDX-License-Identifier: GPL-3.0-or-later
// See session_log.h.
#include "app/cli/session_log.h"

#include "core/dialects/dialects.h"
#include "core/rewrite/stated_thread.h"
#include "core/rules/rule_sets.h"
#include "storage/model_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace mitos::cli {

namespace {

Result<std::unique_ptr<storage::Session>> openSession(const std::string& path) {
    Result<storage::Session> session = storage::Session::open(path);
    if (!session) return std::move(session).error();
    return std::make_unique<storage::Session>(*std::move(session));
}

/// The source of the weights. The path is absolute, since the desktop may open the session from another folder.
storage::StoredModel storedModel(const CommonOptions& options, const OpenProgram& program) {
    if (!program.model) return {};
    std::error_code unknown;
    const std::filesystem::path whole = std::filesystem::absolute(options.file, unknown);
    return {.source = {.kind = storage::ModelSource::Kind::File, .place = unknown ? options.file : whole.string()},
            .name = program.model->name,
            .outputs = program.model->outputs};
}

}  // namespace

Result<SessionLog> SessionLog::open(const std::string& path, const CommonOptions& options, OpenProgram& program,
                                    const search::SearchProblem& problem, const search::StrategyInfo& strategy,
                                    const std::vector<std::uint64_t>& seeds) {
    SessionLog log;
    log.m_path = path;
    Result<std::unique_ptr<storage::Session>> session = openSession(path);
    if (!session) return std::move(session).error();
    log.m_session = *std::move(session);
    const std::string name = program.bank->function(program.program.function).name;
    Result<storage::ProgramId> id = log.m_session->addProgram(fmt::format("{} — {}", options.file, name), options.file,
                                                              dialects::printProgram(*program.bank, program.program));
    if (!id) return std::move(id).error();
    const std::string rules = rules::withWholePaths(options.rules);
    const std::vector<std::pair<const char*, std::string>> values = {
        {storage::RulesKey, rules},
        {storage::AssumptionsKey, options.allowAssumptions ? storage::AssumptionsAllowed : "forbidden"},
        {storage::CostModelKey, problem.cost->info().name},
        {storage::ModelKey, storage::toJson(storedModel(options, program))},
    };
    for (const auto& [key, value] : values) {
        const bool isMeant = key != storage::ModelKey || program.sharing() == ir::Sharing::Graph;
        if (Status written = isMeant ? log.m_session->setValue(key, value) : Status(mitos::Success{}); !written) {
            return written.error();
        }
    }
    log.m_history.emplace(program.program, program.costs(*problem.cost)->cost(program.program.root));
    const Status first =
        log.m_session->addState(*id, storage::toStored(*program.bank, *log.m_history, log.m_history->start()));
    if (!first) return first.error();
    for (const std::uint64_t seed : seeds) {
        storage::StoredRun run;
        run.program = *id;
        run.strategy = strategy.name;
        run.parameters = storage::toJson(problem.parameters);
        run.rules = rules;
        run.costModel = problem.cost->info().name;
        run.budget = storage::toJson(problem.budget);
        run.seed = seed;
        run.startedAt = utcNow();
        run.status = "running";
        Result<storage::RunId> runId = log.m_session->beginRun(run);
        if (!runId) return std::move(runId).error();
        run.id = *runId;
        log.m_runs.push_back(std::move(run));
    }
    return log;
}

Result<std::unique_ptr<SessionLog::Writer>> SessionLog::writer(std::size_t run, search::Observer& next) const {
    Result<std::unique_ptr<storage::Session>> session = openSession(m_path);
    if (!session) return std::move(session).error();
    return std::make_unique<Writer>(*std::move(session), m_runs[run].id, next);
}

Status SessionLog::finishRun(std::size_t run, const search::SearchResult& result, const rewrite::Verdict& verdict,
                             const std::string& threadText) {
    storage::StoredRun& stored = m_runs[run];
    stored.status = "finished";
    stored.stop = search::toString(result.reason);
    stored.initialCost = result.initialCost;
    stored.bestCost = result.bestCost;
    stored.threadChecked = result.check.valid;
    stored.thread = threadText;
    stored.statistics =
        storage::withVerdict(storage::toJson(result.statistics), verdict, rewrite::rulesHash(result.thread));
    return m_session->finishRun(stored);
}

Status SessionLog::dropRun(std::size_t run) { return m_session->removeRun(m_runs[run].id); }

Status SessionLog::addThread(OpenProgram& program, std::size_t task, const search::SearchResult& result) {
    if (!result.check.valid) return mitos::Success{};
    const storage::StoredRun& run = m_runs[task];
    const rewrite::Thread thread = rewrite::transplant(*result.bank, result.thread, *program.bank);
    m_history->addThread(m_history->start(), thread, result.costs, fmt::format("{} #{}", run.strategy, task + 1));
    std::vector<storage::StoredState> states;
    for (std::uint32_t i = 1; i < m_history->size(); ++i) {
        states.push_back(storage::toStored(*program.bank, *m_history, rewrite::StateId(i)));
    }
    if (Status added = m_session->addStates(run.program, states); !added) return added;
    return m_session->setValue(storage::CurrentStateKey, fmt::format("{}", m_history->current().value));
}

}  // namespace mitos::cli
