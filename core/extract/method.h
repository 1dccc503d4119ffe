// SPDX-License-Identifier: GPL-3.0-or-later
// What a method gives to extract(), which checks and prices it.
#pragma once

#include "core/base/result.h"
#include "core/extract/deadline.h"
#include "core/extract/extract.h"
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

// Each takes a problem whose roots all have finite terms.
[[nodiscard]] Result<Answer> runTree(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runPaper(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runDag(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runIlp(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runBrkga(const Problem& problem, const Options& options, const Deadline& deadline);
[[nodiscard]] Result<Answer> runBest(const Problem& problem, const Options& options, const Deadline& deadline);

/// The better of least trees and the sharing-aware greedy choice, for methods to start from.
[[nodiscard]] Choice greedyChoice(const Problem& problem, const ParentIndex& parents, const Deadline& deadline);

}  // namespace mitos::extract
