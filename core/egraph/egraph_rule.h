// SPDX-License-Identifier: GPL-3.0-or-later
// Rules prepared for e-graphs.
#pragma once

#include "core/egraph/egraph.h"
#include "core/egraph/flat_pattern.h"
#include "core/rules/directed_rule.h"
#include "core/rules/multi_rule.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mitos::egraph {

/// A directed rule, or a rule with several roots. Immutable; may be used with several graphs concurrently.
class EGraphRule {
public:
    explicit EGraphRule(std::shared_ptr<const rules::CompiledDirection> rule);
    explicit EGraphRule(std::shared_ptr<const rules::MultiRule> rule);

    [[nodiscard]] std::string name() const { return m_name; }
    /// One for each root; each step of a thread is an instance of one part.
    [[nodiscard]] const std::vector<std::shared_ptr<const rules::CompiledDirection>>& parts() const { return m_parts; }
    /// The rule with several roots; null for a directed rule.
    [[nodiscard]] const rules::MultiRule* multi() const { return m_multi.get(); }
    [[nodiscard]] bool hasSeveralRoots() const { return m_multi != nullptr; }
    /// All left-hand sides; with several roots, their tuple.
    [[nodiscard]] const rules::CompiledRule& compiled() const {
        return m_multi != nullptr ? m_multi->whole() : m_parts.front()->compiled();
    }
    /// The substitution of each part. Fails if there is no such instance.
    [[nodiscard]] Result<std::vector<rules::Substitution>> partSubstitutions(ir::TermBank& bank,
                                                                             const rules::Substitution& whole) const;
    /// The left-hand sides, if they can be matched as numbers (flat_pattern.h); otherwise empty, and the general
    /// matcher is used.
    [[nodiscard]] const std::optional<FlatPattern>& flat() const { return m_flat; }
    /// Whether conditions and right-hand sides depend only on the types of the variables. Then the nodes to add are
    /// computed once for all matches of the same types.
    [[nodiscard]] bool isTyped() const { return m_isTyped; }
    /// How many levels below its root a left-hand side inspects classes (f(x): 1); deeper changes create no new match.
    [[nodiscard]] std::uint32_t height() const { return m_height; }
    /// Pattern nodes of the literals of a flat pattern.
    [[nodiscard]] const std::vector<std::uint32_t>& literals() const { return m_literals; }

private:
    void prepare(std::span<const std::uint32_t> roots);

    std::string m_name;
    std::shared_ptr<const rules::MultiRule> m_multi;
    std::vector<std::shared_ptr<const rules::CompiledDirection>> m_parts;
    std::optional<FlatPattern> m_flat;
    std::vector<std::uint32_t> m_literals;
    std::uint32_t m_height = 0;
    bool m_isTyped = false;
};

}  // namespace mitos::egraph
