// SPDX-License-Identifier: GPL-3.0-or-later
// The history of a session: a tree of program states, which also implements undo. Going back deletes nothing.
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

/// The user's marks on a state.
struct Marks {
    std::string name;
    std::string note;  ///< any text, several lines
    bool pinned = false;
    std::uint32_t color = 0;  ///< 1, 2, …: number of a categorical colour, chosen by the view; 0: none

    friend bool operator==(const Marks&, const Marks&) = default;
};

struct HistoryState {
    ir::TermId root;
    StateId parent;            ///< invalid for the start
    std::optional<Step> step;  ///< from the parent to this state
    double cost = 0.0;
    std::vector<StateId> children;  ///< in the order of creation
    StateId sameAs;                 ///< an earlier state with the same term: this one is a link to it
    std::string origin;             ///< "" for hand steps, else the run it came from, "astar #3"
    Marks marks;
    StateId lastChild;  ///< the child to which redo goes
};

class History {
public:
    History(ir::Program start, double cost);

    [[nodiscard]] ir::FunctionId function() const { return m_function; }
    [[nodiscard]] StateId start() const { return StateId(0); }
    [[nodiscard]] StateId current() const { return m_current; }
    [[nodiscard]] const HistoryState& state(StateId id) const { return m_states[id.value]; }
    [[nodiscard]] std::size_t size() const { return m_states.size(); }
    /// The state of least cost; the earliest if several have it.
    [[nodiscard]] StateId best() const { return m_best; }
    [[nodiscard]] ir::Program program(StateId id) const { return {m_function, state(id).root}; }

    /// Adds a step below `parent` and makes its state current. If the parent already has a child with the same term, that one
    /// becomes current instead. A state whose term occurs elsewhere in the tree becomes a link (sameAs).
    StateId add(StateId parent, Step step, ir::TermId root, double cost, std::string origin = {});
    /// Adds a whole thread that begins at `parent`'s term, and makes its end current. `costs` has one entry per state, the start first.
    StateId addThread(StateId parent, const Thread& thread, const std::vector<double>& costs,
                      const std::string& origin);
    void checkout(StateId id);
    /// Goes to the parent; returns false at the start.
    bool undo();
    /// Goes to the child visited last; returns false at a leaf.
    bool redo();
    void mark(StateId id, Marks marks) { m_states[id.value].marks = std::move(marks); }
    /// Sets the costs under another model, one per state in the order of the ids.
    void setCosts(const std::vector<double>& costs);

    /// The steps from the start to a state.
    [[nodiscard]] Thread threadTo(StateId id) const;
    /// The states from the start to a state, both included.
    [[nodiscard]] std::vector<StateId> pathTo(StateId id) const;

private:
    ir::FunctionId m_function;
    std::deque<HistoryState> m_states;  // a deque, because it grows without moving its elements
    absl::flat_hash_map<ir::TermId, StateId> m_byTerm;
    StateId m_current;  // the lastChild of each state above it leads to it
    StateId m_best;
};

}  // namespace mitos::rewrite
