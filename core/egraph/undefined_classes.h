// SPDX-License-Identifier: GPL-3.0-or-later
// Classes without a value. Private to core/egraph.
#pragma once

#include "core/egraph/egraph.h"

#include <cstdint>
#include <vector>

namespace mitos::egraph {

/// Classes that have no value over the reals, whatever the variables stand for: a division by the literal 0, a logarithm of a
/// literal that is not positive, the square root of a negative one, and arithmetic over those. A rule may make such a term
/// defined, and two rules each make another value of it (0 / x => 0, x / x => 1): in an e-graph, where all of them are equal
/// then, everything would be. So no rule is applied to such a class.
///
/// A class that has a literal or a variable has a value. Of such a class the e-nodes without one are filtered instead
/// (EGraph::filter), and the class may be used.
class UndefinedClasses {
public:
    /// Looks at the graph, which must be clean, as it is now.
    void update(EGraph& graph);
    [[nodiscard]] bool isEmpty() const { return m_isUndefined.empty(); }
    /// Whether the member's class was one of them at the last update, or the member itself was filtered.
    [[nodiscard]] bool contains(ENodeId member) const {
        return member.value < m_isUndefined.size() && m_isUndefined[member.value];
    }

private:
    void note(EGraph& graph, ENodeId node);

    std::vector<ENodeId> m_open;      // classes whose users are to be looked at
    std::vector<bool> m_isUndefined;  // by e-node
};

}  // namespace mitos::egraph
