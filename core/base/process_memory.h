// SPDX-License-Identifier: GPL-3.0-or-later
// What this process takes of the machine's memory.
#pragma once

#include <cstdint>

namespace mitos {

/// The resident memory of this process; 0 where the system does not tell.
[[nodiscard]] std::uint64_t residentBytes();

/// Gives the system back what was freed, as far as the allocator can.
void returnFreedMemory();

}  // namespace mitos
