// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace mitos {

namespace {

namespace fs = std::filesystem;

Error readError(const std::string& path, const std::string& message, std::string hint) {
    return Error{ErrorCode::Io, fmt::format("{}: {}", path, message), std::nullopt, std::move(hint)};
}

}  // namespace

Result<std::ifstream> openFile(const std::string& path) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) return readError(path, "no such file", "check the path");
    if (fs::is_directory(status)) return readError(path, "is a folder, not a file", "name a file inside it");
    if (!fs::is_regular_file(status) && !isDescriptorName(path)) {
        return readError(path,
                         fmt::format("is not a regular file but a {}", fs::is_fifo(status)     ? "pipe"
                                                                       : fs::is_socket(status) ? "socket"
                                                                                               : "device"),
                         "name a file");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) return readError(path, std::strerror(errno), "check its permissions");
    return file;
}

bool isDescriptorName(std::string_view path) {
    if (path == "-" || path == "/dev/stdin") return true;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        const std::string_view number = path.substr(folder.size());
        return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
    }
    return false;
}

}  // namespace mitos
