// SPDX-License-Identifier: GPL-3.0-or-later
// Rules with several roots: all of them are found with one substitution, and all are replaced.
#pragma once

#include "core/rules/checker.h"
#include "core/rules/directed_rule.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mitos::rules {

/// One direction of a rule with several roots (TENSAT's multi-patterns). Immutable. As a rule it goes from the tuple of the
/// roots to the tuple of the results: steps of programs take all roots at once. What it does to root number i is a rule
/// of its own, named "NAME.i", over the variables of the whole: under a substitution of the whole it is checked and applied
/// like any other, and the other roots are its premises. By itself it finds where its root matches, with variables open that only other roots
/// determine. Explanations of e-graphs, which replace one class at a time, are made of these.
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
    /// "NAME.0", "NAME.1", …: from root to result.
    [[nodiscard]] const std::vector<std::shared_ptr<const CompiledDirection>>& roots() const { return m_roots; }
    /// The left side of each root alone, without the match constraints, the condition and the locals of the whole: what a place
    /// must match before it is joined with others.
    [[nodiscard]] const std::vector<CompiledRule>& leftSides() const { return m_leftSides; }
    /// A variable that root number i leaves open and its result or the condition needs; empty: there is none, the root
    /// determines its rewrite alone.
    [[nodiscard]] const std::string& openVariable(std::size_t root) const { return m_openVariables[root]; }

    /// The substitution for each of `roots()`, from one for the whole: the same values, of the recorded choices its own.
    /// Errors: the substitution is not of this rule, or makes no instance of it.
    [[nodiscard]] Result<std::vector<Substitution>> projections(ir::TermBank& bank, const Substitution& match) const;

private:
    CompiledDirection m_whole;
    std::vector<std::shared_ptr<const CompiledDirection>> m_roots;
    std::vector<CompiledRule> m_leftSides;
    std::vector<std::string> m_openVariables;
};

}  // namespace mitos::rules
