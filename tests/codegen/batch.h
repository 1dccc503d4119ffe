// SPDX-License-Identifier: GPL-3.0-or-later
// Exported programs that are compiled together, because a compiler's start is what takes time, and run on inputs.
#pragma once

#include "core/base/result.h"
#include "core/codegen/cpp.h"
#include "core/eval/evaluator.h"

#include <string>
#include <vector>

namespace mitos::tests {

/// Values as words, those of an array after its sizes, which stand in brackets. A failure is the word "error:", and mostly a message.
struct Run {
    std::string input;     ///< the arguments
    std::string expected;  ///< the value; "error:" alone stands for all messages
    /// A value that is right, too, where the evaluator fails because of something that is not used; else empty.
    std::string orElse = {};

    [[nodiscard]] bool fails() const { return expected.starts_with("error:"); }
};

struct Case {
    std::string name;
    std::string source;  ///< C++, with the function f
    std::vector<Run> runs;
};

/// A program as it is exported, without runs. If it cannot be, its source does not compile. Values are those of the loop form to the last bit only if summands are
/// added in order.
[[nodiscard]] Case exported(const ir::TermBank& bank, const ir::Program& program, std::string name,
                            codegen::Sums sums = codegen::Sums::InOrder);

/// A run on inputs. Expected is what the loop form computes before all passes, bit for bit, if that is the evaluator's value up to rounding
/// and the signs of zeros; else the evaluator's value. Nothing if the evaluator does not come to an end.
[[nodiscard]] std::vector<Run> evaluated(const ir::TermBank& bank, const ir::Program& program,
                                         const eval::Inputs& inputs, const eval::Limits& limits);

/// One file that reads the inputs of all runs and writes a line for each.
[[nodiscard]] std::string batchSource(const std::vector<Case>& cases);

/// The flags for both sanitizers and for all warnings as errors. The compiler does not compute functions itself, since the library rounds
/// some of them in another way.
[[nodiscard]] std::vector<std::string> sanitized();

/// Compiles that file with these flags and keeps its text where MITOS_KEEP_CPP says, runs it, and tells where it differs from what is expected (or that it does not compile); empty
/// if all agree.
[[nodiscard]] std::string difference(const std::vector<Case>& cases, const std::vector<std::string>& flags);

}  // namespace mitos::tests
