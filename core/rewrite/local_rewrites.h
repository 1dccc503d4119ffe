// SPDX-License-Identifier: GPL-3.0-or-later
// What a set of rules does to a term, wherever the term stands.
#pragma once

#include "core/rules/rule.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace mitos::rewrite {

/// The directed rules by the operators at which they can match, for one bank. Both ways to rewrite (one program listed
/// with its steps, successors of search states) ask here and nowhere else.
class LocalRewrites {
public:
    LocalRewrites(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules);

    [[nodiscard]] ir::TermBank& bank() const { return m_bank; }
    [[nodiscard]] const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules() const { return m_rules; }

    /// Calls `found` with the rule's index, the substitution and the replacement: rules in their order, matches in the
    /// matcher's. Left out: what changes nothing, and what may not stand where the term stands. Return false from
    /// `found` to stop.
    void forEach(ir::TermId term,
                 absl::FunctionRef<bool(std::uint32_t, const rules::Substitution&, ir::TermId)> found) const;

private:
    ir::TermBank& m_bank;
    std::vector<std::shared_ptr<const rules::DirectedRule>> m_rules;
    std::vector<std::vector<std::uint32_t>> m_byOperator;  // by operator id, in the order of m_rules
};

}  // namespace mitos::rewrite
