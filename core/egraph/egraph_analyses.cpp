// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of classes: made with nodes, joined by unions, brought up to date by rebuilds.
#include "core/egraph/egraph.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace mitos::egraph {

namespace {

/// How often the fact of a class may change in one rebuild before further changes are not passed on. A chain of facts may be infinite
/// (ranges that shrink around a cycle); to know less is never wrong.
constexpr std::uint32_t MostChanges = 64;

}  // namespace

Fact EGraph::makeFact(std::size_t analysis, ENodeId node) {
    absl::InlinedVector<Fact, 8> children;
    for (const std::uint32_t child : this->children(node)) children.push_back(fact(analysis, ENodeId(child)));
    return m_analyses[analysis]->make(*this, node, children);
}

std::size_t EGraph::attach(std::shared_ptr<ClassAnalysis> analysis) {
    assert(m_marks == 0);
    const std::size_t before = m_analyses.size();
    m_analyses.push_back(std::move(analysis));
    // The facts of a record stand together.
    Words facts;
    for (std::size_t record = 0; record < m_arrays[Best].size(); ++record) {
        facts.append(std::span<const std::uint32_t>(m_arrays[Facts]).subspan(record * before, before));
        facts.resize(facts.size() + 1, NoFact);
    }
    m_arrays[Facts] = std::move(facts);
    closeUnions();
    // Children are older than their parents, but for classes that grew later: `settleFacts` climbs to those.
    for (std::uint32_t node = 0; node < idCount(); ++node) {
        if (!isLive(ENodeId(node))) continue;
        if (addFact(before, find(ENodeId(node)).value, makeFact(before, ENodeId(node)))) {
            m_changedFacts.push_back(node);
            m_unsettled.push_back(node);
        }
    }
    return before;
}

bool EGraph::addFact(std::size_t analysis, std::uint32_t eclass, Fact fact) {
    const std::size_t at = recordOf(ENodeId(eclass)) * m_analyses.size() + analysis;
    const Fact known = m_arrays[Facts][at];
    if (fact == NoFact || fact == known) return false;
    const Fact joined = known == NoFact ? fact : m_analyses[analysis]->join(known, fact);
    if (joined == known) return false;
    write(Facts, static_cast<std::uint32_t>(at), joined);
    return true;
}

void EGraph::stampMembers(std::uint32_t eclass) {
    forEachMember(ENodeId(eclass), [&](ENodeId member) {
        if (isLive(member) && stamp(member) != m_epoch) write(Stamp, member.value, m_epoch);
    });
}

void EGraph::makeFacts(ENodeId node) {
    bool isKnown = false;
    for (std::size_t i = 0; i < m_analyses.size(); ++i) isKnown = addFact(i, node.value, makeFact(i, node)) || isKnown;
    if (isKnown) m_unsettled.push_back(node.value);
}

void EGraph::joinFacts(std::uint32_t winner, std::uint32_t kept, std::uint32_t gone) {
    bool isNew = false;
    bool isDifferent = false;
    bool isKnown = false;
    for (std::size_t i = 0; i < m_analyses.size(); ++i) {
        const Fact other = m_arrays[Facts][gone * m_analyses.size() + i];
        const Fact own = m_arrays[Facts][kept * m_analyses.size() + i];
        isNew = addFact(i, winner, other) || isNew;
        isDifferent = isDifferent || own != other;
        isKnown = isKnown || own != NoFact || other != NoFact;
    }
    if (isNew) stampMembers(winner);
    if (isDifferent) m_changedFacts.push_back(winner);
    if (isKnown) m_unsettled.push_back(winner);
}

bool EGraph::settleFacts() {
    if (m_changedFacts.empty() && m_unsettled.empty()) return false;
    absl::flat_hash_map<std::uint32_t, std::uint32_t> changes;  // by class
    std::vector<std::uint32_t> users;
    while (!m_changedFacts.empty()) {
        const ENodeId eclass = find(ENodeId(m_changedFacts.back()));
        m_changedFacts.pop_back();
        users.clear();
        forEachUse(eclass, [&](ENodeId user, std::uint32_t /*place*/) { users.push_back(user.value); });
        for (const std::uint32_t user : users) {
            const std::uint32_t above = find(ENodeId(user)).value;
            bool isChanged = false;
            for (std::size_t i = 0; i < m_analyses.size(); ++i) {
                isChanged = addFact(i, above, makeFact(i, ENodeId(user))) || isChanged;
            }
            if (!isChanged || ++changes[above] > MostChanges) continue;
            stampMembers(above);
            m_changedFacts.push_back(above);
            m_unsettled.push_back(above);
        }
    }
    std::vector<std::uint32_t> unsettled = std::exchange(m_unsettled, {});
    for (std::uint32_t& member : unsettled) member = find(ENodeId(member)).value;
    std::ranges::sort(unsettled);
    unsettled.erase(std::unique(unsettled.begin(), unsettled.end()), unsettled.end());
    for (const std::uint32_t eclass : unsettled) {
        for (std::size_t i = 0; i < m_analyses.size(); ++i) {
            if (fact(i, ENodeId(eclass)) != NoFact) m_analyses[i]->settle(*this, find(ENodeId(eclass)));
        }
    }
    return true;
}

}  // namespace mitos::egraph
