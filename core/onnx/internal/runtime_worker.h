// SPDX-License-Identifier: GPL-3.0-or-later
// Talks with resources/onnxruntime/worker.py. The job is one JSON object on its standard input:
//
//   {"job": "check"}
//   {"job": "time",      …, "seconds": 10, "blocks": 5}
//   {"job": "operators", …, "seconds": 0.05, "batches": 15}   seconds and batches of each model, at least
//   {"job": "optimize",  …, "output": PATH}
//   {"job": "memory",    …, "runs": 3, "keeps_order": true}   runs of each model; whether nodes run in the order of the file, as far as they can
//
// with "models": [PATH, …], "level", "threads", "seed" and "sizes": {"otherwise": 1, "named": {"N": 8}} in all but the first. It answers
// with one JSON object a line:
//
//   {"missing": MODULE, "message": …, "python": VERSION}      and ends
//   {"onnxruntime": VERSION, "python": VERSION, "processor": NAME, "features": "avx2 avx512f"}     first, otherwise
//   {"failed": INDEX, "message": …}                           a model that cannot be opened or run
//   {"unused": ["N"]}                                         time: named sizes that no input of the models has, if there are any
//   {"block": 0, "launches": [1, 1]}                          time: runs in a batch of each model, in this block
//   {"block": 0, "seconds": [0.1, 0.1], "elapsed": 0.3}       time: a round, and how long it took
//   {"model": 0, "launches": 40, "batches": [0.1, …]}         operators
//   {"model": 0, "peaks": [5242880, …]}                       memory: bytes of each run
//   {"done": COUNT}                                           last: the rounds, or the models
#pragma once

#include "core/onnx/runtime.h"

#include <absl/functional/function_ref.h>
#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace mitos::onnx {

/// The worker's program.
[[nodiscard]] std::string_view workerText();

using Json = nlohmann::json;

/// A job for models at the level and with the threads of the options.
[[nodiscard]] Json workerJob(std::string_view name, const std::vector<std::filesystem::path>& models,
                             const RuntimeOptions& options);

/// Runs a job. Each answer between the first and the last is given to `take`, which returns false if it is not a possible answer of this
/// job. Returns the versions and the count of the last answer; fails if that is missing.
struct WorkerEnd {
    RuntimeVersion version;
    std::size_t done = 0;
};
[[nodiscard]] Result<WorkerEnd> runWorker(const Json& job, const RuntimeOptions& options,
                                          absl::FunctionRef<bool(const Json&)> take);

/// The last line of what a program printed on standard error, for a message.
[[nodiscard]] std::string lastLine(const std::string& text);
/// Times of at least one batch: positive, finite numbers. Nothing otherwise.
[[nodiscard]] std::optional<std::vector<double>> timesFrom(const Json& list);
/// Whole numbers from 1 on, `count` of them. Nothing otherwise.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> launchesFrom(const Json& list, std::size_t count);

}  // namespace mitos::onnx
