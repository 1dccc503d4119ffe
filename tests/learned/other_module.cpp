// SPDX-License-Identifier: GPL-3.0-or-later
// A library as another version of this program would have it beside itself, or one for a newer LibTorch than there is.
#include <cstdint>

#ifdef MITOS_NEEDS_MORE
/// Declared by no library.
extern "C" int functionOfALaterLibTorch();
#endif

extern "C" const void* mitosLearnedModule();
extern "C" const void* mitosLearnedModule() {
#ifdef MITOS_NEEDS_MORE
    static const std::uint32_t version = static_cast<std::uint32_t>(functionOfALaterLibTorch());
#else
    static const std::uint32_t version = 999;
#endif
    return &version;
}
