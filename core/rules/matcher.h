// SPDX-License-Identifier: GPL-3.0-or-later
// All matches of a rule's left side at one term.
#pragma once

#include "core/rules/compiled.h"
#include "core/rules/frame.h"
#include "core/rules/rule.h"

#include <absl/functional/function_ref.h>

namespace mitos::rules {

/// Backtracking over a list of things still to be matched, pre-order. Variables are bound as they are met and unbound on
/// the way back; the guard is evaluated on a complete match. Finds what the matching machine (machine.h) finds, in the same
/// order; tests/rules/tst_machine_agreement holds both against each other.
class Matcher {
public:
    Matcher(ir::TermBank& bank, const CompiledRule& rule, absl::FunctionRef<bool(const Substitution&)> found);

    void run(ir::TermId subject);

private:
    /// Steps of one call: beyond them there is no further match.
    static constexpr std::uint64_t MaxSteps = 2'000'000;

    struct Scope {
        BinderKey key;
        const Scope* outer = nullptr;
        std::uint32_t depth = 0;  ///< bound variables outside this one
    };
    struct Todo {
        enum class Kind : std::uint8_t {
            Match,
            Children,    ///< of a node whose operator has been matched
            Sequence,    ///< a sequence variable
            Constraint,  ///< x <= P
            Guard,       ///< of an alternate
            Locals,      ///< of an alternate: they must be bound
        };
        Kind kind = Kind::Match;
        const NodeTable* table = nullptr;
        const Node* node = nullptr;
        ir::TermId term;  ///< Match: the term; Sequence: the parent of the elements
        const Scope* scope = nullptr;
        Frame* frame = nullptr;
        const Todo* next = nullptr;
        std::uint32_t from = 0;  ///< Sequence: children [from, to) of the parent
        std::uint32_t to = 0;
        VarIndex function = NoVar;  ///< Sequence: the function variable whose arguments these are
        bool isFunction = false;
        const CompiledConstraint* constraint = nullptr;
    };

    // Each returns false if the search shall stop.
    bool proceed(const Todo* todo);
    bool matchNode(const Todo& todo);
    bool matchVariable(const Todo& todo);
    bool matchSequence(const Todo& todo);
    bool matchApply(const Todo& todo);
    bool matchAttributes(const Todo& todo);
    bool matchFunction(const Todo& todo);
    bool matchUnfold(const Todo& todo);
    bool matchNumber(const Todo& todo);
    bool matchChildren(const Todo& todo, VarIndex function, bool isFunction);
    bool matchPartition(const Todo& todo, VarIndex function, bool isFunction, std::span<const std::uint32_t> lengths);
    bool matchLocal(const Todo& todo, const Resolved& resolved);
    bool matchParameter(const Todo& todo);
    bool matchConstraint(const Todo& todo);
    bool guardOf(const Todo& todo);
    bool localsOf(const Todo& todo);
    bool complete();

    bool bindBinder(const Node& node, ir::TermId term, bool recorded, absl::FunctionRef<bool()> then);
    bool withChoice(ir::TermId choice, const Todo* next);
    /// The term as seen from the variable's context; invalid if it mentions something outside that.
    [[nodiscard]] ir::TermId rescoped(VarIndex var, ir::TermId term, const Scope* scope);
    [[nodiscard]] Surroundings contextOf(const Resolved& resolved) const;
    [[nodiscard]] static Surroundings surroundings(const Scope* scope);
    [[nodiscard]] static BinderKey keyOf(const Node& node, const Frame* frame) {
        return {frame == nullptr ? 0 : frame->id, node.binder};
    }
    [[nodiscard]] static Scope under(BinderKey key, const Scope* outer) {
        return {key, outer, outer == nullptr ? 0 : outer->depth + 1};
    }

    ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    absl::FunctionRef<bool(const Substitution&)> m_found;
    Substitution m_values;
    absl::InlinedVector<bool, 8> m_bound;
    std::uint64_t m_steps = 0;
    std::uint32_t m_frames = 0;  ///< unfoldings so far
};

}  // namespace mitos::rules
