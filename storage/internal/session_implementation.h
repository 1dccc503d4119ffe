// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a Session, and helpers for access to its database. Internal to storage.
#pragma once

#include "storage/internal/database.h"
#include "storage/internal/file_header.h"
#include "storage/session.h"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::storage {

struct Session::Implementation {
    std::string path;
    std::string file;                     ///< identity of the file when it was opened
    std::optional<TemporaryFolder> copy;  ///< see OpenedDatabase; destroyed after the database
    std::unique_ptr<SQLite::Database> database;
    OpenReport report;
    std::vector<ProgramId> claims;  ///< histories that this session has claimed

    Implementation() = default;
    /// Releases the claims.
    ~Implementation();
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    /// Runs `body(database)`; exceptions become errors.
    template <typename Body>
    [[nodiscard]] auto read(Body&& body) {
        return guarded(path, [&] { return body(*database); });
    }

    /// Runs `body(database)` in one transaction, which is undone if it returns an error or throws.
    template <typename Body>
    [[nodiscard]] auto write(Body&& body) -> decltype(body(*database)) {
        if (report.readOnly) {
            return Error{ErrorCode::Io, path + " is open for reading only", std::nullopt,
                         "Save a copy where you may write, and go on there."};
        }
        // SQLite would continue to write to a file that no longer has a name.
        if (fileIdentity(path) != file) {
            return Error{ErrorCode::Io, path + " is gone: it was moved, deleted or replaced while it was open",
                         std::nullopt, "What is done from here on is not kept; save the session under another name."};
        }
        return guarded(path, [&]() -> decltype(body(*database)) {
            SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
            auto result = body(*database);
            if (result.ok()) transaction.commit();
            return result;
        });
    }
};

/// A statement with all its values bound, in order.
template <typename... Values>
[[nodiscard]] SQLite::Statement statement(SQLite::Database& database, const char* sql, const Values&... values) {
    SQLite::Statement made(database, sql);
    int index = 0;
    (made.bind(++index, values), ...);
    return made;
}

// SQLite stores signed 64-bit integers; these conversions keep the bits.
[[nodiscard]] inline std::int64_t stored(std::uint64_t value) { return static_cast<std::int64_t>(value); }
[[nodiscard]] inline std::uint64_t unsignedAt(SQLite::Statement& row, int column) {
    return static_cast<std::uint64_t>(row.getColumn(column).getInt64());
}
[[nodiscard]] inline std::uint32_t idAt(SQLite::Statement& row, int column) { return row.getColumn(column).getUInt(); }
[[nodiscard]] inline std::string textAt(SQLite::Statement& row, int column) {
    return row.getColumn(column).getString();
}
/// SQLite stores NaN as NULL.
[[nodiscard]] inline double numberAt(SQLite::Statement& row, int column) {
    const SQLite::Column value = row.getColumn(column);
    return value.isNull() ? std::numeric_limits<double>::quiet_NaN() : value.getDouble();
}

/// Claims the program's history for this process, inside a write transaction. Fails if a running process holds the claim; the error
/// names that process.
[[nodiscard]] Status takeHistory(SQLite::Database& database, const std::string& path, ProgramId program);

/// A hash, as text, of the program's text, the run's row and its events.
[[nodiscard]] std::string sealOf(SQLite::Database& database, RunId run);
/// Writes the seal of a run that is complete.
void seal(SQLite::Database& database, RunId run);
/// The sealed runs, in a file of that schema version, that no other program has changed. A migration must seal them again.
[[nodiscard]] std::vector<RunId> intactRuns(SQLite::Database& database, int version);

/// "2026-11-20T12:50:28Z"
[[nodiscard]] std::string now();

}  // namespace mitos::storage
