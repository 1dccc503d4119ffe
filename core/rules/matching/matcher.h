// SPDX-License-Identifier: GPL-3.0-or-later
// Finds all matches of a rule's left side at one place of a graph.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/matching/frame.h"
#include "core/rules/matching/graph_view.h"
#include "core/rules/rule.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <vector>

namespace mitos::rules {

/// A backtracking matcher over a list of pending actions, in pre-order. Each node of a place is a choice point. Variables are
/// bound when they are reached and unbound on backtracking; the guard is evaluated on a complete match. It finds the same matches as the
/// matching machine (machine.h), in the same order; tests/rules/tst_machine_agreement compares the two.
/// Instantiated for programs (Matcher) and for every other graph (MatcherOver<GraphView>), where graph_matcher.h turns the matches
/// into instances. Keeps its memory between runs.
template <typename View>
class MatcherOver {
public:
    using Found = absl::FunctionRef<bool(const Substitution&)>;

    /// The limit on the steps of one run, after which the search for matches ends.
    static constexpr std::uint64_t MaxSteps = 2'000'000;
    /// The limit on the steps that one match consists of: a recursive pattern over a graph may unfold to a tree that is exponentially larger.
    /// It ends the search as the limit above does. Matches of more than a few steps are searched for on a larger stack.
    static constexpr std::uint32_t MaxDepth = 20'000;

    /// The view and the rule must outlive the matcher.
    MatcherOver(const View& view, const CompiledRule& rule, std::uint64_t maxSteps = MaxSteps);

    /// Reports every match at the place; stops early if `found` returns false. Returns false if the limit on steps was reached before
    /// all matches were found.
    bool run(PlaceId place, Found found);
    /// Completes a match whose left side is already matched: checks the match constraints, the condition and the locals. A variable
    /// without a value in `start` is unbound; a variable whose value is an empty sequence counts as bound.
    bool runRest(const Substitution& start, Found found);

private:
    struct Scope {
        BinderKey key;
        const Scope* outer = nullptr;
        std::uint32_t depth = 0;  ///< number of bound variables outside this one
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
        PlaceId place;           ///< Match: the place to match; Sequence: the parent of the elements
        std::uint32_t head = 0;  ///< Children, Sequence: the number of the node at the place
        const Scope* scope = nullptr;
        Frame* frame = nullptr;
        const Todo* next = nullptr;
        std::uint32_t from = 0;  ///< Sequence: children [from, to) of the parent
        std::uint32_t to = 0;
        VarIndex function = NoVar;  ///< Sequence: the function variable whose arguments these are
        bool isFunction = false;
        const CompiledConstraint* constraint = nullptr;
    };

    bool search(const Node* left, PlaceId place, Found found);
    /// Runs the actions with that limit on nested steps. Returns whether it was reached, which ends the search; `found` was called for the matches before.
    bool exceedsDepth(const Todo* todo, std::uint32_t limit);
    // Each of these returns false if the search is to stop.
    bool proceed(const Todo* todo);
    bool dispatch(const Todo& todo);
    bool matchNode(const Todo& todo);
    bool matchHead(const Todo& todo, ir::TermId term);
    bool matchVariable(const Todo& todo);
    bool matchSequence(const Todo& todo);
    bool matchBound(const Todo& todo, ir::TermId term);
    bool matchApply(const Todo& todo, ir::TermId term);
    bool matchBinder(const Todo& todo, ir::TermId term);
    bool matchAttributes(const Todo& todo, ir::TermId term);
    bool matchFunction(const Todo& todo, ir::TermId term);
    bool matchUnfold(const Todo& todo);
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
    /// The value of the place, moved to the surroundings of the variable's values; invalid if it mentions a bound variable outside them.
    template <typename Name>
    [[nodiscard]] ir::TermId valueFor(const Name& variable, PlaceId place, const Scope* scope) const;
    /// Whether the place, below `scope`, represents `known`, the value of a variable.
    template <typename Name>
    [[nodiscard]] bool standsFor(const Name& variable, ir::TermId known, PlaceId place, const Scope* scope) const;
    [[nodiscard]] Surroundings contextOf(VarIndex var) const;
    [[nodiscard]] Surroundings contextOf(const Resolved& resolved) const;
    [[nodiscard]] PlaceId child(const Todo& todo, std::uint32_t index) const {
        return m_view.child(todo.place, todo.head, index);
    }
    /// The attribute values in a payload, read once for each text. The reference is valid until the next call.
    [[nodiscard]] const std::vector<ir::TermId>& attributesIn(Symbol text);
    [[nodiscard]] static Surroundings surroundings(const Scope* scope);
    [[nodiscard]] static BinderKey keyOf(const Node& node, const Frame* frame) {
        return {frame == nullptr ? 0 : frame->id, node.binder};
    }
    [[nodiscard]] static Scope under(BinderKey key, const Scope* outer) {
        return {key, outer, outer == nullptr ? 0 : outer->depth + 1};
    }

    const View& m_view;
    ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    std::uint64_t m_maxSteps;
    const Found* m_found = nullptr;  ///< during a run
    Substitution m_values;
    absl::InlinedVector<bool, 8> m_bound;
    std::uint64_t m_steps = 0;
    std::uint32_t m_frames = 0;  ///< unfoldings so far
    std::uint32_t m_depth = 0;   ///< nested steps
    std::uint32_t m_depthLimit = 0;
    bool m_isTooDeep = false;
    absl::flat_hash_map<Symbol, std::vector<ir::TermId>> m_attributes;
};

extern template class MatcherOver<ProgramView>;
extern template class MatcherOver<GraphView>;

using Matcher = MatcherOver<ProgramView>;

}  // namespace mitos::rules
