// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of few elements become numbers, before loops are made of a program.
#pragma once

#include "core/ir/term_bank.h"
#include "core/ir/term_origins.h"

#include <memory>

namespace mitos::loops {

/// A program in a bank of its own.
struct OwnProgram {
    std::unique_ptr<ir::TermBank> bank;
    ir::Program program;
};

/// The program with vectors of at most 16 elements, whose length the program states, replaced by their elements, and with the calls opened
/// that hand such vectors around (open_calls.h). Reading an element of such a vector is the element; sums, multiples, inner products,
/// small loops and branches of such vectors are written out; tuples likewise. A vector that must exist as a whole is made once.
///
/// The values of the result are those of the program, bit for bit but for the signs of NaNs. What fails fails, though perhaps with another of
/// several errors; but vectors that nothing uses are not computed, even if that would fail. The program grows by a constant factor at most; the work is linear in its size. A program that prints or
/// measures is returned as it is, and so are functions without a body. Only for programs of the dialect ks. `origins`, if it is not null,
/// gets for the terms of the result the numbers (`value`) of the terms of the program that they are made for; what comes from an opened
/// call is made for the call. A term without an entry belongs to the term around it.
[[nodiscard]] OwnProgram withStaticVectors(const ir::TermBank& bank, const ir::Program& program,
                                           ir::TermOrigins* origins = nullptr);

}  // namespace mitos::loops
