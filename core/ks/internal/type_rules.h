// SPDX-License-Identifier: GPL-3.0-or-later
// Type rules of the ks operators (ks-language.md 5, 6, 9). Rules shared by several operators take the operator's name for messages.
#pragma once

#include "core/ir/operator_registry.h"

#include <string_view>

namespace mitos::ks {

using Types = const ir::TypeRuleInput&;
using TypeResult = Result<ir::TypeId>;

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

}  // namespace mitos::ks
