// SPDX-License-Identifier: GPL-3.0-or-later
// The executable form of one direction of a rule.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/rule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::rules {

class CompiledDirection final : public DirectedRule {
public:
    /// Which matches `match` reports. One root of several need not bind every variable that the condition and the result use; `LeftSides`
    /// then reports the matches of the left side, with those variables open and without evaluating conditions.
    enum class Finds : std::uint8_t { Instances, LeftSides };

    /// Keeps a copy of the rule's description (without directions), so that a step stays valid without the rule book.
    CompiledDirection(const Rule& description, Direction direction, CompiledRule compiled,
                      Finds finds = Finds::Instances);

    [[nodiscard]] const Rule& rule() const override { return m_rule; }
    [[nodiscard]] Direction direction() const override { return m_direction; }
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] const std::vector<std::string>& variables() const override { return m_names; }
    void match(ir::TermBank& bank, ir::TermId subject,
               absl::FunctionRef<bool(const Substitution&)> found) const override;
    [[nodiscard]] Result<ir::TermId> apply(ir::TermBank& bank, const Substitution& substitution,
                                           ir::TermId subject) const override;
    [[nodiscard]] Result<ir::TermId> left(ir::TermBank& bank, const Substitution& substitution) const override;
    [[nodiscard]] Status isInstance(ir::TermBank& bank, const Substitution& substitution,
                                    ir::TermId subject) const override;
    [[nodiscard]] const std::vector<ir::OpId>& rootOperators() const override { return m_compiled.rootOperators; }

    [[nodiscard]] const CompiledRule& compiled() const { return m_compiled; }
    [[nodiscard]] bool guardHolds(ir::TermBank& bank, const Substitution& substitution) const;

private:
    Rule m_rule;
    Direction m_direction;
    CompiledRule m_compiled;
    std::optional<CompiledRule> m_leftAlone;  ///< without conditions, for Finds::LeftSides
    bool m_hasPatterns = false;               ///< the left side uses named patterns
    std::vector<std::string> m_names;
};

/// The compiled form of a rule; for a rule with several roots, that of the whole. Null for rules that do not come from a rule file.
[[nodiscard]] const CompiledRule* compiledOf(const DirectedRule& rule);
/// The node table of the rule, and those of the named patterns that it uses, directly or through others.
[[nodiscard]] std::vector<const NodeTable*> tablesOf(const CompiledRule& rule);

}  // namespace mitos::rules
