// SPDX-License-Identifier: GPL-3.0-or-later
// A session's SQLite file: recognition, opening for writing or reading, schema migration, and conversion of SQLite's exceptions to
// errors. Of the headers in storage, only this one and session_implementation.h use SQLite.
#pragma once

#include "core/base/child_process.h"
#include "core/base/result.h"
#include "storage/session.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace mitos::storage {

/// One migration of the schema; `version` is the schema version (PRAGMA user_version) after it.
struct Migration {
    int version = 0;
    const char* sql = nullptr;
};

/// All released migrations, versions 1, 2, … in order.
[[nodiscard]] std::span<const Migration> migrations();

struct OpenedDatabase {
    std::optional<TemporaryFolder> copy;  ///< folder of the private copy, if the file could only be opened as a copy
    std::unique_ptr<SQLite::Database> database;
    OpenReport report;
};

/// Opens or creates the file with the schema of the last of the given migrations. An older file is copied to FILE.bak before it is
/// migrated; all migrations are one transaction, so other processes see either the old or the new schema. A file that cannot be
/// written is opened for reading, through a private copy if its log must be merged or its schema migrated first. A file that is
/// rejected stays unchanged.
[[nodiscard]] Result<OpenedDatabase> openDatabase(const std::string& path, std::span<const Migration> steps);
/// Opens an existing file for reading, although it may be written. Neither the file nor its folder is changed.
[[nodiscard]] Result<OpenedDatabase> openDatabaseForReading(const std::string& path, std::span<const Migration> steps);

// A copy is first written next to its target, so that the target is never incomplete, and the replaced file stays until the copy is
// complete.

/// Writes a copy next to `target`, syncs it to disk and returns its path. A failed copy is removed. Errors name `target`.
[[nodiscard]] Result<std::string> writeCopy(SQLite::Database& database, const std::string& target);
[[nodiscard]] Status putInPlace(const std::string& unfinished, const std::string& target);

/// Converts an exception of SQLite to an error for the user.
[[nodiscard]] Error translated(const SQLite::Exception& exception, const std::string& path);

/// The result of `body`, or the error of the SQLite exception it threw. `body` returns a Result.
template <typename Body>
[[nodiscard]] auto guarded(const std::string& path, Body&& body) -> decltype(body()) {
    try {
        return body();
    } catch (const SQLite::Exception& exception) {
        return translated(exception, path);
    }
}

}  // namespace mitos::storage
