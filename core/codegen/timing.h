// SPDX-License-Identifier: GPL-3.0-or-later
// Times programs with signatures of their own as compiled C++, alternately.
#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/ir/term_bank.h"
#include "core/timing/compiled_programs.h"
#include "core/timing/summary.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mitos::codegen {

struct TimedProgram {
    std::string name;          ///< in progress messages
    const ir::TermBank* bank;  ///< never null; may be another one for each program
    ir::Program program;
    eval::Inputs inputs;
};

struct TimingOptions {
    int rounds = 5;                  ///< at least 1; in each, every program runs once
    double secondsPerProgram = 1.0;  ///< of all rounds together
    timing::CompileOptions compiling = {};
    std::function<void(double progress, const std::string& doing)> onStep = {};
};

/// The processor time of a call, over all rounds.
struct ProgramTime {
    timing::TimeSummary call = {};
    std::string problem = {};  ///< why there is no time; empty if there is
};

struct TimingReport {
    std::string compilerVersion;
    std::string flags;
    std::vector<ProgramTime> times;  ///< by program
};

/// Compiles each program alone, with the same flags, in a private temporary folder. A program that cannot be emitted, is refused by the
/// compiler or fails on its inputs is a time with a problem. Errors: no compiler (Io), no space, Cancelled.
[[nodiscard]] Result<TimingReport> timeCpp(std::span<const TimedProgram> programs, const TimingOptions& options);

}  // namespace mitos::codegen
