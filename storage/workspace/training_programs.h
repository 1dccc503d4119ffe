// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of the training of a value function, from files, folders and sessions. Both programs read them so.
#pragma once

#include "core/rules/rule.h"
#include "search/rewriting/value_training_run.h"
#include "storage/workspace/program_file.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::storage {

/// A session without threads that the rules replay is an error, or stands for the first program stored in it.
enum class WithoutThreads : std::uint8_t { Fail, TakeProgram };

/// Reads programs: of a file the one that `optimize` takes; a folder means all files in it that may be programs, in order of their
/// names; a session means the checked threads of its runs, with the programs that they start from. Threads that do not replay with the rules
/// are counted and left out. Fails for a file that cannot be read, for programs of another dialect than the rules, for a folder without any, and
/// for a session without any unless its program is to be taken.
[[nodiscard]] Result<search::TrainingPrograms> trainingPrograms(const std::vector<std::string>& paths,
                                                                const rules::RuleBook& rules,
                                                                const std::stop_token& stop,
                                                                WithoutThreads withoutThreads = WithoutThreads::Fail);

/// The first program of such paths, which tells the dialect. Fails as trainingPrograms() does.
[[nodiscard]] Result<ProgramFile> firstTrainingProgram(const std::vector<std::string>& paths);

}  // namespace mitos::storage
