// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the ks operators in analyses (ir/fact_rule.h): ranges, sizes, constants, and when they fail or are undefined.
#pragma once

#include "core/ir/fact_rule.h"

namespace mitos::ks {

using Operands = const ir::FactInput&;
using OperationFacts = ir::OperationFacts;

// --- control and arithmetic (number_facts.cpp) -----------------------------------------------------------------------

OperationFacts factsOfIf(Operands in);
OperationFacts factsOfAssert(Operands in);
OperationFacts factsOfAdd(Operands in);
OperationFacts factsOfSub(Operands in);
OperationFacts factsOfMul(Operands in);  ///< mymul too
OperationFacts factsOfDiv(Operands in);
OperationFacts factsOfNeg(Operands in);
OperationFacts factsOfGt(Operands in);
OperationFacts factsOfLt(Operands in);
OperationFacts factsOfGte(Operands in);
OperationFacts factsOfLte(Operands in);
OperationFacts factsOfEq(Operands in);
OperationFacts factsOfNe(Operands in);
OperationFacts factsOfAnd(Operands in);
OperationFacts factsOfOr(Operands in);
OperationFacts factsOfNot(Operands in);

// --- functions of numbers (number_facts.cpp) -------------------------------------------------------------------------

OperationFacts factsOfLog(Operands in);
OperationFacts factsOfExp(Operands in);
OperationFacts factsOfWave(Operands in);     ///< sin, cos
OperationFacts factsOfSigmoid(Operands in);  ///< tanh, erf: odd functions with values between -1 and 1
OperationFacts factsOfCosh(Operands in);
OperationFacts factsOfSqrt(Operands in);
OperationFacts factsOfLgamma(Operands in);
OperationFacts factsOfAbs(Operands in);
OperationFacts factsOfMax(Operands in);
OperationFacts factsOfImax(Operands in);
OperationFacts factsOfPow(Operands in);
OperationFacts factsOfToFloat(Operands in);
OperationFacts factsOfBoolToFloat(Operands in);
OperationFacts factsOfPi(Operands in);
OperationFacts factsOfDot(Operands in);  ///< ts_dot too
OperationFacts factsOfRanhashdoub(Operands in);

// --- tensors and tangents (tensor_facts.cpp) -------------------------------------------------------------------------

OperationFacts factsOfBuild(Operands in);
OperationFacts factsOfSumbuild(Operands in);
OperationFacts factsOfFold(Operands in);
OperationFacts factsOfMap(Operands in);
OperationFacts factsOfMap2(Operands in);
OperationFacts factsOfIndex(Operands in);
OperationFacts factsOfSize(Operands in);
OperationFacts factsOfSum(Operands in);
OperationFacts factsOfUnzip(Operands in);
OperationFacts factsOfVecInit(Operands in);
OperationFacts factsOfConstVec(Operands in);
OperationFacts factsOfDeltaVec(Operands in);
OperationFacts factsOfDelta(Operands in);
OperationFacts factsOfDiag(Operands in);
OperationFacts factsOfBuildFromSparse(Operands in);
OperationFacts factsOfTsAdd(Operands in);
OperationFacts factsOfTsScale(Operands in);
OperationFacts factsOfTsNeg(Operands in);
OperationFacts factsOfDup(Operands in);
OperationFacts factsOfApply(Operands in);
OperationFacts factsOfLoop(Operands in);

/// The value is that of the first operand.
OperationFacts factsOfIdentity(Operands in);
/// Nothing is known but that the operation has a value if its operands have one.
OperationFacts factsOfTotal(Operands in);

// --- what functions are applied to (tensor_facts.cpp) ------------------------------------------------------------------

ir::ValueId indexArgument(Operands in, std::size_t child);     ///< build, sumbuild, diag
ir::ValueId sparseArgument(Operands in, std::size_t child);    ///< buildFromSparse, buildFromSparseTupled
ir::ValueId elementArgument(Operands in, std::size_t child);   ///< map
ir::ValueId elementsArgument(Operands in, std::size_t child);  ///< map2
ir::ValueId foldArgument(Operands in, std::size_t child);
ir::ValueId loopArgument(Operands in, std::size_t child);
ir::ValueId applyArgument(Operands in, std::size_t child);
ir::ValueId checkArgument(Operands in, std::size_t child);

// --- shared by the rules -----------------------------------------------------------------------------------------------

/// A value with the structure and the sizes of `like`, all of whose numbers lie in a range; whole numbers wrap.
[[nodiscard]] ir::ValueId filled(Operands in, ir::ValueId like, ir::TypeId type, const ir::ValueRange& range);
/// A result that is a number of the range computed by `range`, which is called only where ranges are wanted.
template <typename F>
[[nodiscard]] ir::ValueId number(Operands in, F range) {
    return in.values.tracksNumbers() ? ir::scalarOf(in, range()) : in.values.unknown();
}
/// Never if something holds, Always if its opposite does.
[[nodiscard]] constexpr ir::Certainty unless(bool holds, bool isFalse = false) {
    return holds ? ir::Certainty::Never : isFalse ? ir::Certainty::Always : ir::Certainty::Maybe;
}

}  // namespace mitos::ks
