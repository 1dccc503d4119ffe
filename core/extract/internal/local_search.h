// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a choice cheaper by local changes.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

namespace mitos::extract {

/// Improves single classes until none can be improved: for a needed class, removes everything that only it needs, and
/// replaces it by the cheapest term over what stays, which is free then. This corrects greedy extraction, which cannot
/// know which classes are needed anyway. The choice must be complete and acyclic; the result is complete for the classes
/// that the roots need.
[[nodiscard]] Choice descend(const Problem& problem, const ParentIndex& parents, Choice choice,
                             const Deadline& deadline);

/// Descends; then forces each other node of each class, and keeps it if the resulting changes around it pay for it. Ends
/// when neither improves the choice, or at the deadline.
[[nodiscard]] Choice searchLocally(const Problem& problem, const ParentIndex& parents, Choice choice,
                                   const Deadline& deadline);

}  // namespace mitos::extract
