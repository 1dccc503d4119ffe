// SPDX-License-Identifier: GPL-3.0-or-later
// The place for files that are only kept to save time: any of them may be deleted, and computing its content again gives the same.
#pragma once

#include <filesystem>

namespace mitos {

/// $XDG_CACHE_HOME/mitos, or ~/.cache/mitos; empty if the environment names no such folder. It need not exist.
[[nodiscard]] std::filesystem::path cacheFolder();

}  // namespace mitos
