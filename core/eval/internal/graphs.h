// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluation and comparison of tensor programs, the implementation behind evaluator.h. Private to core/eval.
#pragma once

#include "core/eval/evaluator.h"

namespace mitos::eval {

[[nodiscard]] Result<Evaluation> evaluateGraph(const ir::TermBank& bank, const ir::Program& program,
                                               const Inputs& inputs, const Limits& limits);
[[nodiscard]] Result<Inputs> randomGraphInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                               const InputOptions& options = {});
/// Requires equal signatures.
[[nodiscard]] Result<Equivalence> compareGraphs(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                                const EquivalenceOptions& options);

/// Whether an evaluation of the program computes little.
[[nodiscard]] bool isQuickGraph(const ir::TermBank& bank, const ir::Program& program);

/// The given weights, and samples for the missing ones. With `sampleFills`, weights that repeat one number are sampled too, because
/// different programs may have the same value with such weights.
[[nodiscard]] Result<tensor::Weights> weightsFor(const ir::TermBank& bank, ir::TermId root,
                                                 const tensor::Weights* given, bool sampleFills = false);
/// Whether every evaluation gives the same value, that is, the graph draws no random numbers.
[[nodiscard]] bool isRepeatableGraph(const ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::eval
