// SPDX-License-Identifier: GPL-3.0-or-later
// The matching machine of the PyPM paper (Figures 7, 17, 18), which defines what a pattern matches.
//
// A state is success(θ, φ), failure, or running(θ, φ, stack, continuation). Each step is one named transition. Beyond the
// paper, the machine runs over a graph view in which a place may offer several nodes, continues to the next match after a success,
// bounds unfoldings, and covers the additions of our language: bound variables, sequences, numbers of open type, attributes.
// The compiled matcher (matcher.h) finds the same matches in the same order, much faster.
#pragma once

#include "core/ir/path.h"
#include "core/rules/matching/frame.h"
#include "core/rules/matching/graph_view.h"
#include "core/rules/matching/transition.h"
#include "core/rules/rule.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mitos::rules {

/// A pattern in its current form during a run of the machine.
struct MachinePattern {
    enum class Form : std::uint8_t {
        Node,        ///< a node of the rule or of an alternate
        Alternates,  ///< p || p' || …: the alternates of an unfolding from number `first` on
        Layers,  ///< an alternate, or the whole left side: ∃x…. ((p; (p' ≈ x)…); guard(g)), without its `first` outer layers
    };
    Form form = Form::Node;
    const NodeTable* table = nullptr;  ///< Alternates: of the use; Layers of the rule itself: its own
    const Node* node = nullptr;        ///< Node; Alternates: the use of the named pattern
    Frame* frame = nullptr;            ///< Node, Layers: null for the rule itself; Alternates: of the use
    std::uint32_t first = 0;
};

/// An element of the continuation.
struct MachineAction {
    enum class Kind : std::uint8_t {
        Match,           ///< match(p, t)
        Guard,           ///< guard(g)
        CheckName,       ///< checkName(x)
        MatchConstr,     ///< matchConstr(p, x)
        MatchArguments,  ///< distribute the arguments of an operator that has sequence variables among them
        MatchSequence,   ///< a... against a range of arguments
        MatchAttribute,  ///< i against the index of an element of a tuple
    };
    Kind kind = Kind::Match;
    MachinePattern pattern;  ///< Guard, CheckName, MatchConstr: only the frame
    PlaceId place;           ///< Match: the place to match; MatchArguments, MatchSequence: that of the operator
    std::uint32_t node = 0;  ///< number of the node at the place; Match: the first node not tried yet
    bool isChosen = false;   ///< Match: only that node
    Surroundings scope;
    ir::Path path;  ///< of the place, from the subject of the match
    const CompiledConstraint* constraint = nullptr;
    std::uint32_t index =
        0;  ///< CheckName: the local, or the VarIndex; MatchSequence: the first argument; MatchAttribute: value
    std::uint32_t end = 0;      ///< MatchSequence: one past the last argument
    bool isFunction = false;    ///< MatchSequence: these are arguments of a function variable
    VarIndex function = NoVar;  ///< MatchSequence: the bound variable of that function variable's operator
};

/// A persistent list, whose tails are shared between states.
struct MachineContinuation {
    MachineAction action;
    std::shared_ptr<const MachineContinuation> next;
};

/// A value of θ or φ that belongs to an unfolding.
struct MachineSlot {
    std::uint32_t frame = 0;
    Owner owner = Owner::Local;  ///< Local or (tracked) Parameter
    std::uint32_t index = 0;
    std::string name;
    const NamedPattern* pattern = nullptr;
    bool isFunction = false;
    ir::TermId term;
    ir::Path path;
};

/// θ, φ and the continuation; also the type of the stack's elements.
struct MachineState {
    Substitution values;           ///< θ and φ of the rule's variables, and the recorded choices
    std::vector<bool> bound;       ///< by variable
    std::vector<ir::Path> places;  ///< by variable: where it was bound
    std::vector<MachineSlot> slots;
    std::shared_ptr<const MachineContinuation> continuation;
    std::uint32_t progress = 0;  ///< number of transitions so far that matched something
};

class Machine {
public:
    enum class Status : std::uint8_t { Running, Success, Failure };

    /// Prints terms in the texts of refusals.
    using TermText = std::function<std::string(ir::TermId)>;

