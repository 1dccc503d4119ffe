// SPDX-License-Identifier: GPL-3.0-or-later
// The methods behind extract(), which checks and prices their answers.
#pragma once

#include "core/base/result.h"
#include "core/extract/extract.h"
#include "core/extract/internal/deadline.h"
#include "core/extract/parent_index.h"
#include "core/extract/problem.h"

#include <optional>
#include <string>

namespace mitos::extract {

struct Answer {
    Choice choice;
    std::optional<double> predicted;
    std::optional<double> bound;
    bool proven = false;
    std::string note;
};

// Each requires that all roots of the problem have finite terms.
[[nodiscard]] Result<Answer> runTree(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runPaper(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runDag(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runIlp(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runBrkga(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runBest(const Problem& problem, const Options& options, const Deadline& deadline);

/// The cheaper of the cheapest trees and the sharing-aware greedy choice, as a start for other methods.
[[nodiscard]] Choice greedyChoice(const Problem& problem, const ParentIndex& parents, const Deadline& deadline);

}  // namespace mitos::extract
