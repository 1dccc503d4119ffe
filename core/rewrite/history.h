// SPDX-License-Identifier: GPL-3.0-or-later
// The history of a session: a tree of program states. It IS undo: nothing is ever deleted by going back.
#pragma once

#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace mitos::rewrite {

using StateId = StrongId<struct StateTag>;

/// What the user put on a state to find it again.
struct Marks {
    std::string name;
    std::string note;  ///< any text, several lines
    bool pinned = false;
    std::uint32_t color = 0;  ///< 1, 2, …: a categorical colour of whoever draws it; 0: none

    friend bool operator==(const Marks&, const Marks&) = default;
};

struct HistoryState {
    ir::TermId root;
    StateId parent;            ///< invalid for the start
    std::optional<Step> step;  ///< that led here from the parent
    double cost = 0.0;
    std::vector<StateId> children;  ///< in the order they were made
    StateId sameAs;                 ///< an earlier state with the same term: this one is a link to it
    std::string origin;             ///< "" for hand steps, else the run it came from, "astar #3"
    Marks marks;
    StateId lastChild;  ///< the child redo goes to
};

class History {
public:
    History(ir::Program start, double cost);

    [[nodiscard]] ir::FunctionId function() const { return m_function; }
    [[nodiscard]] StateId start() const { return StateId(0); }
    [[nodiscard]] StateId current() const { return m_current; }
    [[nodiscard]] const HistoryState& state(StateId id) const { return m_states[id.value]; }
    [[nodiscard]] std::size_t size() const { return m_states.size(); }
    /// The state of least cost; the earliest of equals.
    [[nodiscard]] StateId best() const { return m_best; }
    [[nodiscard]] ir::Program program(StateId id) const { return {m_function, state(id).root}; }

    /// Adds a step below `parent` and makes it current. If the parent has a child with the same term already, that one
    /// becomes current instead. A term that stands elsewhere in the tree makes a link (sameAs).
    StateId add(StateId parent, Step step, ir::TermId root, double cost, std::string origin = {});
    /// Adds a whole thread that begins at `parent`'s term, and makes its end current. Costs: one a state, start first.
    StateId addThread(StateId parent, const Thread& thread, const std::vector<double>& costs,
                      const std::string& origin);
    void checkout(StateId id);
    /// To the parent; false at the start.
    bool undo();
    /// To the child visited last; false at a leaf.
    bool redo();
    void mark(StateId id, Marks marks) { m_states[id.value].marks = std::move(marks); }
    /// Costs under another model, one a state in order of id.
    void setCosts(const std::vector<double>& costs);

    /// The steps from the start to a state.
    [[nodiscard]] Thread threadTo(StateId id) const;
    /// From the start to the state, both included.
    [[nodiscard]] std::vector<StateId> pathTo(StateId id) const;
    /// The first state with that term.
    [[nodiscard]] std::optional<StateId> find(ir::TermId root) const;

private:
    ir::FunctionId m_function;
    std::deque<HistoryState> m_states;  // grows without moving what is there, however many there are
    absl::flat_hash_map<ir::TermId, StateId> m_byTerm;
    StateId m_current;  // the states above it have it below their lastChild
    StateId m_best;
};

}  // namespace mitos::rewrite
