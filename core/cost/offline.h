// SPDX-License-Identifier: GPL-3.0-or-later
// A single node of a graph: whether it is computed before the program runs, and leaves on which its cost can be computed.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

#include <cstddef>

namespace mitos::cost {

/// Whether a node depends on weights and constants only, so that it is computed before the program runs; `isOffline` reports this for its
/// children.
[[nodiscard]] bool isOffline(const ir::TermBank& bank, ir::TermId node,
                             absl::FunctionRef<bool(std::size_t child)> isOffline);

/// A leaf of the type: an input, or a weight if `isOffline`. Neither costs anything to compute. Leaves of different numbers are
/// different. The bank's registry must have the tensor dialect.
[[nodiscard]] ir::TermId leaf(ir::TermBank& bank, ir::TypeId type, bool isOffline, std::size_t number);

}  // namespace mitos::cost
