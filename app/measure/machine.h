// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the processor, the libraries and their settings, on which times depend besides the operation.
#pragma once

#include "app/measure/settings.h"

#include <string>

namespace mitos::measure {

/// Sets LibTorch and the allocator up. Throws std::runtime_error, with a message for the user, if the device is not there.
void setUp(const Settings& settings);

/// The line that says what times depend on: "setup<TAB>device=cpu<TAB>…" (README.md).
[[nodiscard]] std::string setupLine(const Settings& settings);

/// Half of the machine's memory.
[[nodiscard]] double defaultMemoryBytes();

}  // namespace mitos::measure
