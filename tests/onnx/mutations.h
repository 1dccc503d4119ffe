// SPDX-License-Identifier: GPL-3.0-or-later
// Breaking files.
#pragma once

#include "core/base/random.h"

#include <algorithm>
#include <string>

namespace mitos::tests {

/// The bytes, cut off or with a few of them flipped, changed, repeated, lost or moved.
inline std::string mutated(std::string bytes, Random& random) {
    if (bytes.empty()) return bytes;
    if (random.chance(0.1)) return bytes.substr(0, random.below(bytes.size()));
    for (std::size_t count = 1 + random.below(4); count > 0 && !bytes.empty(); --count) {
        const std::size_t at = random.below(bytes.size());
        const std::size_t length = std::min<std::size_t>(1 + random.below(16), bytes.size() - at);
        switch (random.below(7)) {
            case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); break;
            case 1: bytes[at] = static_cast<char>(random.below(256)); break;
            case 2: bytes.insert(at, bytes.substr(at, length)); break;
            case 3: bytes.erase(at, length); break;
            case 4: bytes[at] = static_cast<char>(random.chance(0.5) ? 0x7F : 0xFF); break;
            case 5: bytes[at] = static_cast<char>(random.below(4)); break;
            default: bytes.replace(at, length, bytes.substr(random.below(bytes.size()), length));
        }
    }
    return bytes;
}

}  // namespace mitos::tests
