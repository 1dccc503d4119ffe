// SPDX-License-Identifier: GPL-3.0-or-later
// The summary of a session file, for lists of sessions.
#pragma once

#include "core/base/result.h"
#include "search/run.h"
#include "storage/session_labels.h"

#include <string>
#include <vector>

namespace mitos::storage {

/// What a list of sessions shows of one. Costs are as they were stored; nothing is computed again.
struct SessionSummary {
    std::string title;       ///< of the program opened last, like all that follows
    std::string openedAt;    ///< when the session was begun: ISO 8601, UTC
    SessionLabels labels;    ///< of the session
    std::size_t states = 0;  ///< of its history, the start included
    std::size_t runs = 0;
    /// The costs at the start and the end of the run that saved the largest part; if there was no run but trainings, of the start and of the
    /// cheapest state. Not a number if they are unknown.
    double initialCost = 0.0;
    double bestCost = 0.0;
    std::string bestStrategy;             ///< of that run; empty if there was none
    std::vector<std::string> strategies;  ///< of all runs, each once
    bool isInUse = false;                 ///< a running process extends the history
    /// The process that extended the history ended without closing the session: it was killed, or it crashed.
    bool wasCutOff = false;
    /// Of that run, up to its last evaluation; if there was none, of the states in the order in which they were made.
    std::vector<search::Improvement> curve;
};

/// Reads the summary of a session file and changes nothing: no log is written and no schema is migrated. A lock of another program is
/// waited for half a second only. Errors are those of Session::open(), Io if there is no such file, and InvalidInput if the session
/// has no program.
[[nodiscard]] Result<SessionSummary> summaryOf(const std::string& path);

/// The text of the program that the summary is about. Reads the file, and fails, as summaryOf() does.
[[nodiscard]] Result<std::string> programTextOf(const std::string& path);

}  // namespace mitos::storage
