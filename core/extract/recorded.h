// SPDX-License-Identifier: GPL-3.0-or-later
// Extractions recorded in e-graph files: the class_data of each needed class has the id of the chosen e-node under the key "chosen".
// Every reader of the format accepts that, because class_data may hold further texts.
#pragma once

#include "core/base/result.h"
#include "core/egraph/snapshot.h"
#include "core/extract/problem.h"

#include <optional>

namespace mitos::extract {

/// The chosen nodes by their numbers in the snapshot that the problem was made of.
[[nodiscard]] egraph::NodeChoice chosenNodes(const Problem& problem, const Choice& choice);

/// Records the choice in the snapshot, in place of one that it already contains.
void record(egraph::Snapshot& snapshot, const egraph::NodeChoice& choice);

/// The choice that the snapshot contains, with its cost; nothing if there is none. Fails if it is not a choice for the roots: if a
/// recorded e-node is not of its class or is subsumed, a needed class has none, or a class needs itself.
struct RecordedChoice {
    egraph::NodeChoice nodes;
    double cost = 0.0;
};
[[nodiscard]] Result<std::optional<RecordedChoice>> recordedChoice(const egraph::Snapshot& snapshot);

}  // namespace mitos::extract
