// SPDX-License-Identifier: GPL-3.0-or-later
// Runs programs in their loop form as they are written, and counts what they do. It checks lowering and passes without a compiler.
#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/ir/term_bank.h"
#include "core/loops/form.h"

#include <cstdint>
#include <map>
#include <string>

namespace mitos::loops {

/// Work that was done. Integers are indices and sizes; arithmetic on them is not counted, and neither are checks that can be switched off.
struct Counts {
    std::uint64_t additions = 0;  ///< sums, differences and signs of Floats
    std::uint64_t multiplications = 0;
    std::uint64_t divisions = 0;
    std::uint64_t comparisons = 0;                    ///< of two Floats
    std::map<std::string, std::uint64_t> calls = {};  ///< of functions of one Float or two, by name
    std::uint64_t read = 0;                           ///< bytes of numbers in vectors, as if there was no cache
    std::uint64_t written = 0;
    std::uint64_t allocations = 0;  ///< vectors and tensors with elements that were made or copied

    std::uint64_t iterations = 0;  ///< of loops

    /// Arithmetic and comparisons of Floats, and calls of functions, one each.
    [[nodiscard]] std::uint64_t operations() const;
    friend bool operator==(const Counts&, const Counts&) = default;
};

struct Interpretation {
    eval::Value value;
    std::string printed;
    Counts counts;
};

/// Runs the last function. An element is only read or written where there is one, also where exported code does not look, and a number only
/// after it was set. Errors: Evaluation (where the program fails, or such a check does), Limit (more than `steps` expressions and
/// statements), Unsupported (arguments that are functions).
[[nodiscard]] Result<Interpretation> interpret(const ir::TermBank& bank, const Program& program,
                                               const eval::Inputs& inputs, std::uint64_t steps = 1'000'000'000);

}  // namespace mitos::loops
