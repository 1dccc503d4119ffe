// SPDX-License-Identifier: GPL-3.0-or-later
// Measures operations through LibTorch, by the program mitos-measure (app/measure).
#pragma once

#include "core/cost/measuring/measurer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mitos::cost {

struct TorchOptions {
    std::string device = "cpu";  ///< "cpu" or "cuda"
    std::int64_t threads = 1;
    double secondsPerOperation = 0.25;
    std::string program = {};  ///< empty: mitos-measure beside this program
};

/// Its process has a small environment, with the threads and the code of BLAS that suit this processor.
[[nodiscard]] std::unique_ptr<Measurer> torchMeasurer(const TorchOptions& options);

}  // namespace mitos::cost
