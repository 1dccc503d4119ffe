// SPDX-License-Identifier: GPL-3.0-or-later
// One node of a graph by itself: whether it is computed before the program runs, and leaves to price it over.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

#include <cstddef>

namespace mitos::cost {

/// Whether a node depends on weights and constants only, so that it is computed before the program runs, if this is so of the
/// children of which `isOffline` says so.
[[nodiscard]] bool isOffline(const ir::TermBank& bank, ir::TermId node,
                             absl::FunctionRef<bool(std::size_t child)> isOffline);

/// A leaf of the type that is an input, or a weight if `isOffline`; neither costs anything to compute. Leaves of different
/// numbers are different. For a bank whose registry has the tensor dialect.
[[nodiscard]] ir::TermId leaf(ir::TermBank& bank, ir::TypeId type, bool isOffline, std::size_t number);

}  // namespace mitos::cost
