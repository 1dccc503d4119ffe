// SPDX-License-Identifier: GPL-3.0-or-later
// The rewrites of a term by a set of rules, independent of the term's position.
#pragma once

#include "core/rewrite/step.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mitos::rewrite {

/// The directed rules, indexed by the operators at which they can match, for one bank. Both ways to rewrite (listing the steps of one
/// program, and the successors of search states) use this class. Of the given rules it applies either those with one root, or those
/// with several: the latter to tuples of the nodes at which the roots are to match (joint_places.h).
class LocalRewrites {
public:
    enum class Roots : std::uint8_t { One, Several };

    LocalRewrites(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
                  Roots roots = Roots::One);

    [[nodiscard]] ir::TermBank& bank() const { return m_bank; }
    [[nodiscard]] const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules() const { return m_rules; }

    /// Calls `found` with the rule's index, the substitution and the replacement: rules in their order, matches in the
    /// matcher's. Skips rewrites that change nothing, replacements that do not fit the term's place (fits), and tuples of nodes that cannot
    /// be replaced at once (fitTogether). Return false from `found` to stop.
    void forEach(ir::TermId term,
                 absl::FunctionRef<bool(std::uint32_t, const rules::Substitution&, ir::TermId)> found) const;

private:
    ir::TermBank& m_bank;
    std::vector<std::shared_ptr<const rules::DirectedRule>> m_rules;
    Roots m_roots;
    std::vector<std::vector<std::uint32_t>> m_byOperator;  // by operator id, in the order of m_rules
};

/// Caches the rewrites that LocalRewrites finds for each requested term; entries stay valid because terms never change.
class KnownRewrites {
public:
    struct Local {
        ir::TermId replacement;
        std::uint32_t rule;
    };

    explicit KnownRewrites(LocalRewrites local) : m_local(std::move(local)) {}

    [[nodiscard]] const LocalRewrites& local() const { return m_local; }
    [[nodiscard]] bool knows(ir::TermId term) const {
        return term.value < m_entryOf.size() && m_entryOf[term.value] != Unknown;
    }
    /// The rewrites of a term, in their order, computed if they are not cached. Valid until the next call with an unknown term.
    [[nodiscard]] std::span<const Local> of(ir::TermId term);
    /// The dense id of a known term: the number of terms that were known before it. Clients index their own data for known terms with it.
    [[nodiscard]] std::uint32_t number(ir::TermId term) const { return m_entryOf[term.value]; }
    [[nodiscard]] std::span<const Local> at(std::uint32_t number) const {
        const std::uint32_t end = number + 1 < m_firstOf.size() ? m_firstOf[number + 1] : sizeOfLocals();
        return std::span(m_locals).subspan(m_firstOf[number], end - m_firstOf[number]);
    }
    /// The step of rewrite number i of a term, without its positions.
    [[nodiscard]] Step step(ir::TermId term, std::size_t i) const;
    [[nodiscard]] std::size_t bytes() const;

private:
    static constexpr std::uint32_t Unknown = 0xFFFFFFFF;
    [[nodiscard]] std::uint32_t sizeOfLocals() const { return static_cast<std::uint32_t>(m_locals.size()); }

    LocalRewrites m_local;
    std::vector<std::uint32_t> m_entryOf;  // by term id
    std::vector<std::uint32_t> m_firstOf;  // by number: where its rewrites begin
    std::vector<Local> m_locals;
};

}  // namespace mitos::rewrite
