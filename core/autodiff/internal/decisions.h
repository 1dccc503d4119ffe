// SPDX-License-Identifier: GPL-3.0-or-later
// The decisions that a program takes on its Floats: comparisons, signs in abs, the larger operand in max.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"

namespace mitos::autodiff {

/// A program of the same signature and value that prints every decision ($trace). Two inputs between which no decision changes lie on
/// one smooth piece. Existing output is left out. Callees are copied.
[[nodiscard]] Result<ir::Program> printingDecisions(ir::TermBank& bank, const ir::Program& program);

}  // namespace mitos::autodiff
