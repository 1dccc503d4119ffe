// SPDX-License-Identifier: GPL-3.0-or-later
// The declarative semantics of CorePyPM (PyPM paper, Figures 15 and 16): whether p @ ⟨θ, φ⟩ ≈ t is derivable, and for which θ and φ.
//
// It reads the compiled pattern as data and shares no code with the machine and the matcher: nothing is bound on the way, there
// is no order of matching and no backtracking. Terms without binders, tuples and sequences are covered.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/rule.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::tests {

/// θ and φ together. A variable of the rule has its VarIndex as name; locals of unfoldings have larger ones. A function variable's value is
/// a term with its operator, the same one for every term with that operator and payload.
using Theta = std::vector<std::pair<std::uint32_t, ir::TermId>>;  // sorted by name

class DeclarativeSemantics {
public:
    /// More is read than Figure 16 has: an argument of a named pattern may be a pattern q where the paper has a variable y. It replaces
    /// the parameter x; if a condition asks for x, the pattern is ∃x. p with (x; (q ≈ x)) for x. Attributes are further arguments,
    /// and a number is a constant of one of the types it may have.
    DeclarativeSemantics(ir::TermBank& bank, const rules::CompiledRule& rule, ir::TermId subject);

    /// θ and φ of a match. Variables without a value are not in it.
    [[nodiscard]] Theta thetaOf(const rules::Substitution& match) const;

    /// Whether the pattern @ θ ≈ the subject has a derivation. ∃ tries every subterm of the subject, or every operator in it.
    [[nodiscard]] bool isDerivable(const Theta& theta);

    /// The smallest θ with a derivation, over the variables of the rule; by Theorem 1 each one that contains one of them has a derivation, and
    /// no other one has. A variable that a guard or a match constraint asks for, and that nothing determines, may be any subterm of the subject.
    /// Nothing if there are too many to list.
    [[nodiscard]] std::optional<std::vector<Theta>> smallest();

    /// Subterms of the subject and values of attributes: what variables stand for.
    [[nodiscard]] const std::vector<ir::TermId>& terms() const { return m_terms; }
    /// A construct that is not covered, for example "a bound variable"; empty if there is none so far.
    [[nodiscard]] const std::string& unsupported() const { return m_unsupported; }

    /// How often P-MU is applied to one pattern at one term inside itself. It bounds derivations by the size of the subject; the machine, which
    /// allows it once, reports when it needed more.
    static constexpr int MaxAtOneTerm = 2;

private:
    using Name = std::uint32_t;
    using Thetas = std::vector<Theta>;
    static constexpr Name NoName = 0xFFFFFFFF;

    /// μP(x1, …)[y1, …]: a use of a named pattern with one of its alternates.
    struct Unfolding {
        const rules::NodeTable* arguments = nullptr;
        const rules::Node* use = nullptr;
        const Unfolding* outer = nullptr;  ///< of the arguments
        const rules::NamedPattern* pattern = nullptr;
        const rules::Alternate* alternate = nullptr;
        ir::TermId term;
        Name first = 0;  ///< of the names of its locals, then of its parameters

        [[nodiscard]] std::size_t size() const { return alternate->locals.size() + pattern->parameters.size(); }
    };
    struct Pattern {
        const rules::NodeTable* table = nullptr;
        const rules::Node* node = nullptr;
        const Unfolding* in = nullptr;  ///< null for the rule itself
    };
    /// The variable that a node is, or the pattern that it stands for, or both: (x; (q ≈ x)).
    struct Meaning {
        Name name = NoName;
        Pattern pattern;
    };
    /// p with its match constraints and guard.
    struct Body {
        Pattern root;
        const std::vector<rules::CompiledConstraint>* constraints = nullptr;
        std::uint32_t guard = rules::NoNode;
    };

    [[nodiscard]] Body whole() const;
    [[nodiscard]] static Body bodyOf(const Unfolding& unfolding);
    [[nodiscard]] Meaning meaningOf(const Pattern& pattern) const;
    [[nodiscard]] Meaning parameter(std::uint32_t index, const Unfolding& in) const;
    /// The variable that a condition asks for.
    [[nodiscard]] Name nameOf(rules::Owner owner, std::uint32_t index, const Unfolding* in) const;
    [[nodiscard]] bool mayUnfold(const Pattern& pattern, ir::TermId term) const;
    [[nodiscard]] Unfolding unfolding(const Pattern& use, std::size_t alternate, ir::TermId term, Name first) const;
    /// Whether the node is a constant, an operator or a function variable that can be at the root of the term.
    [[nodiscard]] bool fitsRoot(const Pattern& pattern, ir::TermId term);
    /// The argument patterns with their terms, for P-FUN and P-FUN-VAR.
    [[nodiscard]] std::vector<std::pair<Pattern, ir::TermId>> arguments(const Pattern& pattern, ir::TermId term) const;
    [[nodiscard]] ir::TermId symbolOf(ir::TermId term) const;
    [[nodiscard]] bool isApplication(ir::TermId term) const;

    // p @ θ ≈ t with everything given: values by name; those of ∃ are appended.
    bool derives(const Pattern& pattern, ir::TermId term);
    bool derives(const Body& body, ir::TermId term);
    bool derivesUnfolding(const Unfolding& unfolding, ir::TermId term, std::size_t local);
    bool derivesRule(std::size_t local);
    /// Whether `then` holds for some value of the name, with which the body may have a derivation.
    bool exists(Name name, bool isFunction, const Body& body, ir::TermId term, absl::FunctionRef<bool()> then);
    [[nodiscard]] bool has(Name name, ir::TermId value) const {
        return m_values[name] == value || (m_isOpen && !m_values[name].isValid());
    }

    // All θ.
    Thetas solve(const Pattern& pattern, ir::TermId term);
    Thetas solve(const Body& body, ir::TermId term);
    void keepGuarded(const Body& body, const Theta& theta, Thetas& kept);
    Thetas joined(const Thetas& left, const Thetas& right);
    void tidy(Thetas& thetas);
    [[nodiscard]] const std::vector<ir::TermId>& valuesFor(Name name) const;

    ir::TermBank& m_bank;
    const rules::CompiledRule& m_rule;
    ir::TermId m_subject;
    std::vector<ir::TermId> m_terms;
    std::vector<ir::TermId> m_symbols;
    std::vector<ir::TermId> m_values;   ///< isDerivable: by name
    bool m_isOpen = false;              ///< isDerivable: a name without a value may have any
    std::vector<bool> m_functionNames;  ///< smallest: by name
    bool m_isTooMany = false;
    std::string m_unsupported;
};

}  // namespace mitos::tests
