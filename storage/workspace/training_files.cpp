// SPDX-License-Identifier: GPL-3.0-or-later
#include "storage/workspace/internal/training_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mitos::storage {

Result<std::vector<std::string>> filesAt(const std::string& path, const std::vector<std::string>& endings,
                                         std::string_view what) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
    std::vector<std::string> files;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code unknown;
        const std::string name = entry->path().filename().string();
        const bool isWanted =
            std::ranges::any_of(endings, [&](const std::string& ending) { return name.ends_with(ending); });
        if (isWanted && entry->is_regular_file(unknown)) files.push_back(entry->path().string());
    }
    if (error) return Error{ErrorCode::Io, fmt::format("{}: {}", path, error.message()), std::nullopt, ""};
    if (files.empty()) {
        return inputError(fmt::format("{} has no {}", path, what),
                          fmt::format("give a folder with files that end in {}", fmt::join(endings, ", ")));
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace mitos::storage
