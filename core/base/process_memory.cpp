// SPDX-License-Identifier: GPL-3.0-or-later
// Reads /proc (Linux).
#include "core/base/process_memory.h"

#include <fstream>
#include <malloc.h>
#include <unistd.h>

namespace mitos {

std::uint64_t residentBytes() {
    std::ifstream pages("/proc/self/statm");
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    if (!(pages >> all >> resident)) return 0;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void returnLargeBlocks() {
#ifdef __GLIBC__
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void returnFreedMemory() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

}  // namespace mitos
