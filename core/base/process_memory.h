// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that this process uses.
#pragma once

#include <cstdint>

namespace mitos {

/// Bytes of resident memory of this process; 0 if the system does not report it.
[[nodiscard]] std::uint64_t residentBytes();

/// Gives the system back what was freed, as far as the allocator can.
void returnFreedMemory();

/// From now on, blocks of 1 MiB and more go back to the system as soon as they are freed. Otherwise the allocator keeps those of tables that
/// have grown, and the process takes much more memory than its tables, which no limit on memory counts.
void returnLargeBlocks();

}  // namespace mitos
