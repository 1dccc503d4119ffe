// SPDX-License-Identifier: GPL-3.0-or-later
// Rules prepared for e-graphs.
#pragma once

#include "core/egraph/egraph.h"
#include "core/egraph/flat_pattern.h"
#include "core/rules/directed_rule.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::egraph {

/// A rule with what its application needs. Immutable; may be used with several graphs concurrently.
class EGraphRule {
public:
    explicit EGraphRule(std::shared_ptr<const rules::CompiledDirection> rule);

    [[nodiscard]] std::string name() const { return m_name; }
    [[nodiscard]] const rules::CompiledDirection& rule() const { return *m_rule; }
    /// The rule of each root alone; each step of a thread is an instance of one part.
    [[nodiscard]] const std::vector<std::shared_ptr<const rules::CompiledDirection>>& parts() const { return m_parts; }
    [[nodiscard]] bool hasSeveralRoots() const { return m_parts.size() > 1; }
    /// All left-hand sides; with several roots, their tuple.
    [[nodiscard]] const rules::CompiledRule& compiled() const { return m_rule->compiled(); }
    /// The left-hand sides, if they can be matched as numbers (flat_pattern.h); otherwise empty, and the general
    /// matcher is used.
    [[nodiscard]] const std::optional<FlatPattern>& flat() const { return m_flat; }
    /// Whether conditions and right-hand sides depend only on the types of the variables and on attributes. Then the
    /// nodes to add are computed once for all matches of the same types and attributes.
    [[nodiscard]] bool isTyped() const { return m_isTyped; }
    /// How many levels below its root a left-hand side inspects classes (f(x): 1); deeper changes create no new match.
    [[nodiscard]] std::uint32_t height() const { return m_height; }
    /// The values of analyses for which its conditions ask.
    struct Asked {
        std::uint32_t analysis = 0;               ///< a number in CompiledRule::analyses
        rules::VarIndex variable = rules::NoVar;  ///< NoVar: of a named pattern
    };
    [[nodiscard]] const std::vector<Asked>& asked() const { return m_asked; }
    /// Pattern nodes of the literals of a flat pattern.
    [[nodiscard]] const std::vector<std::uint32_t>& literals() const { return m_literals; }

private:
    std::string m_name;
    std::shared_ptr<const rules::CompiledDirection> m_rule;
    std::vector<std::shared_ptr<const rules::CompiledDirection>> m_parts;
    std::optional<FlatPattern> m_flat;
    std::vector<std::uint32_t> m_literals;
    std::vector<Asked> m_asked;
    std::uint32_t m_height = 0;
    bool m_isTyped = false;
};

}  // namespace mitos::egraph
