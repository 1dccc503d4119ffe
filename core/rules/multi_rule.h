// SPDX-License-Identifier: GPL-3.0-or-later
// Rules with several roots: one substitution matches all roots, and all are replaced together.
#pragma once

#include "core/rules/checker.h"
#include "core/rules/directed_rule.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mitos::rules {

/// One direction of a rule with several roots (TENSAT's multi-patterns). Immutable. As a rule it rewrites the tuple of the
/// roots to the tuple of the results: a step of a program replaces all roots at once. The rewrite of root number i is also a separate
/// rule, named "NAME.i", over the variables of the whole. Under a substitution of the whole it is checked and applied like any other
/// rule, and the other roots are its premises. Matched alone, it finds where its root matches and leaves open the variables that only
/// other roots determine. Explanations of e-graphs, which replace one class at a time, consist of these rules.
class MultiRule final : public DirectedRule {
public:
    MultiRule(const Rule& description, Direction direction, CheckedDirection checked);

    [[nodiscard]] const Rule& rule() const override { return m_whole.rule(); }
    [[nodiscard]] Direction direction() const override { return m_whole.direction(); }
    [[nodiscard]] std::string name() const override { return m_whole.name(); }
    [[nodiscard]] const std::vector<std::string>& variables() const override { return m_whole.variables(); }
    void match(ir::TermBank& bank, ir::TermId subject,
               absl::FunctionRef<bool(const Substitution&)> found) const override {
        m_whole.match(bank, subject, found);
    }
    [[nodiscard]] Result<ir::TermId> apply(ir::TermBank& bank, const Substitution& substitution,
                                           ir::TermId subject) const override {
        return m_whole.apply(bank, substitution, subject);
    }
    [[nodiscard]] Result<ir::TermId> left(ir::TermBank& bank, const Substitution& substitution) const override {
        return m_whole.left(bank, substitution);
    }
    [[nodiscard]] Status isInstance(ir::TermBank& bank, const Substitution& substitution,
                                    ir::TermId subject) const override {
        return m_whole.isInstance(bank, substitution, subject);
    }
    [[nodiscard]] const std::vector<ir::OpId>& rootOperators() const override { return m_whole.rootOperators(); }
    [[nodiscard]] const MultiRule* several() const override { return this; }

    /// The left side is the tuple of the roots, the right side the tuple of the results.
    [[nodiscard]] const CompiledRule& whole() const { return m_whole.compiled(); }
    /// The rules "NAME.0", "NAME.1", …, each from a root to its result.
    [[nodiscard]] const std::vector<std::shared_ptr<const CompiledDirection>>& roots() const { return m_roots; }
    /// The left side of each root alone, without the match constraints, the condition and the locals of the whole; a place
    /// must match it before it is joined with others.
    [[nodiscard]] const std::vector<CompiledRule>& leftSides() const { return m_leftSides; }
    /// A variable that root number i leaves open and that its result or the condition uses; empty if there is none, so that the root
    /// alone determines its rewrite.
    [[nodiscard]] const std::string& openVariable(std::size_t root) const { return m_openVariables[root]; }

    /// Splits a substitution of the whole into one for each of `roots()`: the same values, and of the recorded choices those of the root.
    /// Fails if the substitution does not belong to this rule or does not yield an instance of it.
    [[nodiscard]] Result<std::vector<Substitution>> projections(ir::TermBank& bank, const Substitution& match) const;

private:
    CompiledDirection m_whole;
    std::vector<std::shared_ptr<const CompiledDirection>> m_roots;
    std::vector<CompiledRule> m_leftSides;
    std::vector<std::string> m_openVariables;
};

}  // namespace mitos::rules
