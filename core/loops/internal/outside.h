// SPDX-License-Identifier: GPL-3.0-or-later
// Tells how an expression inside of loops is written outside of them. Private to core/loops.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/internal/effects.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mitos::loops {

/// The loops around a statement inside a block, outermost first.
using LoopPath = std::vector<const For*>;

/// An expression that mentions nothing declared or changed by the statements around it, but the indices of some of their loops.
struct Outside {
    ExpressionId expression;
    LoopPath loops = {};  ///< those whose indices it mentions, outermost first
};

/// Whether an expression is computed from names, elements and literals by operators, and by operations that `isAllowed` accepts: nothing is
/// stored, moved or called.
[[nodiscard]] bool isComputedBy(const Function& function, ExpressionId expression,
                                absl::FunctionRef<bool(Operation)> isAllowed);

/// Whether an expression calls a function that takes much longer than arithmetic, or goes through vectors, and does nothing but compute a
/// number.
[[nodiscard]] bool isCostlyNumber(const ir::TypeTable& types, const Function& function, ExpressionId expression);

/// Whether an expression has a value whenever its operands have types: it reads no element and calls no function of the program.
[[nodiscard]] bool isTotal(const ir::TypeTable& types, const Function& function, ExpressionId expression);

/// Whether an operator may fail: a quotient of Integers, unless the divisor is a literal that is neither 0 nor -1.
[[nodiscard]] bool mayDivideByZero(const ir::TypeTable& types, const Function& function, const Expression& binary);

/// Whether iterations of a block may end early, so that not all of its statements are executed.
[[nodiscard]] bool mayLeave(const Block& block);
[[nodiscard]] bool mayLeave(const Statement& statement);

/// Writes the expression with what `changed` does not have; constants and other names are replaced by their values. Nothing if that is
/// impossible, or the expression becomes large.
[[nodiscard]] std::optional<Outside> outside(Function& function, const Effects& effects, ExpressionId expression,
                                             const SymbolSet& changed, const LoopPath& path);

/// A text that two expressions have if and only if they compute the same, where loops are the same if their ranges are.
[[nodiscard]] std::string keyOf(const Function& function, const Outside& value);

/// Whether an Integer is above 0 for sure.
[[nodiscard]] bool isPositive(const Function& function, ExpressionId number);

/// Whether a statement before the loop at that place of the block requires that its end, a name, is above 0.
[[nodiscard]] bool isRequiredToIterate(const Function& function, const Block& block, std::size_t loop);

/// Whether a loop goes forwards from 0, and makes all of its iterations.
[[nodiscard]] bool isPlain(const For& loop);

/// A requirement of each of `count` iterations, as one of all: there may be none.
[[nodiscard]] Require requiredIfAny(const ir::TypeTable& types, Function& function, Require require,
                                    ExpressionId count);

/// The expression with another one wherever the name of a symbol stands.
[[nodiscard]] ExpressionId replaced(Function& function, ExpressionId expression, SymbolId symbol, ExpressionId by);

/// Puts another expression wherever the name of a symbol stands in a statement, and in the blocks inside.
void replaceName(Function& function, Statement& statement, SymbolId symbol, ExpressionId by);

/// The indices of an element of a vector, or of a row of it; empty for other expressions.
[[nodiscard]] std::vector<ExpressionId> indicesOf(const Function& function, ExpressionId expression, SymbolId vector);

/// Whether two expressions are the same size, where that may be checked not to be negative.
[[nodiscard]] bool isSameSize(const Function& function, ExpressionId a, ExpressionId b);

/// The statements with another index, for a second loop over the same range.
void renameIndex(Function& function, Block& block, SymbolId index, SymbolId other);

/// A copy of the expression with other symbols.
[[nodiscard]] ExpressionId renamed(Function& function, ExpressionId expression,
                                   const absl::flat_hash_map<SymbolId, SymbolId>& names);

}  // namespace mitos::loops
