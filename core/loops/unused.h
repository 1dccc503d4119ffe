// SPDX-License-Identifier: GPL-3.0-or-later
// Drops what nothing reads any more.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Other passes leave names behind that nothing mentions. Their declarations disappear, unless computing the value may fail: these, and
/// parameters, are marked as unused.
void dropUnused(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
