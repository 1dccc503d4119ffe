// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as one writes them on paper: the reading form of ks, beside the exchange form of module.h.
#pragma once

#include "core/ir/function.h"
#include "core/ir/printed_text.h"
#include "core/ir/term_bank.h"

namespace mitos::ks {

/// The definition of the program, without its callees, with the place of every subterm. A line for each `let` ahead of the result;
/// infix operators with the parentheses that the tree needs and no others; `build` as indices at the left, `[i<n] …`, or in the name
/// that it defines, `X[i<n] = …`; sums as Σ i<n: …; `index` as subscripts; `if` as cases. Lets that only name the elements of the
/// parameter (`(let (alpha (get$1$2 p)) …)`) become names in the signature. `to_float` is not written, and Integers divide by ÷.
/// Lines are broken at about 100 columns where the outermost operator allows it.
///
/// As LaTeX, an environment `align*` (package amsmath).
[[nodiscard]] ir::PrintedText printMath(const ir::TermBank& bank, const ir::Program& program, ir::MathForm form);

}  // namespace mitos::ks
