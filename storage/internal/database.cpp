// SPDX-License-Identifier: GPL-3.0-or-later
// See database.h.
#include "storage/internal/database.h"

#include "core/base/write_file.h"
#include "storage/internal/file_header.h"
#include "storage/internal/session_implementation.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace mitos::storage {

namespace {

namespace fs = std::filesystem;

constexpr int BusyTimeoutMs = 5000;
constexpr int GlanceTimeoutMs = 500;  // of readers that can do without the file
constexpr std::array LogSuffixes{"-wal", "-shm", "-journal"};

Error error(ErrorCode code, std::string message, std::string hint) {
    return Error{code, std::move(message), std::nullopt, std::move(hint)};
}

Error notASession(const std::string& path) {
    return error(ErrorCode::Incompatible, fmt::format("{} is not a Mitos session", path),
                 "Choose a session file, or a name that is not taken to begin a new session.");
}

Error tooNew(const std::string& path, int version, int known) {
    return error(
        ErrorCode::Incompatible,
        fmt::format("{} was written by a newer Mitos: its schema is version {}, this program knows versions up to {}",
                    path, version, known),
        fmt::format("Open it with a Mitos that knows schema version {}.", version));
}

Error damaged(const std::string& path, std::string_view detail) {
    return error(ErrorCode::Io, fmt::format("{} is damaged: {}", path, detail),
                 "Nothing was changed. Restore it from a copy, or rescue what is left with `sqlite3 FILE .recover`.");
}

/// Rejects files that are not sessions by their first bytes, so that SQLite never opens them as databases.
Status inspect(const std::string& path, int known) {
    std::error_code failure;
    if (!fs::is_regular_file(path, failure)) {
        return error(ErrorCode::Io, fmt::format("{} is not a file", path), "Choose a session file.");
    }
    if (fs::file_size(path, failure) == 0 && !failure) return Success{};  // becomes a new session
    if (access(path.c_str(), R_OK) != 0) {
        return error(ErrorCode::Io, fmt::format("{} cannot be read: {}", path, std::strerror(errno)),
                     "Check the file's permissions.");
    }
    const bool hasLog =
        std::ranges::any_of(LogSuffixes, [&](const char* suffix) { return fs::exists(path + suffix, failure); });
    const std::optional<FileHeader> header = readHeader(path);
    if (!header) return error(ErrorCode::Io, fmt::format("{} cannot be read", path), "Check the disk.");
    if (header->applicationId != ApplicationId) return notASession(path);
    if (header->version > known) return tooNew(path, header->version, known);
    if (header->endsWithinPage && !hasLog) return damaged(path, "its end is missing");
    return Success{};
}

bool mayBeWritten(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return access(path.c_str(), W_OK) == 0 && access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

/// Whether the exception means that the file can only be read. This includes a full disk, which has no room for the log's companion
/// files.
bool meansReadOnly(const SQLite::Exception& exception) {
    constexpr std::array Codes{SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_FULL, SQLITE_IOERR};
    return std::ranges::find(Codes, exception.getErrorCode()) != Codes.end();
}

int schemaVersion(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }

/// Checks every page that is in use, but not indexes against tables, which would be slow.
Status checkPages(SQLite::Database& database, const std::string& path) {
    const std::string verdict = database.execAndGet("PRAGMA quick_check(1)").getString();
    return verdict == "ok" ? Status(Success{}) : damaged(path, verdict);
}

/// Copies the file, with the schema of that version, to FILE.bak.
Status backUp(SQLite::Database& database, const std::string& path, int version) {
    const std::string target = path + ".bak";
    const Result<std::string> unfinished = writeCopy(database, target);
    Status saved = unfinished ? Status(Success{}) : unfinished.error();
    if (saved) {
        // Another process has already migrated and backed up the file.
        if (const auto header = readHeader(*unfinished); header && header->version != version) {
            removeSession(*unfinished);
            return saved;
        }
        saved = putInPlace(*unfinished, target);
    }
    if (saved) return saved;
    return error(saved.error().code,
                 fmt::format("{} has to be converted, but its backup failed: {}", path, saved.error().message),
                 "The session was not changed. Make room or check the folder's permissions.");
}

/// Migrates the schema in one transaction, since another process that migrates at the same time must never find, and back up, an
/// intermediate version. For the same reason the version is read again inside the transaction.
void migrate(SQLite::Database& database, std::span<const Migration> steps) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    const int version = schemaVersion(database);
    if (version >= steps.back().version) return;
    const std::vector<RunId> intact = intactRuns(database, version);
    for (const Migration& step : steps) {
        if (step.version > version) database.exec(step.sql);
    }
    for (const RunId run : intact) seal(database, run);
    database.exec(fmt::format("PRAGMA application_id = {}", ApplicationId));
    database.exec(fmt::format("PRAGMA user_version = {}", steps.back().version));
    transaction.commit();
}

/// The write-ahead log allows readers and a writer at the same time, and a kill leaves the last complete transaction. FULL instead
/// of NORMAL makes a write durable when the call returns, even after a power cut; writes are few, as events come in batches.
void setUpWriting(SQLite::Database& database) {
    database.exec("PRAGMA foreign_keys = ON");
    database.exec("PRAGMA synchronous = FULL");
    // Fails while another process creates the same file; that process then sets the mode.
    database.tryExec("PRAGMA journal_mode = WAL");
}

Result<OpenedDatabase> openForWriting(const std::string& path, std::span<const Migration> steps, bool exists) {
    OpenedDatabase opened;
    opened.database =
        std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, BusyTimeoutMs);
    const int version = schemaVersion(*opened.database);
    const int newest = steps.back().version;
    if (version > newest) return tooNew(path, version, newest);
    if (exists) MITOS_REQUIRE(checkPages(*opened.database, path));
    if (version == 0) {
        opened.report.created = true;
    } else if (version < newest) {
        MITOS_REQUIRE(backUp(*opened.database, path, version));
        opened.report.migratedFrom = version;
    }
    migrate(*opened.database, steps);
    setUpWriting(*opened.database);
    return opened;
}

