// SPDX-License-Identifier: GPL-3.0-or-later
// A program with its history and settings, added to a session. Both programs begin their sessions so.
#pragma once

#include "storage/model_source.h"
#include "storage/session.h"
#include "storage/session_labels.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::storage {

/// Everything that a session needs to open the program again, except its runs.
struct NewProgram {
    std::string title;
    std::string source;  ///< the file's path; empty for typed text
    std::string text;
    std::string rules;  ///< names of the rule sets, with whole paths
    rules::Assumptions assumptions = rules::Assumptions::Forbidden;
    std::string costModel;
    std::optional<StoredModel> model = std::nullopt;  ///< of a tensor program
    std::vector<StoredState> states;
    std::uint32_t current = 0;  ///< the current state
    SessionLabels labels = {};
};

/// Adds the program to the session. Fails as Session does.
[[nodiscard]] Result<ProgramId> storeProgram(Session& session, const NewProgram& program);
/// Stores that rules apply, or do not apply, where the sign they require is unknown.
[[nodiscard]] std::string toText(rules::Assumptions assumptions);
/// The states of a history from `first` on.
[[nodiscard]] std::vector<StoredState> storedStates(ir::TermBank& bank, const rewrite::History& history,
                                                    std::size_t first);

}  // namespace mitos::storage