    /// Describes the last transition.
    struct Report {
        Transition transition = Transition::Count;
        MachineAction action;  ///< the head of the continuation before it (none for Success and Next)
        bool hasAction = false;
        std::uint32_t progress = 0;  ///< of the state before the transition
        std::string detail;          ///< of refusals: what was expected and what was found; only if `text` was given
        MachineState refused;        ///< of refusals: the state that refused; only if `text` was given
    };

    /// The rule must outlive the machine. Without `text`, refusals are not explained, which is faster.
    Machine(const GraphView& view, const CompiledRule& rule, PlaceId subject, TermText text = {});

    [[nodiscard]] Status status() const { return m_status; }
    /// θ, φ and the continuation; after a failure, those of the last state.
    [[nodiscard]] const MachineState& state() const { return m_state; }
    /// The choice points; the last one is resumed first.
    [[nodiscard]] const std::vector<MachineState>& stack() const { return m_stack; }
    /// Makes one transition of a running machine, or ST-NEXT of one that has succeeded. Must not be called after a failure.
    Transition step();
    /// Steps until success or failure; after `maxSteps` steps it returns with the machine still running.
    Status run(std::uint64_t maxSteps = DefaultMaxSteps);
    [[nodiscard]] const Report& report() const { return m_report; }
    [[nodiscard]] const CompiledRule& rule() const { return m_rule; }
    [[nodiscard]] const GraphView& view() const { return m_view; }

    static constexpr std::uint64_t DefaultMaxSteps = 10'000'000;

private:
    using Action = MachineAction;
    using Continuation = std::shared_ptr<const MachineContinuation>;

    Transition dispatch(const Action& action);
    Transition match(const Action& action);
    Transition matchNode(const Action& action);
    Transition matchVariable(const Action& action, VarIndex var);
    Transition matchSlot(const Action& action, const Resolved& resolved);
    [[nodiscard]] bool standsFor(const Action& action, ir::TermId known, const Surroundings& context) const;
    Transition matchApply(const Action& action, ir::TermId term);
    Transition matchBinder(const Action& action, ir::TermId term);
    Transition matchFunction(const Action& action, ir::TermId term);
    Transition matchBound(const Action& action, ir::TermId term);
    Transition matchLiteral(const Action& action, ir::TermId term);
    Transition unfold(const Action& action);
    Transition alternates(const Action& action);
    Transition layers(const Action& action);
    Transition guard(const Action& action);
    Transition checkName(const Action& action);
    Transition matchConstr(const Action& action);
    Transition shareOut(const Action& action);
    Transition matchSequence(const Action& action);
    Transition matchAttribute(const Action& action);

    /// Whether the number of the node's arguments fits the pattern.
    [[nodiscard]] bool fitsArity(const Action& action) const;
    /// Puts the arguments in front of the continuation; `lengths` are the lengths of the sequences.
    void pushArguments(const Action& action, std::span<const std::uint32_t> lengths, Continuation& onto);
    void pushAttributes(const Action& action, ir::TermId term, Continuation& onto);
    void pushOperands(const Action& action, ir::TermId term);
    /// Returns the layers of alternate `index` and records the choice in the state.
    MachinePattern enter(const Action& action, std::uint32_t index, MachineState& state);
    void push(Action action) { m_state.continuation = cell(std::move(action), m_state.continuation); }
    [[nodiscard]] static Continuation cell(Action action, Continuation next);
    void record(MachineState& state, ir::TermId choice) const;
    [[nodiscard]] const MachineSlot* slot(const Resolved& resolved) const;
    void bindSlot(const Resolved& resolved, ir::TermId term, const ir::Path& path, bool isFunction);
    [[nodiscard]] ir::TermId valueOf(const Resolved& resolved) const;
    [[nodiscard]] Surroundings contextOf(const Resolved& resolved) const;
    [[nodiscard]] std::string nameOf(const Resolved& resolved) const;
    /// Records what was expected and found (only if refusals are explained) and returns the transition.
    template <typename Text>
    Transition refuse(Transition transition, const Text& text) {
        if (m_text) m_report.detail = text();
        return transition;
    }
    Transition progress(Transition transition);
    void backtrack();

    const GraphView& m_view;
    ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    TermText m_text;
    Status m_status = Status::Running;
    MachineState m_state;
    std::vector<MachineState> m_stack;
    std::vector<std::unique_ptr<Frame>> m_frames;
    Report m_report;
};

}  // namespace mitos::rules
