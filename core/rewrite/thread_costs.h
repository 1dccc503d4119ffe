// SPDX-License-Identifier: GPL-3.0-or-later
// The costs in the text of a thread. Rewriting knows no cost model: whoever does can check what the text says.
#pragma once

#include "core/rewrite/step.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::rewrite {

/// What is said of the states' costs.
struct StatedCosts {
    std::string model;  ///< as cost::findCostModel takes it; empty: not said
    struct Cost {
        std::optional<double> value;  ///< none: not said
        int line = 0;                 ///< of the text
    };
    std::vector<Cost> states;  ///< the start first
};

/// As writeThread wrote them. Errors: what is no thread, as readThread; nothing is replayed.
[[nodiscard]] Result<StatedCosts> statedCosts(const SourceText& source);

}  // namespace mitos::rewrite
