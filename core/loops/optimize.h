// SPDX-License-Identifier: GPL-3.0-or-later
// All passes over the loop form.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// Runs the passes in their order: sizes get one name each, elements are computed where they are read, loops run along rows, equal work is done once, what loops
/// repeat moves out of them, and buffers are made once. Every pass keeps all values, bit for bit.
void optimize(const ir::TypeTable& types, Program& program);

}  // namespace mitos::loops
