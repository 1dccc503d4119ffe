// SPDX-License-Identifier: GPL-3.0-or-later
// Terms from a rule's sides and a substitution. Used for right sides, and for the left side by the independent checker.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/conditions.h"
#include "core/rules/rule.h"

namespace mitos::rules {

class Instantiator {
public:
    Instantiator(ir::TermBank& bank, const CompiledRule& rule, const Substitution& substitution)
        : m_bank(bank),
          m_rule(rule),
          m_values(substitution.values) {}

    /// The left side; every choice is read from the substitution, and the guards of the alternates taken must hold.
    Result<ir::TermId> left();
    /// The right side of the first branch whose condition holds; numbers of open type fit `expected`.
    Result<ir::TermId> right(ir::TypeId expected);

private:
    struct Environment;
    struct Entry {
        VarIndex var = NoVar;
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

    Result<ir::TermId> build(const NodeTable& table, const Node& node, ir::TypeId expected, const Environment* env);
    Result<ir::TermId> apply(const NodeTable& table, const Node& node, ir::TypeId expected, const Environment* env);
    Result<ir::TermId> function(const NodeTable& table, const Node& node, ir::TypeId expected, const Environment* env);
    Result<ir::TermId> let(const NodeTable& table, const Node& node, ir::TypeId expected, const Environment* env);
    Result<ir::TermId> lambda(const NodeTable& table, const Node& node, ir::TypeId fallback, const Environment* env);
    Result<ir::TermId> unfold(const NodeTable& table, const Node& node, ir::TypeId expected, const Environment* env);
    Result<std::vector<Place>> places(const NodeTable& table, const Node& node);
    Result<std::size_t> expansionLength(const NodeTable& table, const Node& node) const;
    /// Builds the arguments and then the term `make` makes of them; numbers of open type are tried as Float and Integer.
    template <typename Make>
    Result<ir::TermId> applied(const NodeTable& table, const Node& node, ir::TypeId expected, const Environment* env,
                               ir::TermId function, Make make);
    Result<ir::TermId> placed(VarIndex var, ir::TermId term);
    Result<ir::TermId> bound(VarIndex var);
    Result<ir::TermId> nextChoice();
    /// Name and type of a binder from the substitution (or the recorded choices); invalid type: bound on the right only.
    Result<ir::TermId> binderValue(const Node& node, const Environment* env);

    ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    std::span<const Binding> m_values;
    std::vector<Entry> m_scope;
    std::uint32_t m_depth = 0;
    std::size_t m_element = 0;
    std::size_t m_choice = 0;
    bool m_isLeft = false;
};

}  // namespace mitos::rules
