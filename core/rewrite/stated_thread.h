// SPDX-License-Identifier: GPL-3.0-or-later
// What the text of a thread says without being replayed. Rewriting knows no cost model: whoever does can check the costs.
#pragma once

#include "core/rewrite/step.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mitos::rewrite {

struct StatedThread {
    std::string costModel;  ///< as cost::findCostModel takes it; empty: not said
    struct State {
        std::uint64_t hash = 0;      ///< the content hash of the program
        std::optional<double> cost;  ///< none: not said
        int line = 0;                ///< of the text
    };
    std::vector<State> states;       ///< the start first
    std::vector<std::string> rules;  ///< names of the directions that the steps use, in their order
};

/// As writeThread wrote it. Errors: what is no thread, as readThread; nothing is replayed.
[[nodiscard]] Result<StatedThread> statedThread(const SourceText& source);

/// A number that changes with the text of a rule that the thread uses, and not with the place where it is written.
[[nodiscard]] std::uint64_t rulesHash(const Thread& thread);
/// The same number of the rules that have these names now. Nothing: there is none of a name.
[[nodiscard]] std::optional<std::uint64_t> rulesHash(const StatedThread& thread, const rules::RuleBook& rules);

}  // namespace mitos::rewrite
