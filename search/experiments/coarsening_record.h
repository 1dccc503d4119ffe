// SPDX-License-Identifier: GPL-3.0-or-later
// The record of a run of the coarsening experiment, as JSON.
#pragma once

#include "search/experiments/coarsening.h"

#include <string>

namespace mitos::search::experiments {

/// The record of a run; record_file.h seals it.
[[nodiscard]] std::string writeCoarseningRecord(const CoarseningRun& run);
/// Fails if the text is not a record, or if there is no benchmark of its name.
[[nodiscard]] Result<CoarseningRun> readCoarseningRecord(const std::string& text);
/// The runs with compiler and libraries, for scripts.
[[nodiscard]] std::string coarseningJson(const CoarseningResults& results);

}  // namespace mitos::search::experiments
