// SPDX-License-Identifier: GPL-3.0-or-later
// Builds terms from the sides of a rule and a substitution. The independent checker also builds left sides with it.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/matching/conditions.h"
#include "core/rules/matching/frame.h"
#include "core/rules/matching/scope.h"
#include "core/rules/rule.h"

namespace mitos::rules {

class Instantiator {
public:
    Instantiator(ir::TermBank& bank, const CompiledRule& rule, const Substitution& substitution)
        : m_bank(bank),
          m_rule(rule),
          m_values(substitution.values) {}
    /// Selects the mode of exactLeft, which corrects the substitution.
    struct Correcting {};
    Instantiator(ir::TermBank& bank, const CompiledRule& rule, Substitution& substitution, Correcting /*mode*/)
        : m_bank(bank),
          m_rule(rule),
          m_values(substitution.values),
          m_corrected(&substitution) {}

    /// Builds the left side. Every choice is read from the substitution; fails if a match constraint of the rule or a condition
    /// of an alternate taken does not hold.
    Result<ir::TermId> left();
    /// Builds the right side of the first branch whose condition holds; numbers of open type get the type that fits `expected`.
    Result<ir::TermId> right(ir::TypeId expected);
    /// For a left side that is a tuple of roots: the number of choices read up to the end of each root.
    Result<std::vector<std::size_t>> choicesOfRoots();
    /// Appends to `made`, from now on, the terms that operators and function variables of the left side build.
    void recordInto(std::vector<ir::TermId>& made) { m_made = &made; }
    /// In the correcting mode: whether values of the substitution were replaced.
    [[nodiscard]] bool hasCorrected() const { return !m_changes.empty(); }

private:
    struct Entry {
        BinderKey key;
        bool isAlias = false;
        ir::TermId alias;         ///< the value, as a term under `depth` binders
        std::uint32_t depth = 0;  ///< number of real binders outside this entry
        ir::TypeId type;
    };
    /// An argument: a node, and the number of the element if it is a sequence or an expansion.
    struct Place {
        const Node* node = nullptr;
        std::size_t element = 0;
    };

    Result<ir::TermId> build(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> buildNode(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> apply(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> function(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> let(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> lambda(const NodeTable& table, const Node& node, ir::TypeId fallback, Frame* frame);
    Result<ir::TermId> unfold(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<std::vector<Place>> places(const NodeTable& table, const Node& node);
    Result<std::size_t> expansionLength(const NodeTable& table, const Node& node) const;
    /// Builds the arguments, then the term that `make` returns for them; numbers of open type are tried as Float and as Integer.
    template <typename Make>
    Result<ir::TermId> applied(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame,
                               ir::TermId function, Make make);
    /// Moves a value from the given surroundings to the current place; `name` is used in the error message.
    Result<ir::TermId> placed(std::span<const BinderKey> context, ir::TermId term, const std::string& name);
    Result<ir::TermId> placed(VarIndex var, ir::TermId term);
    Result<ir::TermId> bound(VarIndex var, const Frame* frame);
    Result<ir::TermId> parameter(const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> local(const Resolved& resolved);
    /// The value of a local, in its own surroundings; it is read from the choices at its first use.
    Result<ir::TermId> localValue(const Resolved& resolved);
    /// A number of the right side where an array may stand: an array with the element type of `like`, a scalar or of its shape.
    Result<ir::TermId> arrayNumber(const NodeTable& table, const Node& node, ir::TypeId like, bool isScalar);
    Result<ir::Payload> attributes(const NodeTable& table, const Node& node, Frame* frame);
    Result<ir::TermId> declared(const Node& node, ir::Payload attributes, std::span<const ir::TermId> children);
    [[nodiscard]] Surroundings contextOf(const Resolved& resolved) const;
    Status constraint(const NodeTable& table, const CompiledConstraint& constraint, Frame* frame);
    Status correct(const Resolved& subject, ir::TermId term);
    [[nodiscard]] Surroundings surroundings() const;
    void enter(BinderKey key, ir::TypeId type);
    void leave();
    Result<ir::TermId> nextChoice();
    /// The name and type of a binder, from the substitution or the recorded choices; the type is invalid if it is bound on the right only.
    Result<ir::TermId> binderValue(const Node& node, Frame* frame);

    ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    std::span<const Binding> m_values;
    std::vector<Entry> m_scope;
    std::vector<std::pair<BinderKey, ir::TypeId>> m_boundTypes;  ///< of all bound variables so far
    std::uint32_t m_depth = 0;
    std::size_t m_element = 0;
    std::size_t m_choice = 0;
    std::uint32_t m_frames = 0;  ///< unfoldings so far
    bool m_isLeft = false;
    std::vector<ir::TermId>* m_made = nullptr;             ///< see recordInto
    Substitution* m_corrected = nullptr;                   ///< the substitution to correct; null in the other mode
    std::vector<std::pair<Owner, std::size_t>> m_changes;  ///< replaced variables of the rule and choices of locals
    std::vector<std::pair<const Binding*, std::size_t>> m_localChoices;  ///< a local's value and its choice
};

/// Builds the left side under values some of which represent several equal terms, as in e-graph matches. The subject of a match
/// constraint becomes the term that the constraint's pattern builds, so that the substitution yields an instance in the strict
/// sense. Fails if there is no such instance (one term would have to be two different ones).
[[nodiscard]] Result<ir::TermId> exactLeft(ir::TermBank& bank, const CompiledRule& rule, Substitution& substitution);

}  // namespace mitos::rules
