// SPDX-License-Identifier: GPL-3.0-or-later
// Removes what nothing reads.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Variables that no result, check or output depends on disappear with the statements that fill them, unless computing these may fail.
void removeUnused(const ir::TypeTable& types, Function& function);

/// Marks parameters, and declarations that stay because their values may fail, of which nothing is read.
void markUnused(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
