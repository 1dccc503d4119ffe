// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX Runtime, run by a Python that the user names: times of whole models, and the graph that it makes of a model. Mitos does not
// depend on it; resources/onnxruntime/worker.py runs there.
#pragma once

#include "core/base/result.h"
#include "core/cost/sizes.h"
#include "core/timing/summary.h"
#include "core/timing/time_ratio.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::onnx {

/// How much ONNX Runtime changes a model before it runs it.
enum class OptimizationLevel : std::uint8_t { Disabled, Basic, Extended, All };
/// "disabled", "basic", "extended", "all", in this order.
[[nodiscard]] const std::vector<std::string>& optimizationLevels();
[[nodiscard]] std::string_view toString(OptimizationLevel level);
/// Nothing if there is no level of that name.
[[nodiscard]] std::optional<OptimizationLevel> optimizationLevel(std::string_view name);

struct RuntimeOptions {
    std::string python = "python3";  ///< an interpreter that has the modules onnxruntime and numpy
    OptimizationLevel level = OptimizationLevel::All;
    int threads = 1;
    double limitSeconds = 3600.0;  ///< after which the interpreter is killed
    double startSeconds = 60.0;    ///< without its first answer, after which it is killed
    double silentSeconds = 300.0;  ///< without a further answer, after which it is killed
    std::stop_token stop = {};
};

struct RuntimeVersion {
    std::string runtime;         ///< "1.32.0"
    std::string python;          ///< "3.11.2"
    std::string processor = {};  ///< of the machine, as cost::MeasuringSetup has it
    std::string features = {};

    /// "ONNX Runtime 1.32.0, Python 3.11.2".
    [[nodiscard]] std::string text() const;
    /// The newest opset whose operators this version computes on processors, as far as Mitos writes them; 17 if that is not known.
    [[nodiscard]] int newestOpset() const;
};

/// Finds out whether the interpreter has ONNX Runtime. Fails if there is no such program, if it is not a Python, or if a module is
/// missing; the hint says how to get it. Like all functions here, also fails with Limit and Cancelled, and if the answers of the
/// interpreter contradict the request.
[[nodiscard]] Result<RuntimeVersion> checkRuntime(const RuntimeOptions& options);

struct TimingOptions {
    double seconds = 10.0;  ///< of measuring, together; each model runs at least a few times whatever it takes
    std::uint64_t seed = 1;
    cost::AssumedSizes sizes = {};                   ///< for sizes of inputs that are names
    std::function<void(double)> progress = nullptr;  ///< receives the part that is done, from 0 to 1
};

struct TimedModels {
    RuntimeVersion by;
    /// By model. With one thread it is the time of the processor, which does not count when other programs run.
    std::vector<timing::TimeSummary> models;
    std::vector<timing::TimeRatio> ratios;  ///< of each model to the first
    std::size_t blocks = 0;                 ///< how often the models were opened
    std::size_t rounds = 0;                 ///< how often each model was timed
    double elsewhere = 0.0;  ///< part of the time in which other programs had the processor (of one thread)
    std::vector<std::string> unusedSizes = {};  ///< names among the sizes that no input of the models has
};

/// Times the models alternately in one process, on the same random inputs: in each round one batch of runs of each model, in random
/// order. Also fails if ONNX Runtime cannot run a model; the message names it. Without models it fails.
[[nodiscard]] Result<TimedModels> timeModels(const std::vector<std::filesystem::path>& models,
                                             const RuntimeOptions& options, const TimingOptions& timing = {});

struct MemoryOptions {
    /// Whether nodes run in the order of the file, as far as the runtime's own changes of the graph leave it. Otherwise the runtime chooses an
    /// order, which does not depend on that of the file.
    bool keepsOrder = false;
    std::uint64_t seed = 1;
    cost::AssumedSizes sizes = {};  ///< for sizes of inputs that are names
};

/// The memory in bytes that a run of each model takes beside weights and inputs: the median of a few runs, measured as the growth of the
/// process. Needs Linux. Fails as timeModels does.
struct RuntimeMemory {
    RuntimeVersion by;
    std::vector<std::uint64_t> peaks;  ///< by model
};
[[nodiscard]] Result<RuntimeMemory> measureMemory(const std::vector<std::filesystem::path>& models,
                                                  const RuntimeOptions& options, const MemoryOptions& memory = {});

/// Writes the graph that ONNX Runtime makes of the model at the level of the options, as a model. It may have operators of this
/// processor only. Fails as timeModels does, or if the file cannot be written; then there is the old file.
[[nodiscard]] Result<RuntimeVersion> writeOptimized(const std::filesystem::path& model,
                                                    const std::filesystem::path& output, const RuntimeOptions& options);

}  // namespace mitos::onnx
