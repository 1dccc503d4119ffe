// SPDX-License-Identifier: GPL-3.0-or-later
// The work of statements of the loop form: arithmetic, calls, and bytes of vectors that are read and written.
#pragma once

#include "core/ir/term_bank.h"
#include "core/loops/amount.h"
#include "core/loops/form.h"

#include <map>
#include <string>
#include <vector>

namespace mitos::loops {

/// Bytes are those that the statements name, as if nothing stayed in a cache. Of two branches, that with more of each counts, and a loop
/// with early exits is counted to its end, so all amounts are upper bounds.
struct Work {
    Amount operations = {};                    ///< sums, differences, products, quotients and signs of Floats
    std::map<std::string, Amount> calls = {};  ///< by name: functions of Floats, of the program, and of whole vectors
    Amount read = {};                          ///< bytes of numbers in vectors and tensors
    Amount written = {};

    Work& operator+=(const Work& other);
    friend bool operator==(const Work&, const Work&) = default;
};

/// The work of so many repetitions.
[[nodiscard]] Work repeated(const Work& work, const Amount& times);

/// The work of a statement of the function, with the statements inside of it. Sizes are named as in its text.
[[nodiscard]] Work workOf(const ir::TermBank& bank, const Program& program, const Function& function,
                          const Statement& statement);

/// The same amounts one by one: "3*n operations", "n exp".
[[nodiscard]] std::vector<std::string> amountTexts(const Work& work);

/// How the work grows, in one line: of each amount only the products of most sizes, after ~ if others are left out, and all bytes
/// together: "3*n op, n exp, 24*n B".
[[nodiscard]] std::string growthText(const Work& work);

/// "3*n operations, n exp, 16*n bytes read, 8*n bytes written"; what there is none of is left out.
[[nodiscard]] std::string text(const Work& work);

}  // namespace mitos::loops
