// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of a session, and their events.
#include "core/base/process_identity.h"
#include "core/rewrite/stated_thread.h"
#include "search/run_json.h"
#include "storage/internal/session_implementation.h"

#include <fmt/format.h>

namespace mitos::storage {

namespace {

using search::RunState;
using search::SearchEvent;

Error noSuchRun(RunId run) {
    return Error{ErrorCode::InvalidInput, fmt::format("the session has no run {}", run.value)};
}

/// The state of a run with that text in its column `status`.
RunState stateNamed(const std::string& status) {
    if (status == "running") return RunState::Running;
    return status == "interrupted" ? RunState::Interrupted : RunState::Finished;
}

Run runAt(SQLite::Database& database, SQLite::Statement& row) {
    Run run;
    run.id = RunId(idAt(row, 0));
    run.program = ProgramId(idAt(row, 1));
    run.startState = idAt(row, 2);
    run.strategy = textAt(row, 3);
    run.parameters = search::parametersFrom(textAt(row, 4));
    run.rules = textAt(row, 5);
    run.costModel = textAt(row, 6);
    run.budget = search::budgetFrom(textAt(row, 7));
    run.seed = unsignedAt(row, 8);
    run.startedAt = textAt(row, 9);
    run.state = stateNamed(textAt(row, 10));
    run.stop = textAt(row, 11);
    run.initialCost = numberAt(row, 12);
    run.bestCost = numberAt(row, 13);
    run.threadChecked = row.getColumn(14).getInt() != 0;
    run.thread = textAt(row, 15);
    search::readStatistics(textAt(row, 16), run);
    const std::string seal = textAt(row, 17);
    run.number = row.getColumn(18).getInt();
    if (!seal.empty()) run.integrity = seal == sealOf(database, run.id) ? Integrity::Intact : Integrity::Changed;
    return run;
}

}  // namespace

Result<RunId> Session::beginRun(const Run& run) {
    return m_impl->write([&](SQLite::Database& database) -> Result<RunId> {
        const ProcessIdentity process = thisProcess();
        statement(
            database,
            "INSERT INTO runs (program, start_state, strategy, parameters, rules, cost_model, budget, seed, "
            "started_at, status, process, process_start, stop, initial_cost, best_cost, thread_checked, thread, "
            "statistics, number) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'running', ?10, ?11, '', ?12, ?13, "
            "0, '', '{}', iif(?14 > 0 AND NOT EXISTS (SELECT 1 FROM runs WHERE program = ?1 AND number = ?14), ?14, "
            "(SELECT COALESCE(MAX(number), 0) + 1 FROM runs WHERE program = ?1)))",
            run.program.value, run.startState, run.strategy, search::parametersText(run.parameters), run.rules,
            run.costModel, search::budgetText(run.budget), stored(run.seed),
            run.startedAt.empty() ? now() : run.startedAt, process.id, process.start, run.initialCost, run.bestCost,
            run.number)
            .exec();
        return RunId(static_cast<std::uint32_t>(database.getLastInsertRowid()));
    });
}

Status Session::appendEvents(RunId run, const std::vector<SearchEvent>& events) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        SQLite::Statement last =
            statement(database, "SELECT COALESCE(MAX(number), -1) FROM events WHERE run = ?", run.value);
        last.executeStep();
        std::int64_t number = last.getColumn(0).getInt64();
        SQLite::Statement insert(database, "INSERT INTO events (run, number, kind, json) VALUES (?, ?, ?, ?)");
        for (const SearchEvent& event : events) {
            insert.reset();
            insert.bind(1, run.value);
            insert.bind(2, ++number);
            insert.bind(3, std::string(kindOf(event)));
            insert.bind(4, toJson(event));
            insert.exec();
        }
        return Success{};
    });
}

Status Session::keepBest(RunId run, const search::BestSoFar& best) {
    const bool isValid = rewrite::check(*best.bank, best.thread).valid;
    return m_impl->write([&](SQLite::Database& database) -> Status {
        SQLite::Statement model = statement(database, "SELECT cost_model FROM runs WHERE id = ?", run.value);
        if (!model.executeStep()) return noSuchRun(run);
        const std::string text = rewrite::writeThread(*best.bank, best.thread, best.costs, textAt(model, 0));
        model.reset();
        Run kept;
        search::enterOutcome(kept, best.outcome.get());
        statement(database,
                  "UPDATE runs SET initial_cost = ?, best_cost = ?, thread_checked = ?, thread = ?, statistics = ? "
                  "WHERE id = ? AND status = 'running'",
                  best.costs.front(), best.cost(), isValid ? 1 : 0, text, search::statisticsText(kept), run.value)
            .exec();
        return Success{};
    });
}

Status Session::finishRun(const Run& run) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        const int changed =
            statement(database,
                      "UPDATE runs SET status = ?, stop = ?, initial_cost = ?, best_cost = ?, thread_checked = ?, "
                      "thread = ?, statistics = ? WHERE id = ?",
                      run.state == RunState::Interrupted ? "interrupted" : "finished", run.stop, run.initialCost,
                      run.bestCost, run.threadChecked ? 1 : 0, run.thread, search::statisticsText(run), run.id.value)
                .exec();
        if (changed != 1) return noSuchRun(run.id);
        seal(database, run.id);
        return Success{};
    });
}

Status Session::removeRun(RunId run) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        const int changed = statement(database, "DELETE FROM runs WHERE id = ?", run.value).exec();
        return changed == 1 ? Status(Success{}) : noSuchRun(run);
    });
}

Result<std::vector<Run>> Session::runs(std::optional<ProgramId> program) {
    return m_impl->read([&](SQLite::Database& database) -> Result<std::vector<Run>> {
        std::vector<Run> runs;
        SQLite::Statement row(database,
                              "SELECT id, program, start_state, strategy, parameters, rules, cost_model, budget, seed, "
                              "started_at, status, stop, initial_cost, best_cost, thread_checked, thread, "
                              "statistics, seal, number FROM runs WHERE ?1 IS NULL OR program = ?1 ORDER BY program, "
                              "number, id");
        if (program) row.bind(1, program->value);
        while (row.executeStep()) runs.push_back(runAt(database, row));
        return runs;
    });
}

Result<std::vector<SearchEvent>> Session::events(RunId run) {
    return m_impl->read([&](SQLite::Database& database) -> Result<std::vector<SearchEvent>> {
        std::vector<SearchEvent> events;
        SQLite::Statement row =
            statement(database, "SELECT kind, json FROM events WHERE run = ? ORDER BY number", run.value);
        while (row.executeStep()) {
            if (auto event = search::eventFromJson(textAt(row, 0), textAt(row, 1))) events.push_back(*std::move(event));
        }
        return events;
    });
}

bool isVerdictOf(const Run& run, std::uint64_t start, std::uint64_t end, const rules::RuleBook& rules) {
    if (run.integrity != Integrity::Intact) return false;
    const Result<rewrite::StatedThread> thread = rewrite::statedThread(SourceText("the run's thread", run.thread));
    if (!thread || thread->states.front().hash != start || thread->states.back().hash != end) return false;
    const std::optional<std::uint64_t> now = rewrite::rulesHash(*thread, rules);
    return run.verdict && now == run.judgedRules;
}

}  // namespace mitos::storage
