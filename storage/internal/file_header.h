// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the header of a file that may be a session, and identifies the file. Internal to storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mitos::storage {

/// "Mito", which distinguishes a session from the databases of other programs (PRAGMA application_id).
inline constexpr std::uint32_t ApplicationId = 0x4D69746F;

struct FileHeader {
    bool isDatabase = false;          ///< an SQLite file
    std::uint32_t applicationId = 0;  ///< 0 unless isDatabase
    int version = 0;                  ///< schema version, without changes that are still in the log
    bool endsWithinPage = false;      ///< the file is truncated, unless a log contains the rest
};

/// Reads the header, or returns nothing if the file cannot be read. Reads through SQLite's own file layer, since closing a separate
/// descriptor would drop the locks that this process holds on the file through other connections (sqlite.org/howtocorrupt.html, 2.2).
[[nodiscard]] std::optional<FileHeader> readHeader(const std::string& path);

/// "DEVICE:INODE", which is independent of the file's name; empty if there is no such file.
[[nodiscard]] std::string fileIdentity(const std::string& path);

}  // namespace mitos::storage
