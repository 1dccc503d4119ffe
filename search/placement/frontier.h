// SPDX-License-Identifier: GPL-3.0-or-later
// The order of least peak memory on one device, with a proof.
#pragma once

#include "core/schedule/problem.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::search::placement {

struct FrontierLimits {
    std::size_t states = 500'000;  ///< most sets of operations that are kept
    std::stop_token stop = {};
};

struct MemoryOrder {
    std::vector<std::uint32_t> order;
    std::uint64_t peak = 0;    ///< bytes
    std::uint64_t bound = 0;   ///< no order has a lower peak
    std::uint64_t states = 0;  ///< sets of operations that were looked at

    [[nodiscard]] bool isProven() const { return bound == peak; }
};

/// Dynamic programming over the sets of operations that have run, since what is in memory depends on the set alone (as in Ahn et al., "Ordering chaos:
/// memory-aware scheduling of irregularly wired neural networks for edge devices", 2020). Sets are looked at by the least peak with
/// which they are reached, so that the first complete one is optimal. An operation that needs no more than the peak so far and leaves no more
/// in memory than before runs at once, which is never worse. Where all that is left depends on one operation, all other sets are dropped. Starts with the
/// best of XLA's orders, which is the answer if a limit is reached. Machine and placement play no part.
[[nodiscard]] MemoryOrder leastMemoryOrder(const schedule::Problem& problem, const FrontierLimits& limits = {});

}  // namespace mitos::search::placement
