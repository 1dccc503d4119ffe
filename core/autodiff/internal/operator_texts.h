// SPDX-License-Identifier: GPL-3.0-or-later
// The derivatives of operators that stand as texts in the operators' table, as terms.
#pragma once

#include "core/autodiff/internal/block.h"
#include "core/ir/operator_registry.h"

#include <absl/container/flat_hash_map.h>

#include <span>
#include <string>

namespace mitos::autodiff {

class OperatorTexts {
public:
    using Case = ir::OperatorDerivative::Case;

    explicit OperatorTexts(ir::TermBank& bank) : m_bank(bank) {}

    /// The case of the operator for operands of these types; null if there is none.
    [[nodiscard]] const Case* find(ir::OpId op, std::span<const ir::TypeId> operands);
    /// The text as a term, with the operands, the result and the tangent in place of their letters.
    ir::TermId apply(ir::OpId op, const std::string& text, std::span<const ir::TermId> operands, ir::TermId result,
                     ir::TermId tangent);

private:
    ir::TermId parsed(ir::OpId op, const std::string& text, std::span<const ir::Parameter> letters);

    ir::TermBank& m_bank;
    absl::flat_hash_map<std::string, ir::TermId> m_parsed;
};

}  // namespace mitos::autodiff
