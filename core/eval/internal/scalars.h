// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of scalarSemantics(). Private to core/eval.
#pragma once

#include "core/eval/semantics.h"

namespace mitos::eval {

[[nodiscard]] Result<Evaluation> evaluateTree(const ir::TermBank& bank, const ir::Program& program,
                                              const Inputs& inputs, const Limits& limits);
[[nodiscard]] Result<Inputs> randomTreeInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                              const InputOptions& options);
/// Requires equal signatures.
[[nodiscard]] Result<Equivalence> compareTrees(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                               const EquivalenceOptions& options);
[[nodiscard]] Result<Verification> verifyTrees(const ir::TermBank& bank, const ir::Program& start,
                                               const std::vector<VerifyStep>& steps, const VerifyOptions& options);

}  // namespace mitos::eval
