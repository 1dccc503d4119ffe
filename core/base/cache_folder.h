// SPDX-License-Identifier: GPL-3.0-or-later
// The places for files of this user on this machine that are not named by the user.
#pragma once

#include <filesystem>

namespace mitos {

/// The place for files that are only kept to save time: any of them may be deleted, and computing its content again gives the same.
/// $XDG_CACHE_HOME/mitos, or ~/.cache/mitos; empty if the environment names no such folder. It need not exist.
[[nodiscard]] std::filesystem::path cacheFolder();
/// The place for files that were set up once: $XDG_CONFIG_HOME/mitos, or ~/.config/mitos; empty, or absent, as above.
[[nodiscard]] std::filesystem::path configFolder();

}  // namespace mitos
