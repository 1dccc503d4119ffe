// SPDX-License-Identifier: GPL-3.0-or-later
// How large the networks are that can be made.
#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

namespace mitos::views {

struct NetworkSize {
    std::size_t paper = 0;  ///< operators of the graph as in the papers; constants and weights apart
    std::size_t realistic = 0;
};

/// Of every network, in their order; fewer if it was stopped. Makes each of them: away from the GUI thread.
[[nodiscard]] std::vector<NetworkSize> networkSizes(const std::stop_token& stop);

}  // namespace mitos::views
