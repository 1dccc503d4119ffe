// SPDX-License-Identifier: GPL-3.0-or-later
// Terms from a rule's sides and a substitution. Used for right sides, and for the left side by the independent checker.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/conditions.h"
#include "core/rules/frame.h"
#include "core/rules/rule.h"
#include "core/rules/scope.h"

namespace mitos::rules {

class Instantiator {
public:
    Instantiator(ir::TermBank& bank, const CompiledRule& rule, const Substitution& substitution)
        : m_bank(bank),
          m_rule(rule),
          m_values(substitution.values) {}
    /// For settledLeft: corrects the substitution.
    struct Settling {};
    Instantiator(ir::TermBank& bank, const CompiledRule& rule, Substitution& substitution, Settling /*mode*/)
        : m_bank(bank),
          m_rule(rule),
          m_values(substitution.values),
          m_settled(&substitution) {}

    /// The left side; every choice is read from the substitution, and the match constraints of the rule and the conditions
    /// of the alternates taken must hold.
    Result<ir::TermId> left();
    /// The right side of the first branch whose condition holds; numbers of open type fit `expected`.
    Result<ir::TermId> right(ir::TypeId expected);
    /// For a left side that is a tuple of roots: how many choices are read up to the end of each of them.
    Result<std::vector<std::size_t>> choicesOfRoots();
    /// Settling: whether values of the substitution were replaced on the way.
    [[nodiscard]] bool hasSettled() const { return !m_changes.empty(); }

private:
    struct Entry {
        BinderKey key;
        bool isAlias = false;
        ir::TermId alias;         ///< the value, as a term under `depth` binders
        std::uint32_t depth = 0;  ///< real binders outside this entry
        ir::TypeId type;
    };
    /// An argument place: a node, and which element of a sequence or expansion.
    struct Place {
        const Node* node = nullptr;
        std::size_t element = 0;
    };

    Result<ir::TermId> build(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> apply(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> function(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> let(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> lambda(const NodeTable& table, const Node& node, ir::TypeId fallback, Frame* frame);
    Result<ir::TermId> unfold(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame);
    Result<std::vector<Place>> places(const NodeTable& table, const Node& node);
    Result<std::size_t> expansionLength(const NodeTable& table, const Node& node) const;
    /// Builds the arguments and then the term `make` makes of them; numbers of open type are tried as Float and Integer.
    template <typename Make>
    Result<ir::TermId> applied(const NodeTable& table, const Node& node, ir::TypeId expected, Frame* frame,
                               ir::TermId function, Make make);
    /// A value of the given surroundings at the current place; `name` is for the error.
    Result<ir::TermId> placed(std::span<const BinderKey> context, ir::TermId term, const std::string& name);
    Result<ir::TermId> placed(VarIndex var, ir::TermId term);
    Result<ir::TermId> bound(VarIndex var, const Frame* frame);
    Result<ir::TermId> parameter(const Node& node, ir::TypeId expected, Frame* frame);
    Result<ir::TermId> local(const Resolved& resolved);
    /// The value of a local, in its own surroundings; read from the choices where it is met first.
    Result<ir::TermId> localValue(const Resolved& resolved);
    /// A number of the right side where an array may stand: of the element type of `like`, a scalar or of its shape too.
    Result<ir::TermId> arrayNumber(const NodeTable& table, const Node& node, ir::TypeId like, bool isScalar);
    Result<ir::Payload> attributes(const NodeTable& table, const Node& node, Frame* frame);
    Result<ir::TermId> declared(const Node& node, ir::Payload attributes, std::span<const ir::TermId> children);
    [[nodiscard]] Surroundings contextOf(const Resolved& resolved) const;
    Status constraint(const NodeTable& table, const CompiledConstraint& constraint, Frame* frame);
    Status settle(const Resolved& subject, ir::TermId term);
    [[nodiscard]] Surroundings surroundings() const;
    void enter(BinderKey key, ir::TypeId type);
    void leave();
    Result<ir::TermId> nextChoice();
    /// Name and type of a binder from the substitution (or the recorded choices); invalid type: bound on the right only.
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
    Substitution* m_settled = nullptr;                     ///< null: nothing is to be corrected
    std::vector<std::pair<Owner, std::size_t>> m_changes;  ///< replaced: variables of the rule, choices that are locals
    std::vector<std::pair<const Binding*, std::size_t>> m_localChoices;  ///< which choice a local's value is
};

/// The left side under values of which some stand for any of several equal terms, as matches in an e-graph do: what a match
/// constraint speaks of becomes the term that the constraint's pattern builds, so that the substitution makes an instance
/// in the strict sense. Errors: there is no such instance (one term would have to be two different ones).
[[nodiscard]] Result<ir::TermId> settledLeft(ir::TermBank& bank, const CompiledRule& rule, Substitution& substitution);

}  // namespace mitos::rules
