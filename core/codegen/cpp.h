// SPDX-License-Identifier: GPL-3.0-or-later
// C++ from ks programs, and checking that it computes what the program means.
#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/ir/term_bank.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::codegen {

struct CppOptions {
    std::string functionName;  ///< empty: the program's, made a C++ identifier
    bool testMain = false;  ///< append a main() that runs the function once on small fixed inputs and prints the result
    std::string comment;    ///< put at the top, a line comment each line (the thread it came from)
    /// Everything but main() stands in a namespace of this name, so that several files can be linked into one program and a
    /// header can name the types; made a C++ identifier. Empty: the function is a global one.
    std::string nameSpace = {};
};

/// One self-contained file: standard library only, plain loops, readable names. Vectors of vectors are std::vector.
/// Covers the whole language that the evaluator runs. Errors: edefs without a body, constructs without C++ (named).
[[nodiscard]] Result<std::string> emitCpp(const ir::TermBank& bank, const ir::Program& program,
                                          const CppOptions& options = {});

/// The declaration of the function that emitCpp writes with the same options, and the types that it takes: a header for
/// other files. Errors: as emitCpp.
[[nodiscard]] Result<std::string> emitCppHeader(const ir::TermBank& bank, const ir::Program& program,
                                                const CppOptions& options = {});

/// A namespace for the program in that file: ks_ and the file's name without folder and ending, or the program's name if the
/// file has none.
[[nodiscard]] std::string nameSpaceFor(const ir::TermBank& bank, const ir::Program& program, const std::string& file);

struct CheckOptions {
    int samples = 16;
    std::uint64_t seed = 1;
    std::int64_t timingSize = 0;     ///< every size while timing; 0: chosen so that one run takes some milliseconds
    double secondsPerProgram = 1.0;  ///< timing budget
    double compileSeconds = 120.0;
    std::string compiler = "c++";  ///< found on PATH
    std::stop_token stop = {};
    std::vector<eval::AssumedSign> assumptions = {};  ///< values are compared on inputs on which all of these hold
};

/// Seconds; of shorter calls the loop around them is as large a part as the call.
inline constexpr double ShortCall = 1e-7;

struct CheckReport {
    bool compiled = false;
    bool passed = false;
    int samples = 0;
    double maxError = 0.0;       ///< eval::deviation between the compiled output program and the evaluator
    double inputSeconds = 0.0;   ///< median wall time of a call of the compiled input program
    double outputSeconds = 0.0;  ///< of the compiled output program; both run alternately in one process
    int repetitions = 0;
    std::int64_t timingSize = 0;
    std::string compilerVersion;
    std::string flags;
    /// Whether both take so little that their times say nothing about the programs.
    [[nodiscard]] bool tooShort() const { return inputSeconds < ShortCall && outputSeconds < ShortCall; }
    std::string message;  ///< compiler's complaint or the first difference, if not passed
};

/// Compiles the input and the output program alike into one program in a private temporary folder (removed afterwards),
/// runs both on the same random inputs, compares the output program with the evaluator on the *input* program, and
/// times both alternately. Errors: no compiler, no space, cancelled.
[[nodiscard]] Result<CheckReport> checkCpp(const ir::TermBank& bank, const ir::Program& input,
                                           const ir::Program& output, const CheckOptions& options = {});

}  // namespace mitos::codegen
