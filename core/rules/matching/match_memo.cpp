// SPDX-License-Identifier: GPL-3.0-or-later
// See match_memo.h.
#include "core/rules/matching/match_memo.h"

#include "core/rules/matching/conditions.h"
#include "core/rules/matching/internal/instantiate.h"
#include "core/rules/matching/open_variables.h"
#include "core/rules/matching/substitution_words.h"

namespace mitos::rules {

MatchMemo::MatchMemo(const CompiledRule& rule, Remember remember)
    : m_rule(rule),
      m_open(openVariables(rule)),
      m_guards(remember),
      m_exact(remember) {}

bool MatchMemo::guardHolds(ir::TermBank& bank, const Substitution& match) {
    if (m_rule.guard == NoNode) return true;
    m_words.clear();
    appendOpenWords(bank, match, m_open, m_words);
    return m_guards.of(m_words, [&] { return holds({bank, m_rule, match.values, m_rule.table}, m_rule.guard); });
}

const std::optional<MatchMemo::Exact>& MatchMemo::exact(ir::TermBank& bank, const Substitution& match) {
    m_words.clear();
    appendWords(match, m_words);
    return m_exact.of(m_words, [&]() -> std::optional<Exact> {
        Exact exact{.values = match, .left = {}};
        const Result<ir::TermId> left = exactLeft(bank, m_rule, exact.values);
        if (!left || !holds({bank, m_rule, exact.values.values, m_rule.table}, m_rule.guard)) return std::nullopt;
        exact.left = *left;
        return exact;
    });
}

}  // namespace mitos::rules
