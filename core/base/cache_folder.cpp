// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the XDG base directory specification.
#include "core/base/cache_folder.h"

#include <cstdlib>

namespace mitos {

namespace {

/// The folder that a variable of the environment names; relative ones are invalid.
std::filesystem::path folderIn(const char* variable) {
    const char* const value = std::getenv(variable);
    const std::filesystem::path folder(value == nullptr ? "" : value);
    return folder.is_absolute() ? folder : std::filesystem::path();
}

}  // namespace

std::filesystem::path cacheFolder() {
    if (const std::filesystem::path caches = folderIn("XDG_CACHE_HOME"); !caches.empty()) return caches / "mitos";
    const std::filesystem::path home = folderIn("HOME");
    return home.empty() ? home : home / ".cache" / "mitos";
}

}  // namespace mitos
