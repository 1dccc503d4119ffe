// SPDX-License-Identifier: GPL-3.0-or-later
// Writing files piece by piece, as writeFile (source_text.h) writes whole ones.
#pragma once

#include "core/base/result.h"

#include <absl/functional/function_ref.h>

#include <iosfwd>
#include <string>

namespace mitos {

/// Writes into a file beside it and renames that at the end: the file is the old one or the new one, never half of it, and
/// who has the old one mapped keeps it. "-" is standard output; pipes and devices are written into. Errors: as writeFile;
/// what `write` reports, and then nothing has changed.
[[nodiscard]] Status writeFileWith(const std::string& path, absl::FunctionRef<Status(std::ostream&)> write);

}  // namespace mitos
