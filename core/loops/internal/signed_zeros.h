// SPDX-License-Identifier: GPL-3.0-or-later
// Tells which variables cannot have a number that is -0.0. Private to core/loops.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/internal/effects.h"

namespace mitos::loops {

/// Adding 0.0 to a number changes it only if it is -0.0. A variable has none if it starts without, and only sums and other such values are
/// assigned to it, wherever that happens in the function.
class SignedZeros {
public:
    /// Looks at all statements of the function once or more.
    SignedZeros(const ir::TypeTable& types, const Function& function);

    /// Whether no number of the value can be -0.0.
    [[nodiscard]] bool hasNone(ExpressionId value) const;

private:
    bool removeOthers(const Block& block, const Effects& effects);

    const ir::TypeTable& m_types;
    const Function& m_function;
    SymbolSet m_without;
};

}  // namespace mitos::loops
