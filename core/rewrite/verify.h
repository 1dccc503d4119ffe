// SPDX-License-Identifier: GPL-3.0-or-later
// Compares values along a thread with the evaluator. The checker (step.h) assumes that the rules are right; this comparison does not.
#pragma once

#include "core/eval/verify/verify.h"
#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// Compares the values before and after each step on random inputs, up to the first difference; see eval::verify.
[[nodiscard]] Result<eval::Verification> verify(const ir::TermBank& bank, const Thread& thread,
                                                const eval::VerifyOptions& options = {});

/// Whether a thread's end has the values of its start, by eval::compare. If no input can decide it (a network whose numbers
/// grow without bound or until its softmax selects one class, a node about which nothing is known), or if the ends differ and the thread has
/// a rule that may deviate, each step is compared instead, and the note says so.
[[nodiscard]] Result<eval::Equivalence> compareEnds(const ir::TermBank& bank, const Thread& thread,
                                                    const eval::EquivalenceOptions& options = {});

}  // namespace mitos::rewrite
