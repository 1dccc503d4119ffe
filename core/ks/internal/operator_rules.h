// SPDX-License-Identifier: GPL-3.0-or-later
// The rules to which the rows of the ks operators refer: type rules (ks-language.md 5, 6, 9), then transfer rules of analyses (ir/fact_rule.h):
// ranges, sizes, constants, and when an operator fails or is undefined. Type rules shared by several operators take the operator's
// name for messages.
#pragma once

#include "core/ir/fact_rule.h"
#include "core/ir/operator_registry.h"

#include <string_view>

namespace mitos::ks {

using Types = const ir::TypeRuleInput&;
using TypeResult = Result<ir::TypeId>;
using Operands = const ir::FactInput&;
using OperationFacts = ir::OperationFacts;

/// "NAME takes EXPECTED; found A, B and C".
[[nodiscard]] Error mismatch(Types in, std::string_view name, std::string_view expected);
[[nodiscard]] ir::TypeId pairOf(ir::TypeTable& types, ir::TypeId first, ir::TypeId second);
/// Rank k of an index type I_k (Integer, or a k-tuple of Integers, k >= 2); 0 if the type is not an index type.
[[nodiscard]] std::uint32_t indexRank(const ir::TypeTable& types, ir::TypeId type);

// --- scalars, logic, control (scalar_types.cpp) ----------------------------------------------------------------------

TypeResult typeOfSum2(Types in, std::string_view name);  ///< add, sub
TypeResult typeOfMul(Types in);
TypeResult typeOfDiv(Types in);
TypeResult typeOfNeg(Types in);
TypeResult typeOfOrder(Types in, std::string_view name);
TypeResult typeOfEquality(Types in, std::string_view name);
TypeResult typeOfLogic(Types in, std::string_view name);
TypeResult typeOfNot(Types in);
TypeResult typeOfFloatFunction(Types in, std::string_view name);
TypeResult typeOfExp(Types in);
TypeResult typeOfMax(Types in);
TypeResult typeOfImax(Types in);
TypeResult typeOfPow(Types in);
TypeResult typeOfToFloat(Types in);
TypeResult typeOfBoolToFloat(Types in);
TypeResult typeOfPi(Types in);
TypeResult typeOfDot(Types in);
TypeResult typeOfMymul(Types in);
TypeResult typeOfIf(Types in);
TypeResult typeOfAssert(Types in);
TypeResult typeOfPrint(Types in);
TypeResult typeOfIdentity(Types in, std::string_view name);
TypeResult typeOfRanhashdoub(Types in);
TypeResult typeOfBench(Types in);
TypeResult typeOfCheck(Types in);
TypeResult typeOfElim(Types in);
TypeResult typeOfDup(Types in);
TypeResult typeOfApply(Types in);

// --- tensors and tangents (tensor_types.cpp) -------------------------------------------------------------------------

TypeResult typeOfBuild(Types in);
TypeResult typeOfSumbuild(Types in);
TypeResult typeOfFold(Types in);
TypeResult typeOfLoop(Types in);
TypeResult typeOfMap(Types in);
TypeResult typeOfMap2(Types in);
TypeResult typeOfIndex(Types in);
TypeResult typeOfSize(Types in);
TypeResult typeOfShape(Types in);
TypeResult typeOfSum(Types in);
TypeResult typeOfUnzip(Types in);
TypeResult typeOfVecInit(Types in);
TypeResult typeOfConstVec(Types in);
TypeResult typeOfDeltaVec(Types in);
TypeResult typeOfDelta(Types in);
TypeResult typeOfDiag(Types in);
TypeResult typeOfBuildFromSparse(Types in);
TypeResult typeOfBuildFromSparseTupled(Types in);
TypeResult typeOfTsAdd(Types in);
TypeResult typeOfTsScale(Types in);
TypeResult typeOfTsNeg(Types in);
TypeResult typeOfTsDot(Types in);

// --- linear maps (linear_map_types.cpp) ------------------------------------------------------------------------------

TypeResult typeOfLmZero(Types in);
TypeResult typeOfLmOne(Types in);
TypeResult typeOfLmScale(Types in);
TypeResult typeOfLmScaleR(Types in);
TypeResult typeOfLmDot(Types in);
TypeResult typeOfLmCompose(Types in);
TypeResult typeOfLmAdd(Types in);
TypeResult typeOfLmVCat(Types in);
TypeResult typeOfLmHCat(Types in);
TypeResult typeOfLmVCatV(Types in);
TypeResult typeOfLmHCatV(Types in);
TypeResult typeOfLmApply(Types in);
TypeResult typeOfLmApplyR(Types in);
TypeResult typeOfLmFold(Types in);
TypeResult typeOfFFold(Types in);
TypeResult typeOfRFold(Types in);

// --- facts of control and arithmetic (number_facts.cpp) -----------------------------------------------------------------------

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

// --- facts of functions of numbers (number_facts.cpp) -------------------------------------------------------------------------

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

// --- facts of tensors and tangents (tensor_facts.cpp) -------------------------------------------------------------------------

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

// --- shared by the transfer rules -----------------------------------------------------------------------------------------------

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
