// SPDX-License-Identifier: GPL-3.0-or-later
// The seal, which shows whether another program has changed a run. It is a hash without a secret, so it does not protect against
// deliberate forgery.
#include "core/base/hash.h"
#include "storage/session_implementation.h"

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

std::uint64_t hashOf(SQLite::Statement rows) {
    std::uint64_t hash = 0;
    while (rows.executeStep()) {
        for (int column = 0; column < rows.getColumnCount(); ++column) {
            hash = combineHash(hash, hashOf(rows.getColumn(column)));
        }
    }
    return hash;
}

}  // namespace

std::string sealOf(SQLite::Database& database, RunId run) {
    const std::uint64_t row =
        hashOf(statement(database,
                         "SELECT programs.text, start_state, strategy, parameters, rules, cost_model, budget, seed, "
                         "started_at, status, stop, initial_cost, best_cost, thread_checked, thread, statistics "
                         "FROM runs JOIN programs ON programs.id = runs.program WHERE runs.id = ?",
                         run.value));
    const std::uint64_t events = hashOf(statement(database,
                                                  "SELECT number, kind, seconds, evaluations, states, frontier, "
                                                  "memory_bytes, cost, best, path_length, rule, reason FROM events "
                                                  "WHERE run = ? ORDER BY number",
                                                  run.value));
    return fmt::format("{:016x}", combineHash(row, events));
}

}  // namespace mitos::storage
