// SPDX-License-Identifier: GPL-3.0-or-later
// Classes whose value is undefined. Private to core/egraph.
#pragma once

#include "core/egraph/egraph.h"

#include <cstdint>
#include <vector>

namespace mitos::egraph {

/// Classes that have no value over the reals, whatever the values of the variables: a division by the literal 0, a
/// logarithm of a literal that is not positive, the square root of a negative literal, and arithmetic over those. A
/// rule may rewrite such a term to a defined one, and two rules may give it different values (0 / x => 0, x / x => 1);
/// an e-graph would make all of these equal, and then everything. Therefore no rule is applied to such a class.
///
/// A class that contains a literal or a variable has a value. If such a class also has e-nodes without one, only these
/// e-nodes are filtered (EGraph::filter), and the class stays usable.
class UndefinedClasses {
public:
    /// Recomputes the classes for the current graph, which must be clean.
    void update(EGraph& graph);
    [[nodiscard]] bool isEmpty() const { return m_isUndefined.empty(); }
    /// Whether the member's class was undefined at the last update, or the member itself was filtered.
    [[nodiscard]] bool contains(ENodeId member) const {
        return member.value < m_isUndefined.size() && m_isUndefined[member.value];
    }

private:
    void note(EGraph& graph, ENodeId node);

    std::vector<ENodeId> m_open;      // classes whose users are still to be visited
    std::vector<bool> m_isUndefined;  // by e-node
};

}  // namespace mitos::egraph
