// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a run of the PyPM experiment.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/pypm.h"
#include "search/experiments/pypm_record.h"

#include <stop_token>
#include <string>

namespace mitos::search::experiments {

/// The hash of a model's graph: PypmRecord::program.
[[nodiscard]] std::string pypmHash(const PypmModel& model);

/// Compiles the model in all ways, times each pass, checks its thread, compares values, and runs the compiled models if the plan says so. A runtime
/// that fails is an entry of the record. Fails with Cancelled after a stop.
[[nodiscard]] Result<PypmRecord> makePypmRun(const PypmPlan& plan, const PypmModel& model, const std::stop_token& stop,
                                             const OnStep& onStep);

}  // namespace mitos::search::experiments
