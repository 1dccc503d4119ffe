// SPDX-License-Identifier: GPL-3.0-or-later
// The claims of the Knossos paper on arithmetic and the aims of this project, judged by our runs.
#pragma once

#include "search/experiments/claim.h"
#include "search/experiments/knossos_results.h"

#include <cstddef>
#include <vector>

namespace mitos::search::experiments {

/// Claims about means are judged by 95 % intervals over the repetitions (reaches(), exceeds()).
[[nodiscard]] std::vector<Claim> knossosClaims(const KnossosResults& results);

/// Whether at least nine of ten repetitions succeed: fewer than DecidingCount decide it only if so many of them fail that others cannot help.
[[nodiscard]] Verdict nineOfTen(std::size_t successes, std::size_t repetitions);

}  // namespace mitos::search::experiments
