// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that this process uses.
#pragma once

#include <cstdint>

namespace mitos {

/// Bytes of resident memory of this process; 0 if the system does not report it.
[[nodiscard]] std::uint64_t residentBytes();

/// Gives the system back what was freed, as far as the allocator can.
void returnFreedMemory();

}  // namespace mitos
