// SPDX-License-Identifier: GPL-3.0-or-later
// Read access to e-graphs: terms, uses, the index; and undo.
#include "core/egraph/egraph.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cassert>

namespace mitos::egraph {

using ir::TermId;

Symbol EGraph::hint(ENodeId node) const {
    if (headInfo(node).bindingChild == ir::OperatorInfo::BindsNothing) return {};
    const auto found = m_hints.find(node.value);
    return found == m_hints.end() ? Symbol() : found->second;
}

TermId EGraph::term(ENodeId node) {
    if (const std::uint32_t known = m_arrays[Term][node.value]; known != None) return TermId(known);
    std::vector<std::uint32_t> open{node.value};
    absl::InlinedVector<TermId, 8> children;
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        if (m_arrays[Term][at] != None) {
            open.pop_back();
            continue;
        }
        const std::span<const std::uint32_t> members = originalChildren(ENodeId(at));
        const std::size_t before = open.size();
        for (const std::uint32_t child : members) {
            if (m_arrays[Term][child] == None) open.push_back(child);
        }
        if (open.size() != before) continue;
        children.clear();
        for (const std::uint32_t child : members) children.emplace_back(m_arrays[Term][child]);
        const TermId made = m_heads.term(*m_bank, headOf(ENodeId(at)), children, hint(ENodeId(at)));
        write(Term, at, made.value);
        if (!standsFor(noted(made), made)) noteTerm(made, at);
        open.pop_back();
    }
    return TermId(m_arrays[Term][node.value]);
}

ENodeId EGraph::congruent(HeadId head, std::span<const ENodeId> children) const {
    absl::InlinedVector<std::uint32_t, 8> classes;
    for (const ENodeId child : children) classes.push_back(find(child).value);
    const auto arity = static_cast<std::uint32_t>(classes.size());
    const std::uint32_t slot = slotFor(tagOf(head.value, classes.data(), arity), head.value, classes.data(), arity);
    const std::uint32_t node = m_arrays[Table][2 * slot + 1];
    return node == FreeSlot ? ENodeId() : ENodeId(node);
}

void EGraph::filter(ENodeId node) {
    if (isFiltered(node)) return;
    write(Size, node.value, m_arrays[Size][node.value] | FilteredFlag);
    write(Stamp, node.value, m_epoch);  // invalidates kept matches over the class
    m_indexEpoch = 0;
}

void EGraph::prune(ENodeId node) {
    if (isPruned(node)) return;
    filter(node);
    write(Size, node.value, m_arrays[Size][node.value] | PrunedFlag);
    if (isLive(node)) --m_liveNodes;
}

const EGraph::Index& EGraph::index() {
    assert(isClean());
    if (m_indexEpoch == m_epoch && m_indexIds == idCount()) return m_index;
    const std::size_t operators = m_bank->registry().size();
    std::vector<std::uint32_t> shown;
    shown.reserve(m_liveNodes);
    m_index.opBegin.assign(operators + 1, 0);
    m_indexRanges.assign(m_arrays[Best].size(), {});
    for (std::uint32_t node = 0; node < idCount(); ++node) {
        if (m_arrays[Stamp][node] == Dead || isFiltered(ENodeId(node)) || !isInScope(ENodeId(node))) continue;
        shown.push_back(node);
        ++m_index.opBegin[headInfo(ENodeId(node)).matched.value + 1];
        ++m_indexRanges[recordOf(ENodeId(node))].end;
    }
    for (std::size_t op = 0; op < operators; ++op) m_index.opBegin[op + 1] += m_index.opBegin[op];
    m_index.byOp.resize(shown.size());
    std::vector<std::uint32_t> at(m_index.opBegin.begin(), m_index.opBegin.end() - 1);
    for (const std::uint32_t node : shown) m_index.byOp[at[headInfo(ENodeId(node)).matched.value]++] = node;
    m_index.classes.clear();
    std::uint32_t begin = 0;
    for (std::uint32_t id = 0; id < idCount(); ++id) {
        if (!isLeader(id)) continue;
        IndexRange& range = m_indexRanges[recordOf(ENodeId(id))];
        const std::uint32_t count = range.end;
        range = {begin, begin};
        begin += count;
        if (count != 0) m_index.classes.push_back(id);
    }
    m_index.members.resize(shown.size());
    m_index.memberOps.resize(shown.size());
    for (const std::uint32_t node : m_index.byOp) {
        const std::uint32_t place = m_indexRanges[recordOf(ENodeId(node))].end++;
        m_index.members[place] = node;
        m_index.memberOps[place] = headInfo(ENodeId(node)).matched.value;
    }
    m_indexIds = idCount();
    m_indexEpoch = m_epoch;
    return m_index;
}

