// SPDX-License-Identifier: GPL-3.0-or-later
// The seal, which shows whether another program has changed a run. It is a hash without a secret, so it does not protect against
// deliberate forgery.
#include "core/base/hash.h"
#include "storage/internal/session_implementation.h"

#include <fmt/format.h>

#include <bit>

namespace mitos::storage {

namespace {

std::uint64_t hashOf(const SQLite::Column& value) {
    const auto kind = static_cast<std::uint64_t>(value.getType());
    if (value.isInteger()) return combineHash(kind, static_cast<std::uint64_t>(value.getInt64()));
    if (value.isFloat()) return combineHash(kind, std::bit_cast<std::uint64_t>(value.getDouble()));
    return combineHash(kind, hashText(value.getString()));
}

std::uint64_t hashOf(SQLite::Statement rows, int firstColumn = 0) {
    std::uint64_t hash = 0;
    while (rows.executeStep()) {
        for (int column = firstColumn; column < rows.getColumnCount(); ++column) {
            hash = combineHash(hash, hashOf(rows.getColumn(column)));
        }
    }
    return hash;
}

constexpr int FirstVersionWithSeals = 4;

}  // namespace

std::string sealOf(SQLite::Database& database, RunId run) {
    const std::uint64_t row =
        hashOf(statement(database,
                         "SELECT programs.text, start_state, strategy, parameters, rules, cost_model, budget, seed, "
                         "started_at, status, stop, initial_cost, best_cost, thread_checked, thread, statistics "
                         "FROM runs JOIN programs ON programs.id = runs.program WHERE runs.id = ?",
                         run.value));
    // All columns of an event but the run's id, which differs between files, whatever the schema version is.
    const std::uint64_t events =
        hashOf(statement(database, "SELECT * FROM events WHERE run = ? ORDER BY number", run.value), 1);
    return fmt::format("{:016x}", combineHash(row, events));
}

void seal(SQLite::Database& database, RunId run) {
    statement(database, "UPDATE runs SET seal = ? WHERE id = ?", sealOf(database, run), run.value).exec();
}

std::vector<RunId> intactRuns(SQLite::Database& database, int version) {
    std::vector<RunId> intact;
    if (version < FirstVersionWithSeals) return intact;
    SQLite::Statement rows(database, "SELECT id, seal FROM runs WHERE seal <> ''");
    while (rows.executeStep()) {
        const RunId run(idAt(rows, 0));
        if (textAt(rows, 1) == sealOf(database, run)) intact.push_back(run);
    }
    return intact;
}

}  // namespace mitos::storage
