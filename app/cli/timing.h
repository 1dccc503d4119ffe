// SPDX-License-Identifier: GPL-3.0-or-later
// Times models with ONNX Runtime, and reports the times beside what a cost model says.
#pragma once

#include "app/cli/context.h"
#include "core/onnx/runtime.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::cli {

/// A model that is timed.
struct TimedFile {
    std::string name;  ///< shown
    std::filesystem::path path;
    std::optional<double> cost = {};       ///< under the cost model, if it can price the program
    std::optional<double> operators = {};  ///< microseconds that its operators take, each by itself
    std::string inputs = {};               ///< names and types, "x: f32[8,64]"; empty if they are not known
};

struct TimingFlags {
    std::string python = onnx::RuntimeOptions{}.python;
    std::string level = "all";
    int threads = 1;
    double seconds = onnx::TimingOptions{}.seconds;
    std::string sizes = {};  ///< empty: those of the cost model

    /// Adds --onnxruntime.
    const CLI::Option* addPython(CLI::App& command);
    /// Adds --level, --threads, --sizes and --seconds, or for the prefix "--time-" --time-level and so on.
    void addOthers(CLI::App& command, const std::string& prefix);
    /// Those without --level.
    void addSettings(CLI::App& command, const std::string& prefix);
    [[nodiscard]] onnx::RuntimeOptions runtime(std::stop_token stop) const;
    [[nodiscard]] std::string sizesFor(const cost::CostModelInfo& model) const {
        return sizes.empty() ? cost::sizesOf(model) : sizes;
    }
    /// The times of the files, alternated. Shows the progress on a terminal's stderr, unless `isQuiet`.
    [[nodiscard]] Result<onnx::TimedModels> time(const std::vector<TimedFile>& files, const cost::CostModelInfo& model,
                                                 bool isQuiet, std::stop_token stop) const;
};

/// Prints a table, and sentences that compare each file with the first: whether it is faster beyond noise, and whether the cost model
/// expected that (timing::Expectation).
void printTimes(const std::vector<TimedFile>& files, const onnx::TimedModels& times, const TimingFlags& how,
                const cost::CostModelInfo& model);
/// The start and the result of a search, which are timed after it.
struct TimedResult {
    const OpenProgram& open;
    const ir::TermBank& bank;  ///< of the result
    const ir::Program& result;
    std::optional<std::filesystem::path> file;  ///< the file that the input was read from, if it is one of a model
    onnx::ExportOptions exported;               ///< how the result is written
    double inputCost = 0.0;
    double resultCost = 0.0;
    const cost::CostModelInfo& model;
};
struct TimedPrograms {
    std::vector<TimedFile> files;  ///< the input and the result
    onnx::TimedModels times;
};
/// Times input and result as models, alternately, and their operators by themselves, unless the model's costs are measured times anyway.
[[nodiscard]] Result<TimedPrograms> timeResult(const TimedResult& what, const TimingFlags& how, bool isQuiet,
                                               const std::stop_token& stop);

[[nodiscard]] Json timesJson(const std::vector<TimedFile>& files, const onnx::TimedModels& times,
                             const TimingFlags& how, const cost::CostModelInfo& model);

}  // namespace mitos::cli
