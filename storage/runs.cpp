// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of a session, and their events.
#include "core/base/process_identity.h"
#include "storage/session_implementation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::storage {

namespace {

using search::EventKind;
using search::SearchEvent;
using search::StopReason;

/// Event kinds in the order of the schema: the stored number is the index.
constexpr std::array StoredKinds{EventKind::Started, EventKind::Progress, EventKind::Improved, EventKind::Finished};
constexpr std::array Reasons{StopReason::Exhausted, StopReason::Evaluations, StopReason::Seconds, StopReason::States,
                             StopReason::Memory,    StopReason::Stopped,     StopReason::Depth,   StopReason::Pruned};

std::optional<StopReason> reasonNamed(const std::string& name) {
    const auto found = std::ranges::find_if(Reasons, [&](StopReason r) { return toString(r) == name; });
    return found == Reasons.end() ? std::nullopt : std::optional(*found);
}

Error noSuchRun(RunId run) {
    return Error{ErrorCode::InvalidInput, fmt::format("the session has no run {}", run.value), std::nullopt, {}, {}};
}

void insertEvent(SQLite::Statement& insert, RunId run, std::int64_t number, const SearchEvent& event) {
    insert.reset();
    insert.clearBindings();
    insert.bind(1, run.value);
    insert.bind(2, number);
    insert.bind(3, static_cast<std::int32_t>(std::ranges::find(StoredKinds, event.kind) - StoredKinds.begin()));
    insert.bind(4, event.seconds);
    insert.bind(5, stored(event.evaluations));
    insert.bind(6, stored(event.states));
    insert.bind(7, stored(event.frontier));
    insert.bind(8, stored(event.memoryBytes));
    insert.bind(9, event.cost);
    insert.bind(10, event.best);
    insert.bind(11, event.pathLength);
    if (!event.rule.empty()) insert.bind(12, event.rule);
    if (event.reason) insert.bind(13, toString(*event.reason));
    insert.exec();
}

SearchEvent eventAt(SQLite::Statement& row) {
    SearchEvent event;
    const std::uint32_t kind = idAt(row, 0);
    event.kind = kind < StoredKinds.size() ? StoredKinds[kind] : EventKind::Progress;
    event.seconds = numberAt(row, 1);
    event.evaluations = unsignedAt(row, 2);
    event.states = unsignedAt(row, 3);
    event.frontier = unsignedAt(row, 4);
    event.memoryBytes = unsignedAt(row, 5);
    event.cost = numberAt(row, 6);
    event.best = numberAt(row, 7);
    event.pathLength = idAt(row, 8);
    event.rule = textAt(row, 9);
    if (!row.getColumn(10).isNull()) event.reason = reasonNamed(textAt(row, 10));
    return event;
}

StoredRun runAt(SQLite::Database& database, SQLite::Statement& row) {
    StoredRun run;
    run.id = RunId(idAt(row, 0));
    run.program = ProgramId(idAt(row, 1));
    run.startState = idAt(row, 2);
    run.strategy = textAt(row, 3);
    run.parameters = textAt(row, 4);
    run.rules = textAt(row, 5);
    run.costModel = textAt(row, 6);
    run.budget = textAt(row, 7);
    run.seed = unsignedAt(row, 8);
    run.startedAt = textAt(row, 9);
    run.status = textAt(row, 10);
    run.stop = textAt(row, 11);
    run.initialCost = numberAt(row, 12);
    run.bestCost = numberAt(row, 13);
    run.threadChecked = row.getColumn(14).getInt() != 0;
    run.thread = textAt(row, 15);
    run.statistics = textAt(row, 16);
    const std::string seal = textAt(row, 17);
    if (!seal.empty()) run.integrity = seal == sealOf(database, run.id) ? Integrity::Intact : Integrity::Changed;
    return run;
}

}  // namespace

Result<RunId> Session::beginRun(const StoredRun& run) {
    return m_impl->write([&](SQLite::Database& database) -> Result<RunId> {
        const ProcessIdentity process = thisProcess();
        statement(database,
                  "INSERT INTO runs (program, start_state, strategy, parameters, rules, cost_model, budget, seed, "
                  "started_at, status, process, process_start, stop, initial_cost, best_cost, thread_checked, thread, "
                  "statistics) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, '', ?, ?, 0, '', '{}')",
                  run.program.value, run.startState, run.strategy, run.parameters, run.rules, run.costModel, run.budget,
                  stored(run.seed), run.startedAt.empty() ? now() : run.startedAt, process.id, process.start,
                  run.initialCost, run.bestCost)
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
        SQLite::Statement insert(database,
                                 "INSERT INTO events (run, number, kind, seconds, evaluations, states, frontier, "
                                 "memory_bytes, cost, best, path_length, rule, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
                                 "?, ?, ?, ?, ?)");
        for (const SearchEvent& event : events) insertEvent(insert, run, ++number, event);
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
        statement(database,
                  "UPDATE runs SET initial_cost = ?, best_cost = ?, thread_checked = ?, thread = ? WHERE id = ? AND "
                  "status = 'running'",
                  best.costs.front(), best.costs.back(), isValid ? 1 : 0, text, run.value)
            .exec();
        return Success{};
    });
}

Status Session::finishRun(const StoredRun& run) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        const int changed =
            statement(database,
                      "UPDATE runs SET status = ?, stop = ?, initial_cost = ?, best_cost = ?, thread_checked = ?, "
                      "thread = ?, statistics = ? WHERE id = ?",
                      run.status == "interrupted" ? run.status : std::string("finished"), run.stop, run.initialCost,
                      run.bestCost, run.threadChecked ? 1 : 0, run.thread, run.statistics, run.id.value)
                .exec();
        if (changed != 1) return noSuchRun(run.id);
        statement(database, "UPDATE runs SET seal = ? WHERE id = ?", sealOf(database, run.id), run.id.value).exec();
        return Success{};
    });
}

Status Session::removeRun(RunId run) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        const int changed = statement(database, "DELETE FROM runs WHERE id = ?", run.value).exec();
        return changed == 1 ? Status(Success{}) : noSuchRun(run);
    });
}

Result<std::vector<StoredRun>> Session::runs(std::optional<ProgramId> program) {
    return m_impl->read([&](SQLite::Database& database) -> Result<std::vector<StoredRun>> {
        std::vector<StoredRun> runs;
        SQLite::Statement row(database,
                              "SELECT id, program, start_state, strategy, parameters, rules, cost_model, budget, seed, "
                              "started_at, status, stop, initial_cost, best_cost, thread_checked, thread, "
                              "statistics, seal FROM runs WHERE ?1 IS NULL OR program = ?1 ORDER BY id");
        if (program) row.bind(1, program->value);
        while (row.executeStep()) runs.push_back(runAt(database, row));
        return runs;
    });
}

Result<std::vector<SearchEvent>> Session::events(RunId run) {
    return m_impl->read([&](SQLite::Database& database) -> Result<std::vector<SearchEvent>> {
        std::vector<SearchEvent> events;
        SQLite::Statement row = statement(database,
                                          "SELECT kind, seconds, evaluations, states, frontier, memory_bytes, cost, "
                                          "best, path_length, rule, reason FROM events WHERE run = ? ORDER BY number",
                                          run.value);
        while (row.executeStep()) events.push_back(eventAt(row));
        return events;
    });
}

}  // namespace mitos::storage
