// SPDX-License-Identifier: GPL-3.0-or-later
// The first bytes of a file that may be a session, and which file it is. Internal to storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mitos::storage {

/// "Mito": tells a session from other programs' databases (PRAGMA application_id).
inline constexpr std::uint32_t ApplicationId = 0x4D69746F;

struct FileHeader {
    bool isDatabase = false;          ///< an SQLite file
    std::uint32_t applicationId = 0;  ///< 0 unless isDatabase
    int version = 0;                  ///< of the schema; what is still in the log does not count
    bool endsWithinPage = false;      ///< cut off, unless a log has the rest
};

/// Read through SQLite's own file layer: closing a descriptor of our own would drop the locks that this process holds on
/// the file through other connections (sqlite.org/howtocorrupt.html, 2.2). Nothing: it cannot be read.
[[nodiscard]] std::optional<FileHeader> readHeader(const std::string& path);

/// "DEVICE:INODE", whatever the file is called; empty if there is none.
[[nodiscard]] std::string fileIdentity(const std::string& path);

}  // namespace mitos::storage
