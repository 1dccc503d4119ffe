// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs as a dialect.
#pragma once

#include "core/ir/dialect.h"

namespace mitos::tensor {

/// Programs are graphs, and listings as text (text.h). core/eval adds its semantics of arrays.
[[nodiscard]] ir::Dialect dialect();

}  // namespace mitos::tensor
