// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of states. Going back moves `current` and removes nothing.
#include "core/rewrite/history.h"

#include <algorithm>
#include <cassert>

namespace mitos::rewrite {

History::History(ir::Program start, double cost) : m_function(start.function), m_current(0), m_best(0) {
    HistoryState state;
    state.root = start.root;
    state.cost = cost;
    m_states.push_back(std::move(state));
    m_byTerm.emplace(start.root, StateId(0));
}

StateId History::add(StateId parent, Step step, ir::TermId root, double cost, std::string origin) {
    assert(parent.value < m_states.size());
    for (const StateId child : m_states[parent.value].children) {
        if (m_states[child.value].root == root) {
            checkout(child);
            return child;
        }
    }
    const StateId id(static_cast<std::uint32_t>(m_states.size()));
    HistoryState state;
    state.root = root;
    state.parent = parent;
    state.step = std::move(step);
    state.cost = cost;
    state.origin = std::move(origin);
    if (const auto [first, isNew] = m_byTerm.emplace(root, id); !isNew) state.sameAs = first->second;
    m_states.push_back(std::move(state));
    m_states[parent.value].children.push_back(id);
    if (cost < m_states[m_best.value].cost) m_best = id;
    if (parent == m_current) {
        // The states above already lead to the parent, so that a long line of steps is added in linear time.
        m_states[parent.value].lastChild = id;
        m_current = id;
    } else {
        checkout(id);
    }
    return id;
}

StateId History::addThread(StateId parent, const Thread& thread, const std::vector<double>& costs,
                           const std::string& origin) {
    assert(thread.start.root == m_states[parent.value].root);
    assert(costs.size() == thread.steps.size() + 1);
    StateId at = parent;
    checkout(parent);
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        at = add(at, thread.steps[i], thread.states[i], costs[i + 1], origin);
    }
    return at;
}

void History::checkout(StateId id) {
    assert(id.value < m_states.size());
    m_current = id;
    // Redo from any state above this one comes back here.
    for (StateId at = id; m_states[at.value].parent.isValid(); at = m_states[at.value].parent) {
        m_states[m_states[at.value].parent.value].lastChild = at;
    }
}

bool History::undo() {
    const StateId parent = m_states[m_current.value].parent;
    if (!parent.isValid()) return false;
    m_current = parent;
    return true;
}

bool History::redo() {
    const StateId child = m_states[m_current.value].lastChild;
    if (!child.isValid()) return false;
    m_current = child;
    return true;
}

void History::setCosts(const std::vector<double>& costs) {
    assert(costs.size() == m_states.size());
    for (std::size_t i = 0; i < m_states.size(); ++i) m_states[i].cost = costs[i];
    const auto least = std::ranges::min_element(costs);
    m_best = StateId(static_cast<std::uint32_t>(least - costs.begin()));
}

Thread History::threadTo(StateId id) const {
    Thread thread{program(start()), {}, {}};
    for (const StateId at : pathTo(id)) {
        if (at == start()) continue;
        thread.steps.push_back(*state(at).step);
        thread.states.push_back(state(at).root);
    }
    return thread;
}

std::vector<StateId> History::pathTo(StateId id) const {
    std::vector<StateId> path;
    for (StateId at = id; at.isValid(); at = state(at).parent) path.push_back(at);
    std::ranges::reverse(path);
    return path;
}

}  // namespace mitos::rewrite