std::string uri(const std::string& path, std::string_view options) {
    std::string encoded = "file:";
    for (const char c : fs::absolute(path).string()) {
        if (c == '%' || c == '?' || c == '#') {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        } else {
            encoded += c;
        }
    }
    return fmt::format("{}?{}", encoded, options);
}

/// Opens a private copy for reading, with its log merged and its schema migrated; the file itself stays unchanged.
Result<OpenedDatabase> openCopy(const std::string& path, std::span<const Migration> steps) {
    MITOS_TRY(TemporaryFolder folder, TemporaryFolder::make());
    const std::string copy = folder.path() + "/session.mitos";
    std::error_code failure;
    fs::copy_file(path, copy, failure);
    if (!failure && fs::exists(path + "-wal")) fs::copy_file(path + "-wal", copy + "-wal", failure);
    if (!failure) fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, failure);
    if (failure) {
        return error(ErrorCode::Io, fmt::format("{} cannot be copied to be read: {}", path, failure.message()),
                     "Make room in the folder for temporary files (TMPDIR).");
    }
    if (fs::exists(copy + "-wal")) {
        fs::permissions(copy + "-wal", fs::perms::owner_read | fs::perms::owner_write, failure);
    }
    MITOS_TRY(OpenedDatabase opened, openForWriting(copy, steps, true));
    opened.copy = std::move(folder);
    opened.report = {};
    opened.report.readOnly = true;
    return opened;
}

Result<OpenedDatabase> openForReading(const std::string& path, std::span<const Migration> steps,
                                      std::string_view options, int timeoutMs) {
    OpenedDatabase opened;
    opened.report.readOnly = true;
    opened.database =
        std::make_unique<SQLite::Database>(uri(path, options), SQLite::OPEN_READONLY | SQLite::OPEN_URI, timeoutMs);
    MITOS_REQUIRE(checkPages(*opened.database, path));
    const int version = schemaVersion(*opened.database);
    const int newest = steps.back().version;
    if (version > newest) return tooNew(path, version, newest);
    if (version < newest) return openCopy(path, steps);
    return opened;
}

/// Opens the file for reading. In a folder without write permission SQLite cannot create the log's companion files; no other process
/// writes the file then, so SQLite may read it as immutable. If a log exists, a copy is opened instead, since the log's data would be
/// missing silently.
Result<OpenedDatabase> openForReading(const std::string& path, std::span<const Migration> steps,
                                      int timeoutMs = BusyTimeoutMs) {
    try {
        return openForReading(path, steps, "mode=ro", timeoutMs);
    } catch (const SQLite::Exception& exception) {
        if (!meansReadOnly(exception)) throw;
    }
    std::error_code failure;
    const std::uintmax_t log = fs::file_size(path + "-wal", failure);
    if (!failure && log > 0) return openCopy(path, steps);
    return openForReading(path, steps, "immutable=1", timeoutMs);
}

Result<OpenedDatabase> openFile(const std::string& path, std::span<const Migration> steps, bool exists) {
    if (exists && !mayBeWritten(path)) return openForReading(path, steps);
    try {
        return openForWriting(path, steps, exists);
    } catch (const SQLite::Exception& exception) {
        if (!exists || !meansReadOnly(exception)) throw;
    }
    return openForReading(path, steps);
}

}  // namespace

