// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes of the networks that Mitos can build.
#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

namespace mitos::views {

struct NetworkSize {
    std::size_t paper = 0;  ///< operators of the graph as in the papers, without constants and weights
    std::size_t realistic = 0;
};

/// Sizes of all networks, in their order; fewer if it is stopped. Builds each network, so call it off the GUI thread.
[[nodiscard]] std::vector<NetworkSize> networkSizes(const std::stop_token& stop);

}  // namespace mitos::views
