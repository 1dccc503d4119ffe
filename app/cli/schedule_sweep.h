// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps of `schedule`: all combinations of files, strategies and seeds, of which each process does one.
#pragma once

#include "app/cli/schedule_options.h"

#include <cstdint>

namespace mitos::cli {

/// Fails if several files or strategies are named without --array.
[[nodiscard]] Status checkSweep(const ScheduleOptions& options);
/// The number of searches. Fails for strategies that do not exist, and if none is named.
[[nodiscard]] Result<std::uint64_t> sweepSize(const ScheduleOptions& options);

/// One search of a sweep, with one file, strategy and seed: that whose number --array or, in a task of a Slurm array, the environment
/// says; files are outermost, seeds innermost. The name in its row is that of the file without the folder, unless another file has the same. Fails as
/// sweepSize(), and if there is no such number.
[[nodiscard]] Result<ScheduleOptions> sweepTask(const ScheduleOptions& options);

}  // namespace mitos::cli
