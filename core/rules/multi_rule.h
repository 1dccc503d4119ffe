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

/// One direction of a rule with several roots (TENSAT's multi-patterns). Immutable. What it does to root number i is a rule
/// of its own, named "NAME.i", over the variables of the whole: under a substitution of the whole it is checked and applied
/// like any other, and the other roots are its premises. By itself it finds where its root matches, with variables open that only other roots
/// determine.
class MultiRule {
public:
    MultiRule(const Rule& description, Direction direction, CheckedDirection checked);

    /// The rule as written; without directions.
    [[nodiscard]] const Rule& rule() const { return m_rule; }
    [[nodiscard]] Direction direction() const { return m_direction; }
    /// The rule's name, with "~" behind it for the backward direction.
    [[nodiscard]] std::string name() const;
    /// The left side is the tuple of the roots, the right side the tuple of the results.
    [[nodiscard]] const CompiledRule& whole() const { return m_whole; }
    /// "NAME.0", "NAME.1", …: from root to result.
    [[nodiscard]] const std::vector<std::shared_ptr<const CompiledDirection>>& roots() const { return m_roots; }
    /// A variable that root number i leaves open and its result or the condition needs; empty: there is none, the root
    /// determines its rewrite alone.
    [[nodiscard]] const std::string& openVariable(std::size_t root) const { return m_openVariables[root]; }

    /// The substitution for each of `roots()`, from one for the whole: the same values, of the recorded choices its own.
    /// Errors: the substitution is not of this rule, or makes no instance of it.
    [[nodiscard]] Result<std::vector<Substitution>> projections(ir::TermBank& bank, const Substitution& whole) const;

private:
    Rule m_rule;
    Direction m_direction;
    CompiledRule m_whole;
    std::vector<std::shared_ptr<const CompiledDirection>> m_roots;
    std::vector<std::string> m_openVariables;
};

}  // namespace mitos::rules
