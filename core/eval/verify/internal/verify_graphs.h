// SPDX-License-Identifier: GPL-3.0-or-later
// Verification of steps of tensor programs, the implementation behind verify.h. Private to core/eval.
#pragma once

#include "core/eval/verify/verify.h"

namespace mitos::eval {

/// As verify(), for a program whose subterms are shared nodes.
[[nodiscard]] Result<Verification> verifyGraphs(const ir::TermBank& bank, const ir::Program& start,
                                                const std::vector<VerifyStep>& steps, const VerifyOptions& options);

/// The difference that a step makes; only the fields that follow from its terms are set.
[[nodiscard]] StepDifference differenceAt(const ir::TermBank& bank, const ir::Program& before, const VerifyStep& step,
                                          std::size_t number);
/// The verdicts, with a reason for each step that was not checked: an earlier difference, or else `note`.
[[nodiscard]] Verification noted(Verification found, const std::string& note);

}  // namespace mitos::eval
