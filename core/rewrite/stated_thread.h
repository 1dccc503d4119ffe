// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the data stated in the text of a thread without replaying it. core/rewrite has no cost models: callers that have one can check
// the costs.
#pragma once

#include "core/rewrite/step.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::rewrite {

struct StatedThread {
    std::string costModel;  ///< as cost::findCostModel takes it; empty if not stated
    struct State {
        std::uint64_t hash = 0;      ///< the content hash of the program
        std::optional<double> cost;  ///< nothing if not stated
        int line = 0;                ///< line number in the text
    };
    std::vector<State> states;       ///< in order, the start first
    std::vector<std::string> rules;  ///< names of the directions that the steps use, in their order
};

/// Reads a text that writeThread wrote. Fails, like readThread, if it is not a thread; nothing is replayed.
[[nodiscard]] Result<StatedThread> statedThread(const SourceText& source);

/// A hash of the texts of the rules that the thread uses, independent of the places where they are written.
[[nodiscard]] std::uint64_t rulesHash(const Thread& thread);
/// The same hash for the rules that now have these names. Nothing if there is no rule of some name.
[[nodiscard]] std::optional<std::uint64_t> rulesHash(const StatedThread& thread, const rules::RuleBook& rules);

}  // namespace mitos::rewrite
