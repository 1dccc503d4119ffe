// SPDX-License-Identifier: GPL-3.0-or-later
// All matches of a rule's left side at one term.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/rule.h"

#include <absl/functional/function_ref.h>

namespace mitos::rules {

/// Backtracking over a list of things still to be matched, pre-order. Variables are bound as they are met and unbound on
/// the way back; the guard is evaluated on a complete match.
class Matcher {
public:
    Matcher(ir::TermBank& bank, const CompiledRule& rule, absl::FunctionRef<bool(const Substitution&)> found);

    void run(ir::TermId subject);

private:
    /// Unfoldings of named patterns inside each other, and steps of one call: beyond them there is no match.
    static constexpr std::uint32_t MaxUnfoldDepth = 300;
    static constexpr std::uint64_t MaxSteps = 2'000'000;

    struct Scope {
        VarIndex
            var;  ///< the bound variable; a function variable: what its operator binds; NoVar: inside a named pattern
        const Scope* outer;
        std::uint32_t depth;  ///< bound variables outside this one
    };
    struct Environment {
        const NodeTable* table;  ///< of the arguments
        const Node* unfold;
        const Environment* outer;
        std::uint32_t depth;
    };
    struct Todo {
        enum class Kind : std::uint8_t { Match, Sequence, Guard };
        Kind kind = Kind::Match;
        const NodeTable* table = nullptr;
        const Node* node = nullptr;
        ir::TermId term;  ///< Match: the term; Sequence: the parent of the elements
        const Scope* scope = nullptr;
        const Environment* env = nullptr;
        const Todo* next = nullptr;
        std::uint32_t from = 0;  ///< Sequence: children [from, to) of the parent
        std::uint32_t to = 0;
        VarIndex function = NoVar;  ///< Sequence: the function variable whose arguments these are
        bool isFunction = false;
        const Alternate* alternate = nullptr;  ///< Guard
    };

    // Each returns false if the search shall stop.
    bool proceed(const Todo* todo);
    bool matchNode(const Todo& todo);
    bool matchVariable(const Todo& todo);
    bool matchSequence(const Todo& todo);
    bool matchApply(const Todo& todo);
    bool matchFunction(const Todo& todo);
    bool matchUnfold(const Todo& todo);
    bool matchNumber(const Todo& todo);
    bool matchChildren(const Todo& todo, VarIndex function, bool isFunction);
    bool matchPartition(const Todo& todo, VarIndex function, bool isFunction, std::span<const std::uint32_t> lengths);
    bool guardOf(const Todo& todo);
    bool complete();

    bool bindBinder(const Node& node, ir::TermId term, bool recorded, absl::FunctionRef<bool()> then);
    bool withChoice(ir::TermId choice, const Todo* next);
    /// The term as seen from the variable's context; invalid if it mentions something outside that.
    [[nodiscard]] ir::TermId rescoped(VarIndex var, ir::TermId term, const Scope* scope);
    [[nodiscard]] VarIndex functionOf(const Node& node, const Environment* env) const;
    [[nodiscard]] static Scope under(VarIndex var, const Scope* outer) {
        return {var, outer, outer == nullptr ? 0 : outer->depth + 1};
    }

    ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    absl::FunctionRef<bool(const Substitution&)> m_found;
    Substitution m_values;
    absl::InlinedVector<bool, 8> m_bound;
    std::uint64_t m_steps = 0;
};

}  // namespace mitos::rules
