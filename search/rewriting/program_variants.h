// SPDX-License-Identifier: GPL-3.0-or-later
// Programs like others: their parts exchanged, so that a few programs to learn from become many.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos {
class Random;
}

namespace mitos::search {

/// The program with one or two of its subterms, wherever they occur, replaced by subterms of `other` with the same type, all without loose bound
/// variables and of few nodes. `bank` holds both, and the result. Returns the program itself if there is nothing to exchange.
[[nodiscard]] ir::Program variantOf(ir::TermBank& bank, const ir::Program& program, const ir::Program& other,
                                    Random& random);

}  // namespace mitos::search
