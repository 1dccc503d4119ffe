// SPDX-License-Identifier: GPL-3.0-or-later
// Tells which variables cannot have a number that is -0.0, and where that matters. Private to core/loops.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/internal/effects.h"

#include <cstddef>

namespace mitos::loops {

/// Adding 0.0 to a number changes it only if it is -0.0. A variable has none if it starts without, and only sums and other such values are
/// assigned to it, wherever that happens in the function.
class SignedZeros {
public:
    /// Looks at all statements of the function once or more.
    SignedZeros(const ir::TypeTable& types, const Function& function);
    /// The same as if any sums of 0.0 and another number were only that number, also those in variables that start with 0.0.
    SignedZeros(const ir::TypeTable& types, const Function& function, const SymbolSet& startingWithZero);

    /// Whether no number of the value can be -0.0.
    [[nodiscard]] bool hasNone(ExpressionId value) const;

private:
    void findVariables(const SymbolSet& except);
    bool removeOthers(const Block& block, const Effects& effects);

    const ir::TypeTable& m_types;
    const Function& m_function;
    SymbolSet m_without;
    bool m_areZerosAdded = true;
};

/// Tells whose zeros may have either sign, since nothing that the function gives or prints depends on that.
class SeenSigns {
public:
    SeenSigns(const ir::TypeTable& types, const Function& function, const SignedZeros& zeros);

    /// Whether the sign of zeros in a variable matters.
    [[nodiscard]] bool isSeen(SymbolId symbol) const;
    /// Whether the sign of the value matters that a statement stores, adds, gives or compares.
    [[nodiscard]] bool isValueSeen(const Statement& statement) const;
    /// Whether that of an operand matters, if that of the expression does or does not.
    [[nodiscard]] bool isOperandSeen(const Expression& expression, std::size_t operand, bool isSeen) const;

private:
    void visit(const Block& block);
    void visit(ExpressionId expression, bool isSeen);
    void see(SymbolId symbol);

    const ir::TypeTable& m_types;
    const Function& m_function;
    const SignedZeros& m_zeros;
    Effects m_effects;
    SymbolSet m_seen;
    bool m_hasGrown = false;
};

}  // namespace mitos::loops
