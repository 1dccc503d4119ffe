// SPDX-License-Identifier: GPL-3.0-or-later
// The executable form of one direction of a rule.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/rule.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mitos::rules {

/// One direction of a rule of a rule file. Immutable.
/// With several roots, the rewrite of root number i is also a rule of its own, named "NAME.i", over the variables of the whole. Under a
/// substitution of the whole it is checked and applied like any other rule, and the other roots are its premises. Matched alone, it finds
/// where its root matches and leaves open the variables that only other roots determine. Explanations of e-graphs, which replace one
/// class at a time, consist of these rules.
class CompiledDirection final : public DirectedRule {
public:
    /// Keeps a copy of the rule's description (without directions), so that a step stays valid without the rule book. With several roots,
    /// `compiled` rewrites the tuple of the left roots to the tuple of the right roots, and `parts` has one rule per root, over the same
    /// variables; with one root, `parts` is empty. `openVariable` is set for a part only.
    CompiledDirection(const Rule& description, Direction direction, CompiledRule compiled,
                      std::vector<CompiledRule> parts = {}, std::string openVariable = {});
    CompiledDirection(const CompiledDirection&) = delete;
    CompiledDirection& operator=(const CompiledDirection&) = delete;
    ~CompiledDirection() override = default;

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
    [[nodiscard]] std::span<const RuleRoot> roots() const override { return m_roots; }

    /// With several roots, the left side is their tuple and the right side the tuple of the results.
    [[nodiscard]] const CompiledRule& compiled() const { return *m_compiled; }
    /// A variable that this root, one of several, leaves open and that its result or the condition uses; `match` then reports the matches of
    /// the left side, with such variables open and without evaluating conditions. Empty for all other rules.
    [[nodiscard]] const std::string& openVariable() const { return m_openVariable; }
    /// Splits a substitution into one for each root alone: the same values, and of the recorded choices those of the root. Fails if the
    /// substitution does not belong to this rule or does not yield an instance of it.
    [[nodiscard]] Result<std::vector<Substitution>> projections(ir::TermBank& bank, const Substitution& match) const;
    [[nodiscard]] bool guardHolds(ir::TermBank& bank, const Substitution& substitution) const;

private:
    Rule m_rule;
    Direction m_direction;
    std::shared_ptr<const CompiledRule> m_compiled;
    std::shared_ptr<const CompiledRule> m_matched;  ///< without conditions if variables are open
    std::string m_openVariable;
    std::vector<RuleRoot> m_roots;
    bool m_hasPatterns = false;  ///< the left side uses named patterns
    std::vector<std::string> m_names;
};

/// The compiled form of a rule; for a rule with several roots, that of the whole. Null for rules that do not come from a rule file.
[[nodiscard]] const CompiledRule* compiledOf(const DirectedRule& rule);
/// The node table of the rule, and those of the named patterns that it uses, directly or through others.
[[nodiscard]] std::vector<const NodeTable*> tablesOf(const CompiledRule& rule);
/// All that the meaning of a direction depends on, as text: its name and text, the patterns, operators and classes that it uses. Directions
/// with equal contents rewrite alike, whichever files they are in. The registry is that of the rule's book.
[[nodiscard]] std::string contentOf(const CompiledDirection& direction, const ir::OperatorRegistry& registry);

}  // namespace mitos::rules
