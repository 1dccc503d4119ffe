// SPDX-License-Identifier: GPL-3.0-or-later
// The summary of a session, for lists of sessions.
#include "storage/session_summary.h"

#include "core/base/process_identity.h"
#include "search/placement/training_run.h"
#include "search/run_json.h"
#include "storage/internal/session_implementation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace mitos::storage {

namespace {

/// The part of its initial cost that a run left; not a number if its costs are unknown.
double partLeft(const Run& run) {
    return run.initialCost > 0.0 ? run.bestCost / run.initialCost : std::numeric_limits<double>::quiet_NaN();
}

/// The cost of the program's start under each cost model that a search from there was made with.
std::map<std::string, double> startCosts(SQLite::Database& database, std::uint32_t program) {
    std::map<std::string, double> costs;
    SQLite::Statement row =
        statement(database, "SELECT cost_model, initial_cost FROM runs WHERE program = ? AND start_state = 0", program);
    while (row.executeStep()) {
        if (const double cost = numberAt(row, 1); std::isfinite(cost)) costs.emplace(textAt(row, 0), cost);
    }
    return costs;
}

/// The stored costs of the states, which are of one cost model.
std::map<std::uint32_t, double> stateCosts(SQLite::Database& database, std::uint32_t program) {
    std::map<std::uint32_t, double> costs;
    SQLite::Statement row = statement(database, "SELECT id, cost FROM states WHERE program = ?", program);
    while (row.executeStep()) costs.emplace(idAt(row, 0), numberAt(row, 1));
    return costs;
}

/// The run that saved the largest part of the cost of the program's start, wherever it began; enters the number of runs and their
/// strategies. Only what the summary needs is read of the run. Trainings leave the program as it is, so they save nothing.
std::optional<Run> bestRun(SQLite::Database& database, std::uint32_t program, SessionSummary& summary) {
    std::optional<Run> best;
    SQLite::Statement row =
        statement(database,
                  "SELECT id, initial_cost, best_cost, statistics, strategy, start_state, cost_model FROM runs WHERE "
                  "program = ? ORDER BY id",
                  program);
    const std::map<std::string, double> starts = startCosts(database, program);
    const std::map<std::uint32_t, double> states = stateCosts(database, program);
    const auto startCostOf = [&](const Run& run) {
        if (const auto start = starts.find(run.costModel); start != starts.end()) return start->second;
        // No search began at the start. States whose costs agree with the run's are of its cost model.
        const auto own = states.find(run.startState);
        const auto start = states.find(0);
        const bool isSameModel = own != states.end() && start != states.end() && own->second == run.initialCost;
        return isSameModel ? start->second : run.initialCost;
    };
    for (; row.executeStep(); ++summary.runs) {
        Run run;
        run.id = RunId(idAt(row, 0));
        run.strategy = textAt(row, 4);
        if (std::ranges::find(summary.strategies, run.strategy) == summary.strategies.end())
            summary.strategies.push_back(run.strategy);
        if (search::isTraining(run)) continue;
        run.initialCost = numberAt(row, 1);
        run.startState = idAt(row, 5);
        run.costModel = textAt(row, 6);
        if (run.startState != 0) run.initialCost = startCostOf(run);  // gains are against the start of the program
        run.bestCost = numberAt(row, 2);
        search::readStatistics(textAt(row, 3), run);
        if (std::isnan(partLeft(run)) || (best && partLeft(run) >= partLeft(*best))) continue;
        best = std::move(run);
    }
    return best;
}

/// The improvements of a run, and its last evaluation. Other events, which may be many, are not read.
std::vector<search::Improvement> curveIn(SQLite::Database& database, Run run) {
    SQLite::Statement row = statement(
        database, "SELECT kind, json FROM events WHERE run = ? AND kind IN ('started', 'improved') ORDER BY number",
        run.id.value);
    while (row.executeStep()) {
        if (auto event = search::eventFromJson(textAt(row, 0), textAt(row, 1))) run.events.push_back(*std::move(event));
    }
    std::vector<search::Improvement> curve = search::curveOf(run);
    if (!curve.empty() && run.statistics.evaluations > curve.back().evaluations) {
        curve.push_back({run.statistics.evaluations, run.statistics.seconds, curve.back().best});
    }
    return curve;
}

/// The least cost of the states made so far, state by state.
std::vector<search::Improvement> curveOfStates(SQLite::Database& database, std::uint32_t program) {
    std::vector<search::Improvement> curve;
    SQLite::Statement row =
        statement(database, "SELECT cost FROM states WHERE program = ? AND cost IS NOT NULL ORDER BY id", program);
    std::uint64_t count = 0;
    while (row.executeStep()) {
        ++count;
        const double cost = numberAt(row, 0);
        if (curve.empty() || cost < curve.back().best) curve.push_back({.evaluations = count, .best = cost});
    }
    if (!curve.empty() && count > curve.back().evaluations)
        curve.push_back({.evaluations = count, .best = curve.back().best});
    return curve;
}

/// Whether a process extends the history, or ended without releasing its claim.
void readClaim(SQLite::Database& database, const std::string& path, std::uint32_t program, SessionSummary& summary) {
    SQLite::Statement claim =
        statement(database, "SELECT process, process_start FROM claims WHERE program = ? AND file = ?", program,
                  fileIdentity(path));
    if (!claim.executeStep()) return;
    summary.isInUse = isRunning({claim.getColumn(0).getInt64(), textAt(claim, 1)});
    summary.wasCutOff = !summary.isInUse;
}

SessionLabels labelsIn(SQLite::Database& database) {
    SQLite::Statement row = statement(database, "SELECT value FROM session_values WHERE key = ?", LabelsKey);
    return row.executeStep() ? labelsFromJson(textAt(row, 0)) : SessionLabels();
}

Error noProgram(const std::string& path) {
    return Error{ErrorCode::InvalidInput, path + " holds no program", std::nullopt, "Open a program instead."};
}

Result<SessionSummary> summaryIn(SQLite::Database& database, const std::string& path) {
    SQLite::Statement program(database, "SELECT id, title, opened_at FROM programs ORDER BY id DESC LIMIT 1");
    if (!program.executeStep()) return noProgram(path);
    SessionSummary summary;
    const std::uint32_t id = idAt(program, 0);
    summary.title = textAt(program, 1);
    summary.openedAt = textAt(program, 2);
    summary.labels = labelsIn(database);
    readClaim(database, path, id, summary);
    SQLite::Statement states = statement(
        database, "SELECT COUNT(*), MIN(cost), MAX(CASE id WHEN 0 THEN cost END) FROM states WHERE program = ?", id);
    states.executeStep();
    summary.states = static_cast<std::size_t>(states.getColumn(0).getInt64());
    summary.bestCost = numberAt(states, 1);
    summary.initialCost = numberAt(states, 2);
    if (const std::optional<Run> run = bestRun(database, id, summary)) {
        summary.bestStrategy = run->strategy;
        summary.initialCost = run->initialCost;
        summary.bestCost = run->bestCost;
        summary.curve = curveIn(database, *run);
    } else {
        summary.curve = curveOfStates(database, id);
    }
    return summary;
}

}  // namespace

Result<SessionSummary> summaryOf(const std::string& path) {
    MITOS_TRY(const OpenedDatabase opened, openDatabaseForReading(path, migrations()));
    return guarded(path, [&] { return summaryIn(*opened.database, path); });
}

Result<std::string> programTextOf(const std::string& path) {
    MITOS_TRY(const OpenedDatabase opened, openDatabaseForReading(path, migrations()));
    return guarded(path, [&]() -> Result<std::string> {
        SQLite::Statement program(*opened.database, "SELECT text FROM programs ORDER BY id DESC LIMIT 1");
        if (!program.executeStep()) return noProgram(path);
        return textAt(program, 0);
    });
}

}  // namespace mitos::storage