bool looksLikeSession(const std::string& path) {
    const std::optional<FileHeader> header = readHeader(path);
    return header && header->isDatabase;
}

void removeSession(const std::string& path) {
    std::error_code ignored;
    fs::remove(path, ignored);
    for (const char* suffix : LogSuffixes) fs::remove(path + suffix, ignored);
}

Result<std::string> writeCopy(SQLite::Database& database, const std::string& target) {
    MITOS_TRY(const std::string unfinished, makeUnfinishedFile(fs::path(target).parent_path()));
    const Status copied = guarded(target, [&]() -> Status {
        SQLite::Statement copy(database, "VACUUM INTO ?");
        copy.bind(1, unfinished);  // the target may exist as an empty file
        copy.exec();
        return Success{};
    });
    if (!copied) {
        removeSession(unfinished);
        return copied.error();
    }
    syncToDisk(unfinished);  // SQLite does not sync it
    return unfinished;
}

Status putInPlace(const std::string& unfinished, const std::string& target) {
    std::error_code failure;
    if (const fs::file_status status = fs::status(target, failure); fs::exists(status) && fs::is_other(status)) {
        removeSession(unfinished);
        return error(ErrorCode::Io, fmt::format("{} cannot be written: it is not a file", target),
                     "Choose another name.");
    }
    failure.clear();
    // SQLite would take the log of a killed session for the log of the new file.
    for (const char* suffix : LogSuffixes) fs::remove(target + suffix, failure);
    fs::rename(unfinished, target, failure);
    if (!failure) {
        syncToDisk(fs::path(target).parent_path());
        return Success{};
    }
    removeSession(unfinished);
    return error(ErrorCode::Io, fmt::format("{} cannot be written: {}", target, failure.message()),
                 "Check that the folder is there and may be written.");
}

Error translated(const SQLite::Exception& exception, const std::string& path) {
    switch (exception.getErrorCode()) {
        case SQLITE_FULL:
            return error(ErrorCode::Io, fmt::format("{} cannot be written: the disk is full", path),
                         "Make room; what was kept before is still there.");
        case SQLITE_IOERR:
            return error(ErrorCode::Io, fmt::format("{} cannot be read or written ({})", path, exception.what()),
                         "Check the disk and its free space; what was kept before is still there.");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return error(ErrorCode::Io, fmt::format("{} is locked by another program", path),
                         "Try again when the other program is done.");
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return error(ErrorCode::Io, fmt::format("{} cannot be written", path), "Check the file's permissions.");
        case SQLITE_CANTOPEN:
            return error(ErrorCode::Io, fmt::format("{} cannot be opened or created", path),
                         "Check that the folder is there and may be written.");
        case SQLITE_CORRUPT: return damaged(path, exception.what());
        case SQLITE_NOTADB: return notASession(path);
        default:
            return error(ErrorCode::InvalidInput, fmt::format("{}: {}", path, exception.what()),
                         "The session was not changed.");
    }
}

Result<OpenedDatabase> openDatabase(const std::string& path, std::span<const Migration> steps) {
    if (path.empty()) return error(ErrorCode::InvalidInput, "a session needs a file name", "");
    if (path == ":memory:") return guarded(path, [&] { return openForWriting(path, steps, false); });
    std::error_code failure;
    const bool exists = fs::exists(path, failure);
    if (exists) MITOS_REQUIRE(inspect(path, steps.back().version));
    Result<OpenedDatabase> opened = guarded(path, [&] { return openFile(path, steps, exists); });
    // If a new session could not be created, no empty file stays behind.
    if (!opened && !exists && fs::file_size(path, failure) == 0 && !failure) fs::remove(path, failure);
    return opened;
}

Result<OpenedDatabase> openDatabaseForReading(const std::string& path, std::span<const Migration> steps) {
    std::error_code failure;
    if (!fs::exists(path, failure)) {
        return error(ErrorCode::Io, fmt::format("{} is gone", path), "It may have been moved or deleted.");
    }
    MITOS_REQUIRE(inspect(path, steps.back().version));
    return guarded(path, [&]() -> Result<OpenedDatabase> {
        // While a process has the file open, there is a log. Without one SQLite would create it, even for a reader.
        if (fs::exists(path + "-wal", failure)) return openForReading(path, steps, GlanceTimeoutMs);
        return openForReading(path, steps, "immutable=1", GlanceTimeoutMs);
    });
}

}  // namespace mitos::storage
