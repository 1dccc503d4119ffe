// SPDX-License-Identifier: GPL-3.0-or-later
// Slopes where an operator has none, or an infinite one: tests that are known to hold are dropped, and a tangent of zero passes nothing on.
#pragma once

#include "core/autodiff/internal/block.h"

namespace mitos::autodiff {

/// One tangent by the operators' texts, in a block.
class SingularSlopes {
public:
    SingularSlopes(ir::TermBank& bank, const Block& block) : m_bank(bank), m_block(block) {}

    /// (if (eq r 0.0) a b) as b if r is known not to be zero, as the root of a sum of squares and a positive number.
    [[nodiscard]] ir::TermId withoutKnownTest(ir::TermId term) const;

    /// The part of a tangent that the reverse text of `op` gives for the tangent `d` of the result, or zero where d is zero, if d may be zero
    /// because its value was not chosen (the smaller operand of a maximum, a value that only one branch uses) and the slope may be infinite.
    [[nodiscard]] ir::TermId guarded(ir::OpId op, ir::TermId part, ir::TermId d) const;

private:
    /// The term with the definitions of its variables in their place, as far as that stays small.
    [[nodiscard]] ir::TermId expanded(ir::TermId term) const;
    [[nodiscard]] bool mayBeMasked(ir::TermId tangent) const;

    ir::TermBank& m_bank;
    const Block& m_block;
};

}  // namespace mitos::autodiff
