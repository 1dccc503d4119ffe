// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of one element become their element.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A vector that is made with one element, and of which only the element is read and written, becomes a variable for the element: sparse
/// builds of derivatives have such places for tangents without an index. A second name for the variable disappears, and what is
/// returned is moved. Values stay the same, bit for bit.
void unwrapSingles(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
