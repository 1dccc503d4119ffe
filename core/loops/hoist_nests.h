// SPDX-License-Identifier: GPL-3.0-or-later
// Moves whole nests out of the loops that repeat them.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A number or a vector that loops inside of a loop compute, from nothing that the outer loop changes, is computed before the outer one: the
/// sum of a normalization, or a table. Where the outer loop may make no iteration, nothing is computed. Conditional code is left
/// alone, and so are loops that may be left early. Values stay the same, bit for bit. Only for functions that neither print nor measure,
/// and call none that do.
void hoistNests(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
