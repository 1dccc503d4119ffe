// SPDX-License-Identifier: GPL-3.0-or-later
// The commit that the program was built from.
#pragma once

#include <string>

namespace mitos::cli {

/// Its abbreviated hash, with a remark if files differed from it; "unknown" if the sources were not in a Git repository. Known as of the
/// build of this program.
[[nodiscard]] std::string commitText();

}  // namespace mitos::cli
