// SPDX-License-Identifier: GPL-3.0-or-later
// Times programs with signatures of their own as compiled C++, alternately.
#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"
#include "core/ir/term_bank.h"

#include <functional>
#include <span>
#include <stop_token>
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
    int rounds = 5;                  ///< in each of which every program runs once
    double secondsPerProgram = 1.0;  ///< of all rounds together
    double compileSeconds = 300.0;
    std::string compiler = "c++";  ///< searched on PATH
    std::stop_token stop = {};
    std::function<void(double progress, const std::string& doing)> onStep = {};
};

/// Seconds a call, the median, the least and the largest of the rounds' medians.
struct ProgramTime {
    double median = 0.0;
    double lowest = 0.0;
    double highest = 0.0;
    std::string problem;  ///< why there are no times; empty if there are
};

struct TimingReport {
    std::string compilerVersion;
    std::string flags;
    std::vector<ProgramTime> times;  ///< by program
};

/// Compiles each program alone, with the same flags, in a private temporary folder. A program that cannot be emitted, is refused by the
/// compiler or fails on its inputs is a time with a problem. Errors: no compiler (Io), no space, Cancelled.
[[nodiscard]] Result<TimingReport> timeCpp(std::span<const TimedProgram> programs, const TimingOptions& options);

/// The median, the least and the largest of some times; at least one.
[[nodiscard]] ProgramTime timeOf(std::vector<double> seconds);

}  // namespace mitos::codegen
