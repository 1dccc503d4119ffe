// SPDX-License-Identifier: GPL-3.0-or-later
// Threads from files: replayed, checked, and with costs that are computed anew.
#pragma once

#include "app/cli/context.h"
#include "core/rewrite/step.h"

#include <string>
#include <vector>

namespace mitos::cli {

struct ReadThread {
    rewrite::Thread thread;
    rewrite::ThreadReport report;  ///< not valid also where a cost in the file is not the state's
    std::vector<double> costs;     ///< of the states, under `costModel`
    std::string costModel;         ///< the one that the file names, else the one given
};

/// Reads a thread that starts at the open program. Costs in the file are compared with what the states cost; nothing but the steps is
/// taken from it. Errors: as rewrite::readThread; it starts at another program; an unknown cost model.
[[nodiscard]] Result<ReadThread> openThread(const std::string& path, const CommonOptions& options,
                                            const OpenProgram& open, const rules::RuleBook& book);

}  // namespace mitos::cli
