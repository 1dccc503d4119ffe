// SPDX-License-Identifier: GPL-3.0-or-later
// The methods behind extract(), which checks and prices their answers.
#pragma once

#include "core/base/result.h"
#include "core/extract/extract.h"
#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

namespace mitos::extract {

// Each requires that all roots of the problem have finite terms. They set the choice, the prediction, the bound,
// whether it is proven, and the note.
[[nodiscard]] Result<Extraction> runTree(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Extraction> runPaper(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Extraction> runDag(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Extraction> runIlp(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Extraction> runBrkga(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Extraction> runBest(const Problem& problem, const Options& options, const Deadline& deadline);

/// The cheaper of the cheapest trees and the sharing-aware greedy choice, as a start for other methods.
[[nodiscard]] Choice greedyChoice(const Problem& problem, const ParentIndex& parents, const Deadline& deadline);

}  // namespace mitos::extract
