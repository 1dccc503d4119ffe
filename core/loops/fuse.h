// SPDX-License-Identifier: GPL-3.0-or-later
// Computes elements where they are read.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A vector of Floats, or a matrix, that one nest fills and whose elements are only read is not stored, if its elements are cheap to compute,
/// or if each is read once in one other nest. Nothing is repeated but single operations, what may fail is computed for each element, and
/// values stay the same, bit for bit.
void fuse(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
