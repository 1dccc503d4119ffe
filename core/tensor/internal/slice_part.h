// SPDX-License-Identifier: GPL-3.0-or-later
// The part of one axis that a slice takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace mitos::tensor {

/// The end of a slice that reaches to the end of the axis.
inline constexpr std::int64_t ToTheEnd = std::numeric_limits<std::int64_t>::max();

struct SlicePart {
    std::int64_t start = 0;
    std::int64_t count = 0;
    std::int64_t step = 1;
};

/// The part of an axis of that size: negative bounds count from its end, and those outside are clamped. The step is not 0.
[[nodiscard]] inline SlicePart partOf(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (start < 0) start += size;
    if (end < 0) end += size;
    std::int64_t length = 0;
    if (step > 0) {
        start = std::clamp<std::int64_t>(start, 0, size);
        length = std::clamp<std::int64_t>(end, 0, size) - start;
    } else {
        start = std::clamp<std::int64_t>(start, 0, std::max<std::int64_t>(0, size - 1));
        length = size == 0 ? 0 : start - std::clamp<std::int64_t>(end, -1, size - 1);
    }
    if (length <= 0) return {};
    return {start, (length - 1) / std::abs(step) + 1, step};
}

}  // namespace mitos::tensor
