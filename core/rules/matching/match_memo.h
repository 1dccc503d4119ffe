// SPDX-License-Identifier: GPL-3.0-or-later
// A memo of the matchers of one rule, for substitutions over the terms of one bank. Its values depend on the terms, not on a graph, so they
// stay valid while a graph changes or is undone.
#pragma once

#include "core/base/words_memo.h"
#include "core/rules/language/compiled.h"
#include "core/rules/rule.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::rules {

class MatchMemo {
public:
    /// The rule must outlive this object.
    explicit MatchMemo(const CompiledRule& rule, Remember remember = Remember::Last);

    /// Whether the condition of the rule holds.
    bool guardHolds(ir::TermBank& bank, const Substitution& match);

    struct Exact {
        Substitution values;  ///< with exact values of match constraints
        ir::TermId left;
    };
    /// The left-hand side that the match stands for; nothing if there is none, or if the condition does not hold for it. Valid until the
    /// next call.
    const std::optional<Exact>& exact(ir::TermBank& bank, const Substitution& match);

    [[nodiscard]] std::size_t bytes() const { return m_guards.bytes() + m_exact.bytes(); }

private:
    const CompiledRule& m_rule;
    std::vector<bool> m_open;  ///< openVariables()
    std::vector<std::uint32_t> m_words;
    WordsMemo<bool> m_guards;
    WordsMemo<std::optional<Exact>> m_exact;
};

}  // namespace mitos::rules
