// SPDX-License-Identifier: GPL-3.0-or-later
// The ids of the intermediate representation.
#pragma once

#include "core/base/strong_id.h"

namespace mitos::ir {

using TermId = StrongId<struct TermTag>;            ///< a term of a TermBank
using TypeId = StrongId<struct TypeTag>;            ///< a type of a TypeTable
using OpId = StrongId<struct OpTag>;                ///< an operator of an OperatorRegistry
using FunctionId = StrongId<struct FunctionTag>;    ///< a function of a TermBank
using ValueId = StrongId<struct AbstractValueTag>;  ///< an abstract value of AbstractValues
using EnvId = StrongId<struct EnvironmentTag>;      ///< the surroundings of a term; each analysis has its own

}  // namespace mitos::ir
