// SPDX-License-Identifier: GPL-3.0-or-later
// Measures operations through LibTorch, by the program mitos-measure (app/measure): here, or on another machine by way of files.
#pragma once

#include "core/cost/measuring/measurer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace mitos::cost {

struct TorchOptions {
    std::string device = "cpu";  ///< "cpu" or "cuda"
    std::int64_t threads = 1;
    double secondsPerOperation = 0.25;
    std::string program = {};  ///< empty: mitos-measure beside this program
};

/// Its process has a small environment.
[[nodiscard]] std::unique_ptr<Measurer> torchMeasurer(const TorchOptions& options);

/// The questions of torchMeasurer() to its process, as a text that mitos-measure answers on any machine: mitos-measure < REQUESTS > ANSWERS.
/// readAnswers() (answers.h) reads what it writes.
[[nodiscard]] std::string torchRequests(const TorchOptions& options, std::span<const Operation> operations);

}  // namespace mitos::cost
