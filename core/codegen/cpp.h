// SPDX-License-Identifier: GPL-3.0-or-later
// Generates C++ from ks programs, and checks that it computes the same values as the program.
#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/ir/term_bank.h"
#include "core/timing/summary.h"
#include "core/timing/time_ratio.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::codegen {

/// How products of matrices are written.
enum class Products : std::uint8_t {
    Loops,  ///< plain loops in blocks
    Eigen   ///< calls of the library of that name, which the file then includes
};

/// In which order the summands of a sum are added.
enum class Sums : std::uint8_t {
    InParts,  ///< eight sums side by side, which compilers compute at once; rounded in another way than by the evaluator
    InOrder   ///< as by the evaluator
};

struct CppOptions {
    std::string functionName;  ///< if empty, the program's name, made a C++ identifier
    bool testMain = false;  ///< append a main() that runs the function once on small fixed inputs and prints the result
    std::string comment;    ///< put at the top, a line comment for each line (the thread that the program came from)
    /// Everything but main() is in a namespace of this name (made a C++ identifier), so that several files can be linked into one program
    /// and a header can name the types. If empty, the function is a global one.
    std::string nameSpace = {};
    Products products = Products::Loops;
    Sums sums = Sums::InParts;
};

/// Emits one self-contained file: standard library only, plain loops, readable names. Vectors of vectors are std::vector. Covers the
/// whole language that the evaluator runs. Errors: edefs without a body; constructs without a C++ equivalent (named in the message).
[[nodiscard]] Result<std::string> emitCpp(const ir::TermBank& bank, const ir::Program& program,
                                          const CppOptions& options = {});

/// A header for other files: the declaration of the function that emitCpp writes with the same options, and the types that it takes.
/// Errors: as emitCpp.
[[nodiscard]] Result<std::string> emitCppHeader(const ir::TermBank& bank, const ir::Program& program,
                                                const CppOptions& options = {});

/// A namespace for the program in that file: ks_ followed by the file's name without folder and extension, or by the program's name if
/// the file has none.
[[nodiscard]] std::string nameSpaceFor(const ir::TermBank& bank, const ir::Program& program, const std::string& file);

struct CheckOptions {
    int samples = 16;
    std::uint64_t seed = 1;
    std::int64_t timingSize = 0;     ///< every size in timed runs; 0: chosen so that one run takes some milliseconds
    double secondsPerProgram = 1.0;  ///< time budget for timing
    double compileSeconds = 120.0;
    std::string compiler = "c++";  ///< searched on PATH
    std::stop_token stop = {};
    std::vector<eval::AssumedSign> assumptions = {};  ///< only inputs that satisfy all of these are compared
};

/// Seconds; in calls shorter than this, the surrounding loop takes as much time as the call.
inline constexpr double ShortCall = 1e-7;

struct CheckReport {
    bool compiled = false;
    bool passed = false;
    int samples = 0;
    double maxError = 0.0;       ///< eval::deviation between the compiled output program and the evaluator
    timing::TimeSummary input;   ///< processor time of a call of the compiled input program
    timing::TimeSummary output;  ///< of the compiled output program; both run alternately in one process
    timing::TimeRatio ratio;     ///< of the output program's time to the input program's
    std::int64_t timingSize = 0;
    std::string compilerVersion;
    std::string flags;
    std::string message;  ///< the compiler's error or the first difference, if not passed

    [[nodiscard]] bool isTimed() const { return input.count > 0; }
    /// Whether both programs take so little time that the times say nothing about them.
    [[nodiscard]] bool tooShort() const {
        return input.seconds.median < ShortCall && output.seconds.median < ShortCall;
    }
};

/// Compiles the input and the output program with the same flags into one program in a private temporary folder (removed afterwards),
/// runs both on the same random inputs, compares the output program with the evaluator on the *input* program, and times both
/// alternately. Errors: no compiler, no space, cancelled.
[[nodiscard]] Result<CheckReport> checkCpp(const ir::TermBank& bank, const ir::Program& input,
                                           const ir::Program& output, const CheckOptions& options = {});

}  // namespace mitos::codegen
