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

std::filesystem::path folderOf(const char* variable, const char* inHome) {
    if (const std::filesystem::path named = folderIn(variable); !named.empty()) return named / "mitos";
    const std::filesystem::path home = folderIn("HOME");
    return home.empty() ? home : home / inHome / "mitos";
}

}  // namespace

std::filesystem::path cacheFolder() { return folderOf("XDG_CACHE_HOME", ".cache"); }

std::filesystem::path configFolder() { return folderOf("XDG_CONFIG_HOME", ".config"); }

}  // namespace mitos
