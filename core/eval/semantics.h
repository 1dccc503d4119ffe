// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of the programs of a dialect as a value, to which the dialect refers (ir::Dialect::semantics): evaluation, random inputs
// and the comparisons built on them. evaluate(), randomInputs(), compare() and verify() call it.
#pragma once

#include "core/eval/evaluator.h"
#include "core/eval/verify/verify.h"

namespace mitos::eval {

/// The functions are those of the same names; their preconditions have been checked.
struct Semantics {
    Result<Evaluation> (*evaluate)(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                                   const Limits& limits);
    Result<Inputs> (*randomInputs)(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                   const InputOptions& options);
    Result<Equivalence> (*compare)(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                   const EquivalenceOptions& options);
    Result<Verification> (*verify)(const ir::TermBank& bank, const ir::Program& start,
                                   const std::vector<VerifyStep>& steps, const VerifyOptions& options);
    bool (*isQuickToCompare)(const ir::TermBank& bank, const ir::Program& program);
};

/// The meaning of programs over scalars, tuples and vectors. Operators outside of ks are computed by OperatorInfo::evaluate.
[[nodiscard]] const Semantics& scalarSemantics();
/// The meaning of tensor programs: each node is an array and is computed once.
[[nodiscard]] const Semantics& arraySemantics();

/// The meaning of programs of the function's dialect; scalarSemantics() if the dialect names none.
[[nodiscard]] const Semantics& semanticsOf(const ir::TermBank& bank, const ir::Function& function);

}  // namespace mitos::eval
