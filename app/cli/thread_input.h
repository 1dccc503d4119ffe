// SPDX-License-Identifier: GPL-3.0-or-later
// Reads threads from files: replays and checks them, and recomputes their costs.
#pragma once

#include "app/cli/context.h"
#include "core/rewrite/step.h"

#include <string>
#include <vector>

namespace mitos::cli {

struct ReadThread {
    rewrite::Thread thread;
    rewrite::ThreadReport report;  ///< also invalid if a cost in the file differs from the cost of its state
    std::vector<double> costs;     ///< of the states, under `costModel`
    std::string costModel;         ///< the model named in the file, otherwise that of the options
};

/// Reads a thread that starts at the open program. Only the steps and the name of the cost model are taken from the file; its costs
/// are compared with the actual costs of the states. Fails as rewrite::readThread() does, if the thread starts at another program, or
/// if the cost model is unknown.
[[nodiscard]] Result<ReadThread> openThread(const std::string& path, const CommonOptions& options,
                                            const OpenProgram& open, const rules::RuleBook& book);

}  // namespace mitos::cli
