// SPDX-License-Identifier: GPL-3.0-or-later
// See local_rewrites.h.
#include "core/rewrite/local_rewrites.h"

#include "core/rewrite/internal/replay.h"

#include <cassert>
#include <utility>

namespace mitos::rewrite {

using ir::TermId;

LocalRewrites::LocalRewrites(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
                             Roots roots)
    : m_bank(bank),
      m_rules(std::move(rules)),
      m_roots(roots),
      m_byOperator(bank.registry().size()) {
    for (std::uint32_t i = 0; i < m_rules.size(); ++i) {
        const std::span<const rules::RuleRoot> roots = m_rules[i]->roots();
        if ((roots.size() > 1) != (m_roots == Roots::Several)) continue;
        if (m_roots == Roots::Several) {
            m_byOperator[ir::opId(ir::CoreOp::Tuple).value].push_back(i);
            continue;
        }
        const std::vector<ir::OpId>& operators = roots.front().operators;
        if (operators.empty()) {
            for (std::vector<std::uint32_t>& list : m_byOperator) list.push_back(i);
        }
        for (const ir::OpId root : operators) {
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
            if (!replacement || *replacement == term || !fits(m_bank, term, *replacement)) return true;
            if (m_roots == Roots::Several && !fitTogether(m_bank, term, *replacement)) return true;
            goOn = found(i, substitution, *replacement);
            return goOn;
        });
        if (!goOn) return;
    }
}

std::span<const KnownRewrites::Local> KnownRewrites::of(TermId term) {
    if (knows(term)) return at(number(term));
    m_firstOf.push_back(sizeOfLocals());
    m_local.forEach(term, [&](std::uint32_t rule, const rules::Substitution&, TermId replacement) {
        m_locals.push_back({replacement, rule});
        return true;
    });
    if (m_entryOf.size() < m_local.bank().size()) m_entryOf.resize(m_local.bank().size(), Unknown);
    m_entryOf[term.value] = static_cast<std::uint32_t>(m_firstOf.size() - 1);
    return at(number(term));
}

Step KnownRewrites::step(TermId term, std::size_t i) const {
    Step step;
    std::size_t index = 0;
    m_local.forEach(term, [&](std::uint32_t rule, const rules::Substitution& substitution, TermId) {
        if (index++ < i) return true;
        step.rule = m_local.rules()[rule];
        step.substitution = substitution;
        return false;
    });
    assert(step.rule != nullptr);  // the rewrite was found before, and the order is fixed
    return step;
}

std::size_t KnownRewrites::bytes() const {
    return (m_entryOf.capacity() + m_firstOf.capacity()) * sizeof(std::uint32_t) + m_locals.capacity() * sizeof(Local);
}

}  // namespace mitos::rewrite
