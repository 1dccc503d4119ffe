// SPDX-License-Identifier: GPL-3.0-or-later
// Parses the header of SQLite's file format (section 1.3 of its documentation).
#include "storage/internal/file_header.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace mitos::storage {

namespace {

constexpr std::string_view Signature("SQLite format 3\0", 16);
constexpr std::size_t HeaderSize = 100;
constexpr std::size_t PageSizeAt = 16;  // big-endian, as all numbers; two bytes, where 1 means 65536
constexpr std::size_t UserVersionAt = 60;
constexpr std::size_t ApplicationIdAt = 68;

using Bytes = std::array<unsigned char, HeaderSize>;

std::uint32_t bigEndian(const Bytes& header, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = (value << 8U) | header[at + i];
    return value;
}

/// Reads the header. Returns SQLITE_OK also for files that are shorter; the rest is then zero.
int readStart(const std::string& path, Bytes& bytes) {
    sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
    std::vector<std::max_align_t> memory(static_cast<std::size_t>(system->szOsFile) / sizeof(std::max_align_t) + 1);
    auto* file = reinterpret_cast<sqlite3_file*>(memory.data());
    std::string name = std::filesystem::absolute(path).string();
    name.push_back('\0');  // SQLite requires names of databases to end with two zeros
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    int result = system->xOpen(system, name.c_str(), file, flags, nullptr);
    if (result == SQLITE_OK) {
        result = file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);
        if (result == SQLITE_IOERR_SHORT_READ) result = SQLITE_OK;
    }
    if (file->pMethods != nullptr) file->pMethods->xClose(file);
    return result;
}

}  // namespace

std::optional<FileHeader> readHeader(const std::string& path) {
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(path, failure);
    Bytes bytes{};
    if (failure || readStart(path, bytes) != SQLITE_OK) return std::nullopt;
    FileHeader header;
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    header.isDatabase = size >= HeaderSize && std::string_view(text, Signature.size()) == Signature;
    if (header.isDatabase) {
        header.applicationId = bigEndian(bytes, ApplicationIdAt);
        header.version = static_cast<int>(bigEndian(bytes, UserVersionAt));
        const unsigned pageSize = bigEndian(bytes, PageSizeAt) >> 16U;
        header.endsWithinPage = pageSize > 1 && size % pageSize != 0;
    }
    return header;
}

std::string fileIdentity(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return {};
    return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

}  // namespace mitos::storage
