// SPDX-License-Identifier: GPL-3.0-or-later
// Leaves out zeros to which numbers are added.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A vector of zeros is not needed if the loop that comes first sets each element instead of adding to it, nor is the 0.0 of a sum, if nothing
/// that the function gives depends on the sign of a zero there. Where it does, the elements of a vector that is used again are set to the sums of
/// 0.0 and what was added.
void omitZeros(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
