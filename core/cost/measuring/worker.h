// SPDX-License-Identifier: GPL-3.0-or-later
// Measures by a process that answers operations line by line (the protocol is in app/measure/README.md). What it prints is checked
// (answers.h), not trusted.
#pragma once

#include "core/cost/measuring/measurer.h"

#include <memory>
#include <string>
#include <vector>

namespace mitos::cost {

struct WorkerProgram {
    std::string runtime;               ///< its name in messages: "LibTorch"
    std::vector<std::string> command;  ///< the program with its arguments
    std::vector<std::string> environment;
    std::vector<std::string> settings = {};  ///< those that the requests wish, "threads=4"
    std::string howToGet;                    ///< the hint if it cannot be started
    double startSeconds = 60.0;              ///< a process that takes longer to say what it is ends the measuring
    double silentSeconds = 300.0;            ///< an operation that takes longer ends the measuring
};

[[nodiscard]] std::unique_ptr<Measurer> workerMeasurer(WorkerProgram program);

}  // namespace mitos::cost
