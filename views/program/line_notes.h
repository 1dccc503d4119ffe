// SPDX-License-Identifier: GPL-3.0-or-later
// What stands at the right of the lines of a program.
#pragma once

#include "views/program/code_view.h"
#include "views/program/program_tree_model.h"

#include <vector>

namespace mitos::views {

/// What each line of the reading form costs; for a graph also the types, which that form leaves out. Empty for the exchange form.
[[nodiscard]] std::vector<LineNote> lineNotes(const ProgramContent& content, ProgramText::Form form);

}  // namespace mitos::views
