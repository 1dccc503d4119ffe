// SPDX-License-Identifier: GPL-3.0-or-later
// Splits the ranges of loops where conditions on their indices change.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/form.h"

namespace mitos::loops {

/// A condition on the index of a loop that holds in all iterations, or in none, is not asked. A loop whose iterations look whether they may
/// read an element, as at the edges of an image, becomes one over the first iterations, one over those in the middle, which need not look,
/// and one over the last (index set splitting, Halide's loop partitioning): compilers vectorize the middle one. Each iteration does what it
/// did, in the same order.
///
/// Loops are split that go forwards from 0 over a size, and have at most eight statements, which compute numbers by arithmetic, without a
/// loop, an exponential or such a function, which would take longer than the condition. All conditions that decide about statements, or about
/// a value with an element, have to be known in the middle: comparisons of the index, perhaps plus or minus what stays the same in the loop,
/// with what stays the same, and `and`, `or` and `not` of such ones. They split the range at two places at most: one after which an iteration
/// is not among the first, and one from which on it is among the last. An index is equal to a number at an end of the range only. Sums of
/// Integers that might not fit into 64 bits are left alone. The first and the last iterations may still look at what is not known of them;
/// those that only add zeros to a number that stays the same are left out.
void splitRanges(const ir::TypeTable& types, Function& function);

}  // namespace mitos::loops
