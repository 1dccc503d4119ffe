// SPDX-License-Identifier: GPL-3.0-or-later
// Claims: at most one session at a time extends the history of a program.
#include "core/base/process_identity.h"
#include "storage/internal/session_implementation.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::storage {

namespace {

Error taken(const std::string& path, std::int64_t process) {
    return Error{ErrorCode::Io, fmt::format("{} is open in another Mitos window (process {})", path, process),
                 std::nullopt,
                 "What is done here is not kept in it. Close it there, or save the session under another name."};
}

}  // namespace

Status takeHistory(SQLite::Database& database, const std::string& path, ProgramId program) {
    const std::string file = fileIdentity(path);
    SQLite::Statement holder = statement(
        database, "SELECT process, process_start FROM claims WHERE program = ? AND file = ?", program.value, file);
    if (holder.executeStep()) {
        const ProcessIdentity process{holder.getColumn(0).getInt64(), textAt(holder, 1)};
        if (isRunning(process)) return taken(path, process.id);
    }
    holder.reset();
    const ProcessIdentity self = thisProcess();
    statement(database, "INSERT OR REPLACE INTO claims (program, process, process_start, file) VALUES (?, ?, ?, ?)",
              program.value, self.id, self.start, file)
        .exec();
    return Success{};
}

Session::Implementation::~Implementation() {
    if (claims.empty()) return;
    // A claim that cannot be released ends with the process.
    static_cast<void>(write([this](SQLite::Database& open) -> Status {
        for (const ProgramId program : claims) {
            statement(open, "DELETE FROM claims WHERE program = ?", program.value).exec();
        }
        return Success{};
    }));
}

Status Session::claimHistory(ProgramId program) {
    if (std::ranges::find(m_impl->claims, program) != m_impl->claims.end()) return Success{};
    const Status claimed =
        m_impl->write([&](SQLite::Database& database) { return takeHistory(database, m_impl->path, program); });
    if (claimed) m_impl->claims.push_back(program);
    return claimed;
}

}  // namespace mitos::storage
