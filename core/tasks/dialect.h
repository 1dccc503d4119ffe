// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs as a dialect.
#pragma once

#include "core/ir/dialect.h"

namespace mitos::tasks {

/// Programs are graphs whose nodes are operations (program.h). Texts are those of files/any_graph.h; the printed one is that of
/// files/task_text.h. There are no rules for them and no values: they are priced and scheduled.
[[nodiscard]] ir::Dialect dialect();

}  // namespace mitos::tasks
