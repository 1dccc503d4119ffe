// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, programs, histories and values of a session; see runs.cpp for runs.
#include "storage/session.h"

#include "core/base/process_identity.h"
#include "storage/internal/session_implementation.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>

namespace mitos::storage {

namespace {

Error missing(std::string what) { return Error{ErrorCode::InvalidInput, fmt::format("the session has no {}", what)}; }

/// Marks runs as interrupted whose status is "running" although their process has ended; returns their number.
Result<int> markInterrupted(SQLite::Database& database) {
    std::vector<std::int64_t> killed;
    SQLite::Statement running(database, "SELECT id, process, process_start FROM runs WHERE status = 'running'");
    while (running.executeStep()) {
        if (!isRunning({running.getColumn(1).getInt64(), textAt(running, 2)})) {
            killed.push_back(running.getColumn(0).getInt64());
        }
    }
    running.reset();
    for (const std::int64_t run : killed) {
        statement(database, "UPDATE runs SET status = 'interrupted' WHERE id = ?", run).exec();
    }
    return static_cast<int>(killed.size());
}

void insertState(SQLite::Statement& insert, ProgramId program, const StoredState& state) {
    insert.reset();
    insert.clearBindings();
    insert.bind(1, program.value);
    insert.bind(2, state.id);
    if (state.parent) insert.bind(3, *state.parent);
    insert.bind(4, state.rule);
    insert.bind(5, state.position);
    insert.bind(6, state.match);
    insert.bind(7, stored(state.hash));
    insert.bind(8, state.cost);
    insert.bind(9, state.origin);
    insert.bind(10, state.marks.name);
    insert.bind(11, state.marks.note);
    insert.bind(12, state.marks.pinned ? 1 : 0);
    insert.bind(13, state.marks.color);
    insert.bind(14, state.thread);
    if (state.substitution) insert.bind(15, *state.substitution);
    insert.bind(16, state.region);
    insert.exec();
}

}  // namespace

std::string now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

Session::Session(std::unique_ptr<Implementation> implementation) : m_impl(std::move(implementation)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::open(const std::string& path) {
    MITOS_TRY(OpenedDatabase opened, openDatabase(path, migrations()));
    auto implementation = std::make_unique<Implementation>();
    implementation->path = path;
    implementation->file = fileIdentity(path);
    implementation->copy = std::move(opened.copy);
    implementation->database = std::move(opened.database);
    implementation->report = opened.report;
    if (!implementation->report.readOnly) {
        MITOS_TRY(implementation->report.interruptedRuns, implementation->write(markInterrupted));
    }
    return Session(std::move(implementation));
}

const std::string& Session::path() const { return m_impl->path; }
const OpenReport& Session::report() const { return m_impl->report; }

Status Session::copyTo(const std::string& path, Existing existing) {
    std::error_code failure;
    if (existing == Existing::Refuse && std::filesystem::exists(path, failure)) {
        return Error{ErrorCode::Io, fmt::format("{} is there already", path), std::nullopt,
                     "Choose a name that is not taken."};
    }
    MITOS_TRY(const std::string unfinished, writeCopy(*m_impl->database, path));
    return putInPlace(unfinished, path);
}

Result<ProgramId> Session::addProgram(const std::string& title, const std::string& source, const std::string& text) {
    Result<ProgramId> added = m_impl->write([&](SQLite::Database& database) -> Result<ProgramId> {
        statement(database, "INSERT INTO programs (title, source, text, opened_at) VALUES (?, ?, ?, ?)", title, source,
                  text, now())
            .exec();
        const ProgramId program(static_cast<std::uint32_t>(database.getLastInsertRowid()));
        MITOS_REQUIRE(takeHistory(database, m_impl->path, program));
        return program;
    });
    if (added) m_impl->claims.push_back(*added);
    return added;
}

Result<std::vector<StoredProgram>> Session::programs() {
    return m_impl->read([](SQLite::Database& database) -> Result<std::vector<StoredProgram>> {
        std::vector<StoredProgram> programs;
        SQLite::Statement row(database, "SELECT id, title, source, text, opened_at FROM programs ORDER BY id");
        while (row.executeStep()) {
            programs.push_back(
                {ProgramId(idAt(row, 0)), textAt(row, 1), textAt(row, 2), textAt(row, 3), textAt(row, 4)});
        }
        return programs;
    });
}

Status Session::addStates(ProgramId program, const std::vector<StoredState>& states) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        SQLite::Statement insert(database,
                                 "INSERT INTO states (program, id, parent, rule, position, match, hash, cost, origin, "
                                 "name, note, pinned, color, thread, substitution, region) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        for (const StoredState& state : states) insertState(insert, program, state);
        return Success{};
    });
}

Status Session::markState(ProgramId program, std::uint32_t state, const rewrite::Marks& marks) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        const int changed =
            statement(database,
                      "UPDATE states SET name = ?, note = ?, pinned = ?, color = ? WHERE program = ? AND id = ?",
                      marks.name, marks.note, marks.pinned ? 1 : 0, marks.color, program.value, state)
                .exec();
        return changed == 1 ? Status(Success{}) : missing(fmt::format("state {} of program {}", state, program.value));
    });
}

Result<std::vector<StoredState>> Session::states(ProgramId program) {
    return m_impl->read([&](SQLite::Database& database) -> Result<std::vector<StoredState>> {
        std::vector<StoredState> states;
        SQLite::Statement row =
            statement(database,
                      "SELECT id, parent, rule, position, match, hash, cost, origin, name, note, "
                      "pinned, color, thread, substitution, region FROM states WHERE program = ? ORDER BY id",
                      program.value);
        while (row.executeStep()) {
            StoredState state;
            state.id = idAt(row, 0);
            if (!row.getColumn(1).isNull()) state.parent = idAt(row, 1);
            state.rule = textAt(row, 2);
            state.position = textAt(row, 3);
            state.match = idAt(row, 4);
            state.hash = unsignedAt(row, 5);
            state.cost = numberAt(row, 6);
            state.origin = textAt(row, 7);
            state.marks = {textAt(row, 8), textAt(row, 9), row.getColumn(10).getInt() != 0, idAt(row, 11)};
            state.thread = textAt(row, 12);
            if (!row.getColumn(13).isNull()) state.substitution = textAt(row, 13);
            state.region = textAt(row, 14);
            states.push_back(std::move(state));
        }
        return states;
    });
}

Status Session::setValue(const std::string& key, const std::string& value) {
    return m_impl->write([&](SQLite::Database& database) -> Status {
        statement(database, "INSERT OR REPLACE INTO session_values (key, value) VALUES (?, ?)", key, value).exec();
        return Success{};
    });
}

Result<std::optional<std::string>> Session::value(const std::string& key) {
    return m_impl->read([&](SQLite::Database& database) -> Result<std::optional<std::string>> {
        SQLite::Statement row = statement(database, "SELECT value FROM session_values WHERE key = ?", key);
        if (!row.executeStep()) return std::optional<std::string>();
        return std::optional<std::string>(textAt(row, 0));
    });
}

}  // namespace mitos::storage
