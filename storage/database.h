// SPDX-License-Identifier: GPL-3.0-or-later
// A session's SQLite file: recognising it, opening it for writing or only for reading, bringing its schema up to date,
// and turning SQLite's exceptions into errors. The only header of storage that knows SQLite besides the implementation's.
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

/// One step of the schema; `version` is the schema's version (PRAGMA user_version) after it.
struct Migration {
    int version = 0;
    const char* sql = nullptr;
};

/// All released migrations, versions 1, 2, … in order.
[[nodiscard]] std::span<const Migration> migrations();

struct OpenedDatabase {
    std::optional<TemporaryFolder> copy;  ///< where the database lies, if the file could only be shown from a copy
    std::unique_ptr<SQLite::Database> database;
    OpenReport report;
};

/// Opens or creates the file with the schema of the last of the given migrations. An older file is copied to FILE.bak
/// before it is migrated; all migrations are one transaction, so other processes see the old schema or the new one. A file
/// that cannot be written is opened for reading; where its log has to be brought in or its schema converted first, from a
/// private copy. A file that is refused is left as it was.
[[nodiscard]] Result<OpenedDatabase> openDatabase(const std::string& path, std::span<const Migration> steps);

// Copies are written beside their target first, so that there is never half of one, and what they replace stays until the
// copy is whole.

/// Writes a copy beside `target`, and brings it to the disk: its path. Nothing is left of one that fails. Errors speak of `target`.
[[nodiscard]] Result<std::string> writeCopy(SQLite::Database& database, const std::string& target);
[[nodiscard]] Status putInPlace(const std::string& unfinished, const std::string& target);

/// What the user should know about a failure of SQLite.
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
