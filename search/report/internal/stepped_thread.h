// SPDX-License-Identifier: GPL-3.0-or-later
// A thread as the steps that the page shows: each with its rule, place, cost, and the program after it with its changes marked.
#pragma once

#include "core/rules/rule.h"
#include "search/run.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mitos::search::report {

/// A state of the thread; the first one is the start, which no rule reaches.
struct ShownState {
    std::string rule;            ///< name of the step
    std::string place;           ///< in words: "in mat_y", "mat_y" for the let itself, "conv1"; may be empty
    std::string before;          ///< the replaced subterm; empty in graphs, and if it is no short line
    std::string after;           ///< what replaces it, likewise
    std::optional<double> cost;  ///< nothing if the thread does not state it
    /// The program as HTML: `ins` marks what the step changed, `u` what the next one replaces. Parts far from both are left out of
    /// long programs. Empty if it is left out.
    std::string program;
};

struct SteppedThread {
    std::vector<ShownState> states;  ///< empty if the text is not a thread
    std::string note;                ///< what is left out, and why; plain text
    std::string start;               ///< the programs in their exchange form; empty if the thread could not be replayed
    std::string end;
};

/// Reads and replays the thread of a run. `bytes` limits the programs of all states together. If the thread cannot be replayed, since
/// the rules lack one of its names, the states are those that its text states, without programs, and the note says why.
[[nodiscard]] SteppedThread steppedThread(const Run& run, const rules::RuleBook& rules, std::size_t bytes);

}  // namespace mitos::search::report
