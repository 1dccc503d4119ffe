// SPDX-License-Identifier: GPL-3.0-or-later
// Times a program and one that was made of it, as whole models that alternate in one run, and the operators of both by themselves.
#pragma once

#include "core/cost/profile.h"
#include "core/ir/term_bank.h"
#include "core/onnx/export.h"
#include "core/onnx/runtime.h"
#include "core/tensor/model.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace mitos::onnx {

/// A program with its weights.
struct ProgramToTime {
    const ir::TermBank& bank;
    const tensor::Model& model;
    std::optional<std::filesystem::path> file = {};  ///< where it is written already
};

struct PairTiming {
    RuntimeOptions runtime = {};
    double seconds = TimingOptions{}.seconds;  ///< of running the models, together
    std::string sizes = "1";                   ///< as cost::readSizes() has it
    ExportOptions exported = {};               ///< how programs without a file are written
    /// Times of operators that are known already, and receives the others; null if operators are not timed. Must be of the measurer's
    /// setup if it has times.
    cost::CostProfile* operators = nullptr;
    /// Receives the part that is done, from 0 to 1, or a negative number if it is not known, and what is being done.
    std::function<void(double, const std::string&)> progress = nullptr;
};

struct PairTimes {
    /// Microseconds that the operators of each take by themselves, summed; nothing if they were not timed.
    std::optional<double> firstOperators;
    std::optional<double> otherOperators;
    TimedModels models;  ///< the first one and the other
};

/// Fails if a program cannot be written, and as timeModels() and cost::measureInto() do.
[[nodiscard]] Result<PairTimes> timePair(const ProgramToTime& first, const ProgramToTime& other, const PairTiming& how);

/// A program of a model, with the file that holds it, if there is one.
struct TimedForm {
    ir::Program program;
    std::optional<std::filesystem::path> file;
};
/// How much longer the other form of a model takes than the first; operators are not timed by themselves. Fails as timePair() does.
[[nodiscard]] Result<timing::TimeRatio> timeRatioOf(const ir::TermBank& bank, const tensor::Model& model,
                                                    const TimedForm& first, const TimedForm& other,
                                                    const PairTiming& how);

}  // namespace mitos::onnx
