// SPDX-License-Identifier: GPL-3.0-or-later
// See local_rewrites.h.
#include "core/rewrite/local_rewrites.h"

#include "core/rewrite/replay.h"

#include <utility>

namespace mitos::rewrite {

using ir::TermId;

LocalRewrites::LocalRewrites(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules)
    : m_bank(bank),
      m_rules(std::move(rules)),
      m_byOperator(bank.registry().size()) {
    for (std::uint32_t i = 0; i < m_rules.size(); ++i) {
        const std::vector<ir::OpId>& roots = m_rules[i]->rootOperators();
        if (roots.empty()) {
            for (std::vector<std::uint32_t>& list : m_byOperator) list.push_back(i);
        }
        for (const ir::OpId root : roots) {
            if (root.value >= m_byOperator.size()) continue;  // an operator that this bank's programs do not have
            std::vector<std::uint32_t>& list = m_byOperator[root.value];
            if (list.empty() || list.back() != i) list.push_back(i);
        }
    }
}

void LocalRewrites::forEach(TermId term,
                            absl::FunctionRef<bool(std::uint32_t, const rules::Substitution&, TermId)> found) const {
    bool goOn = true;
    for (const std::uint32_t i : m_byOperator[m_bank.op(term).value]) {
        const rules::DirectedRule& rule = *m_rules[i];
        rule.match(m_bank, term, [&](const rules::Substitution& substitution) {
            const Result<TermId> replacement = rule.apply(m_bank, substitution, term);
            if (replacement && *replacement != term && fits(m_bank, term, *replacement)) {
                goOn = found(i, substitution, *replacement);
            }
            return goOn;
        });
        if (!goOn) return;
    }
}

}  // namespace mitos::rewrite
