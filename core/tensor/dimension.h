// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on dimensions. A computed size is named by what computes it, in a normal form ("N+1", "2*N", "(N+1)/2"), so
// that equal computations have equal names. Names are read as such expressions, whoever gave them.
#pragma once

#include "core/base/symbol_table.h"
#include "core/ir/type_table.h"

#include <span>
#include <string>

namespace mitos::tensor {

/// As types show it: "3", "N+1".
[[nodiscard]] std::string dimensionText(ir::Dimension dimension, const SymbolTable& symbols);

[[nodiscard]] ir::Dimension sum(ir::Dimension a, ir::Dimension b, SymbolTable& symbols);
[[nodiscard]] ir::Dimension difference(ir::Dimension a, ir::Dimension b, SymbolTable& symbols);
[[nodiscard]] ir::Dimension product(ir::Dimension a, ir::Dimension b, SymbolTable& symbols);
/// Of all of them; 1 for none.
[[nodiscard]] ir::Dimension product(std::span<const ir::Dimension> dimensions, SymbolTable& symbols);
/// Rounded down. The divisor is not 0.
[[nodiscard]] ir::Dimension quotient(ir::Dimension a, ir::Dimension b, SymbolTable& symbols);

/// Whether the two can be the same size when the program runs: equal, or one of them is a name.
[[nodiscard]] bool mayBeEqual(ir::Dimension a, ir::Dimension b);

}  // namespace mitos::tensor
