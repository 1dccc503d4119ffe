// SPDX-License-Identifier: GPL-3.0-or-later
// See root_join.h.
#include "core/rules/matching/root_join.h"

#include <algorithm>

namespace mitos::rules {

void RootJoin::add(std::size_t root, std::span<const std::uint32_t> values, bool isNew) {
    m_roots[root].values.insert(m_roots[root].values.end(), values.begin(), values.end());
    m_roots[root].isNew.push_back(isNew);
}

bool RootJoin::run(absl::FunctionRef<bool(Tuple)> admits, absl::FunctionRef<bool(Tuple)> found,
                   absl::FunctionRef<bool()> mayGoOn) {
    if (std::ranges::any_of(m_roots, [](const Root& root) { return root.isNew.empty(); })) return true;
    prepare();
    for (m_firstNew = 0; m_firstNew < m_roots.size(); ++m_firstNew) {
        if (!joinFrom(0, {admits, found, mayGoOn})) return false;
    }
    return true;
}

/// Computes the keys and the index.
void RootJoin::prepare() {
    const std::size_t variables = m_bound.size();
    std::vector<bool> isKnown(variables, false);  // bound by every match of some earlier root
    for (Root& root : m_roots) {
        std::vector<bool> isBound(variables, true);
        for (std::size_t i = 0; i < root.values.size(); ++i) {
            if (root.values[i] == Unbound) isBound[i % variables] = false;
        }
        for (std::uint32_t var = 0; var < variables; ++var) {
            if (!isBound[var]) continue;
            if (isKnown[var]) root.keys.push_back(var);
            isKnown[var] = true;
        }
        if (&root == &m_roots.front()) continue;
        for (std::uint32_t i = 0; i < root.isNew.size(); ++i) {
            Values key;
            for (const std::uint32_t var : root.keys) key.push_back(root.values[i * variables + var]);
            root.index[root.isNew[i] ? 1 : 0][key].push_back(i);
        }
    }
}

/// Joins matches of the roots from number `root` on that agree with the bound variables. Returns false to stop.
bool RootJoin::joinFrom(std::size_t root, const Calls& calls) {
    if (root == m_roots.size()) return calls.found(m_tuple);
    const Root& own = m_roots[root];
    // Roots before the first new one use old matches only, those after it use both.
    const std::array<bool, 2> isMeant{root != m_firstNew, root >= m_firstNew};
    if (root == 0) {
        for (std::uint32_t i = 0; i < own.isNew.size(); ++i) {
            if (isMeant[own.isNew[i] ? 1 : 0] && !joinWith(root, i, calls)) return false;
        }
        return true;
    }
    Values key;
    for (const std::uint32_t var : own.keys) key.push_back(m_bound[var]);
    for (std::size_t isNew = 0; isNew < isMeant.size(); ++isNew) {
        if (!isMeant[isNew]) continue;
        const auto matches = own.index[isNew].find(key);
        if (matches == own.index[isNew].end()) continue;
        const auto with = [&](std::uint32_t match) { return joinWith(root, match, calls); };
        if (!std::ranges::all_of(matches->second, with)) return false;
    }
    return true;
}

/// Adds a match to the tuple if it agrees with the bound variables, and joins the other roots.
bool RootJoin::joinWith(std::size_t root, std::uint32_t match, const Calls& calls) {
    if (!calls.mayGoOn()) return false;
    const std::size_t variables = m_bound.size();
    const std::uint32_t* const values = m_roots[root].values.data() + match * variables;
    for (std::size_t var = 0; var < variables; ++var) {
        if (values[var] != Unbound && m_bound[var] != Unbound && values[var] != m_bound[var]) return true;
    }
    m_tuple.push_back(match);
    bool goOn = true;
    if (calls.admits(m_tuple)) {
        absl::InlinedVector<std::size_t, 8> taken;
        for (std::size_t var = 0; var < variables; ++var) {
            if (values[var] == Unbound || m_bound[var] != Unbound) continue;
            m_bound[var] = values[var];
            taken.push_back(var);
        }
        goOn = joinFrom(root + 1, calls);
        for (const std::size_t var : taken) m_bound[var] = Unbound;
    }
    m_tuple.pop_back();
    return goOn;
}

}  // namespace mitos::rules