std::size_t EGraph::Index::bytes() const {
    return 4 * (classes.size() + members.size() + memberOps.size() + opBegin.size() + byOp.size());
}

std::size_t EGraph::bytes() const {
    std::size_t words = 0;
    for (const Words& array : m_arrays) words += array.capacity();
    return 4 * words + m_heads.bytes() + m_index.bytes() + m_indexRanges.size() * sizeof(IndexRange) +
           m_origins.capacity() * sizeof(OriginRange) + m_trail.capacity() * sizeof(Change);
}

std::uint32_t EGraph::enlist(std::shared_ptr<const EGraphRule> rule) {
    const auto known = std::ranges::find(m_rules, rule);
    if (known == m_rules.end()) {
        m_rules.push_back(std::move(rule));
        return static_cast<std::uint32_t>(m_rules.size() - 1);
    }
    return static_cast<std::uint32_t>(known - m_rules.begin());
}

Reason EGraph::keepReason(std::span<const std::uint32_t> words) {
    const auto at = static_cast<Reason>(m_arrays[Reasons].size());
    m_arrays[Reasons].append(words);
    return at;
}

std::span<const std::uint32_t> EGraph::reason(Reason reason) const {
    return std::span<const std::uint32_t>(m_arrays[Reasons]).subspan(reason);
}

EGraph::Origin EGraph::origin(ENodeId node) const {
    return std::prev(std::ranges::upper_bound(m_origins, node.value, {}, &OriginRange::first))->origin;
}

EGraph::ProofEdge EGraph::proofEdge(ENodeId node) const {
    if (!m_explains || m_arrays[ProofParent][node.value] == node.value) return {};
    return {ENodeId(m_arrays[ProofParent][node.value]), m_arrays[ProofReason][node.value]};
}

EGraph::Mark EGraph::mark() {
    Mark mark;
    for (std::size_t field = 0; field < FieldCount; ++field) mark.sizes[field] = m_arrays[field].size();
    mark.trail = m_trail.size();
    mark.freeRecords = m_freeRecords;
    mark.tableUsed = m_tableUsed;
    mark.tableFills = m_tableFills;
    mark.liveNodes = m_liveNodes;
    mark.classes = m_classes;
    mark.epoch = m_epoch;
    mark.origin = m_origin;
    mark.contradiction = m_contradiction;
    mark.pending = m_pending;
    mark.improved = m_improved;
    mark.changedFacts = m_changedFacts;
    mark.unsettled = m_unsettled;
    ++m_marks;
    return mark;
}

void EGraph::undoTo(const Mark& mark) {
    assert(m_marks > 0);
    const bool isFilled = m_tableFills != mark.tableFills;
    while (m_trail.size() > mark.trail) {
        const Change& change = m_trail.back();
        if (change.field != Table || !isFilled) m_arrays[change.field][change.index] = change.old;
        m_trail.pop_back();
    }
    for (std::size_t field = 0; field < FieldCount; ++field) {
        if (field != Table) m_arrays[field].resize(mark.sizes[field]);
    }
    while (!m_origins.empty() && m_origins.back().first >= idCount()) m_origins.pop_back();
    m_freeRecords = mark.freeRecords;
    m_liveNodes = mark.liveNodes;
    m_classes = mark.classes;
    m_epoch = mark.epoch;
    m_origin = mark.origin;
    m_contradiction = mark.contradiction;
    m_pending = mark.pending;
    m_improved = mark.improved;
    m_changedFacts = mark.changedFacts;
    m_unsettled = mark.unsettled;
    m_indexEpoch = 0;
    if (isFilled) {
        fillTable(mark.sizes[Table] / 2);
    } else {
        m_tableUsed = mark.tableUsed;
    }
    --m_marks;
}

void EGraph::release([[maybe_unused]] const Mark& mark) {
    assert(m_marks > 0);
    if (--m_marks == 0) m_trail.clear();
}

}  // namespace mitos::egraph
