// SPDX-License-Identifier: GPL-3.0-or-later
// Adds to vectors without others between.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A vector that is only made to be added to a place is not made: zeros to which numbers are added, or elements that are set once. They are
/// added to the place, to which others may be added at the same time, but which nothing reads or changes. So are the rows of a matrix that
/// has the shape of the place. Summands may be added in another order.
void addToTargets(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
