// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a training reads.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::storage {

/// The file itself, or the files of a folder with one of these endings, in order of their names. Fails if a folder has none of `what`.
[[nodiscard]] Result<std::vector<std::string>> filesAt(const std::string& path, const std::vector<std::string>& endings,
                                                       std::string_view what);

}  // namespace mitos::storage
