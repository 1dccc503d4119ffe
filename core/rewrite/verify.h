// SPDX-License-Identifier: GPL-3.0-or-later
// Values along a thread, by the evaluator: what the checker (step.h) shows by instances of rules, shown without believing the
// rules.
#pragma once

#include "core/eval/verify.h"
#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// Evaluates before and after each step on random inputs, up to the first difference; see eval::verify.
[[nodiscard]] Result<eval::Verification> verify(const ir::TermBank& bank, const Thread& thread,
                                                const eval::VerifyOptions& options = {});

/// Whether a thread's end has the values of its start: eval::compare, and where no input tells (a network whose numbers
/// grow beyond all bounds, or until its softmax has one class left, a node of which nothing is known), each step by itself; the note says so.
[[nodiscard]] Result<eval::Equivalence> compareEnds(const ir::TermBank& bank, const Thread& thread,
                                                    const eval::EquivalenceOptions& options = {});

}  // namespace mitos::rewrite
