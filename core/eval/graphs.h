// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluating and comparing tensor programs, behind evaluator.h. Private to core/eval.
#pragma once

#include "core/eval/evaluator.h"

namespace mitos::eval {

[[nodiscard]] Result<Evaluation> evaluateGraph(const ir::TermBank& bank, const ir::Program& program,
                                               const Inputs& inputs, const Limits& limits);
[[nodiscard]] Result<Inputs> randomGraphInputs(const ir::TermBank& bank, const ir::Function& function, Random& random);
/// The signatures are equal.
[[nodiscard]] Result<Equivalence> compareGraphs(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                                const EquivalenceOptions& options);

/// The weights given, and samples for those that are not. With `sampleFills` also for those that are one number repeated: with
/// such weights different programs have the same value.
[[nodiscard]] Result<tensor::Weights> weightsFor(const ir::TermBank& bank, ir::TermId root,
                                                 const tensor::Weights* given, bool sampleFills = false);
/// Whether it has the same value each time: it draws no random numbers.
[[nodiscard]] bool isRepeatableGraph(const ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::eval
