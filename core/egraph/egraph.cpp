// SPDX-License-Identifier: GPL-3.0-or-later
// Adding, uniting, rebuilding.
#include "core/egraph/egraph.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace mitos::egraph {

using ir::CoreOp;
using ir::TermId;

namespace {

constexpr std::uint32_t FarLoose = 0x80000000U;  ///< a loose index of 31 or more
constexpr std::size_t FirstSlots = 64;

/// The loose indices of a term that remain loose outside a binder around it.
std::uint32_t outsideBinder(std::uint32_t loose) {
    const std::uint32_t moved = (loose & ~FarLoose) >> 1U;
    return (loose & FarLoose) == 0 ? moved : moved | FarLoose | 0x40000000U;
}

bool areDifferent(const ir::Payload& a, const ir::Payload& b) {
    if (a == b) return false;
    if (a.kind() != ir::PayloadKind::Float || b.kind() != ir::PayloadKind::Float) return true;
    // 0.0 and -0.0 are equal; NaN proves nothing.
    return a.asFloat() != b.asFloat() && !std::isnan(a.asFloat()) && !std::isnan(b.asFloat());
}

/// Whether different variables of the type may have different values, so that their equality is a contradiction.
/// Integers are exempt: sizes may be equal because the program would fail otherwise.
bool tellsApart(const ir::TypeTable& types, ir::TypeId type) {
    const ir::TypeKind kind = types.kind(type);
    return kind == ir::TypeKind::Float || kind == ir::TypeKind::Bool || types.isArray(type);
}

}  // namespace

EGraph::EGraph(ir::TermBank& bank, bool explain) : m_bank(&bank), m_explains(explain) { fillTable(FirstSlots); }

EGraph::EGraph(const EGraph& other, ir::TermBank& bank, bool explain) : EGraph(other) {
    m_bank = &bank;
    for (std::shared_ptr<ClassAnalysis>& analysis : m_analyses) analysis = analysis->copy(bank);
    if (explain) return;
    m_explains = false;
    for (const Field field : {ProofParent, ProofReason}) m_arrays[field] = {};
}

// --- hash-consing ---------------------------------------------------------------------------------------------------

void EGraph::fillTable(std::size_t slots) {
    // A table that was filled since a mark is filled again when the mark is undone, so this is not logged.
    ++m_tableFills;
    m_arrays[Table].resize(0);
    m_arrays[Table].resize(2 * slots, FreeSlot);
    m_tableUsed = 0;
    for (std::uint32_t node = 0; node < m_arrays[Stamp].size(); ++node) {
        if (m_arrays[Stamp][node] == Dead) continue;
        const std::uint32_t* children = m_arrays[Child].data() + m_arrays[FirstChild][node];
        const std::uint32_t head = m_arrays[HeadOf][node];
        const std::uint32_t arity = m_heads[HeadId(head)].arity;
        const std::uint32_t tag = tagOf(head, children, arity);
        const std::uint32_t slot = slotFor(tag, head, children, arity);
        m_arrays[Table][2 * slot] = tag;
        m_arrays[Table][2 * slot + 1] = node;
        ++m_tableUsed;
    }
}

void EGraph::eraseFromTable(std::uint32_t node) {
    const std::uint32_t* children = m_arrays[Child].data() + m_arrays[FirstChild][node];
    const std::uint32_t head = m_arrays[HeadOf][node];
    const std::uint32_t arity = m_heads[HeadId(head)].arity;
    const Words& table = m_arrays[Table];
    const std::uint32_t mask = slotCount() - 1;
    std::uint32_t hole = slotFor(tagOf(head, children, arity), head, children, arity);
    assert(table[2 * hole + 1] == node);
    // Entries after the hole that could not be placed there before move up.
    for (std::uint32_t slot = (hole + 1) & mask; table[2 * slot + 1] != FreeSlot; slot = (slot + 1) & mask) {
        const std::uint32_t home = table[2 * slot] & mask;
        if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
        write(Table, 2 * hole, table[2 * slot]);
        write(Table, 2 * hole + 1, table[2 * slot + 1]);
        hole = slot;
    }
    write(Table, 2 * hole + 1, FreeSlot);
    --m_tableUsed;
}

// --- adding ---------------------------------------------------------------------------------------------------------

void EGraph::log(const Change& change) { m_trail.push_back(change); }

void EGraph::makeRoom(std::size_t children) {
    // Doubling would allocate up to twice the needed memory, in thirty arrays.
    const auto grow = [this](std::initializer_list<Field> fields, std::size_t extra) {
        const Words& first = m_arrays[*fields.begin()];
        if (first.size() + extra <= first.capacity()) return;
        const std::size_t room = first.size() + first.size() / 4 + extra + FirstSlots;
        for (const Field field : fields) m_arrays[field].reserve(room);
    };
    grow({Parent, HeadOf, FirstChild, Stamp, ChildStamp, Size, Loose, Term, Next}, 1);
    if (m_freeRecords == None) grow({Best, Atom, Members, Uses, Born, Merged, FirstUse, LastUse}, 1);
    if (m_explains) grow({ProofParent, ProofReason}, 1);
    grow({Child, Original, Owner, NextUse}, children);
}

std::uint32_t EGraph::makeRecord(std::uint32_t node, bool isAtom) {
    const auto fill = [&](auto put) {
        put(Best, node);
        put(Atom, isAtom ? node : None);
        put(Members, 1);
        put(Uses, 0);
        put(Born, m_origin.iteration);
        put(Merged, 0);
        put(FirstUse, None);
        put(LastUse, None);
    };
    if (m_freeRecords == None) {
        fill([this](Field field, std::uint32_t value) { m_arrays[field].push(value); });
        if (!m_analyses.empty()) m_arrays[Facts].resize(m_arrays[Best].size() * m_analyses.size(), NoFact);
        return static_cast<std::uint32_t>(m_arrays[Best].size() - 1);
    }
    const std::uint32_t record = m_freeRecords;
    m_freeRecords = m_arrays[LastUse][record];
    fill([this, record](Field field, std::uint32_t value) { write(field, record, value); });
    for (std::size_t i = 0; i < m_analyses.size(); ++i) write(Facts, record * m_analyses.size() + i, NoFact);
    return record;
}

void EGraph::freeRecord(std::uint32_t record) {
    write(LastUse, record, m_freeRecords);
    m_freeRecords = record;
}

void EGraph::addUse(std::uint32_t record, std::uint32_t place) {
    if (m_arrays[FirstUse][record] == None) {
        write(FirstUse, record, place);
    } else {
        write(NextUse, m_arrays[LastUse][record], place);
    }
    write(LastUse, record, place);
    write(Uses, record, m_arrays[Uses][record] + 1);
}

ENodeId EGraph::append(HeadId head, std::span<const ENodeId> children, const std::uint32_t* classes, Symbol hint,
                       bool live) {
    assert(children.size() == m_heads[head].arity);
    makeRoom(children.size());
    const auto id = static_cast<std::uint32_t>(m_arrays[Parent].size());
    const Head& info = m_heads[head];
    std::uint64_t size = 1;
    std::uint32_t loose = 0;
    if (info.op == opId(CoreOp::Bound)) {
        const std::uint32_t index = info.payload.asIndex();
        loose = index < 31 ? 1U << index : FarLoose;
    }
    const auto firstChild = static_cast<std::uint32_t>(m_arrays[Child].size());
    for (std::size_t i = 0; i < children.size(); ++i) {
        const std::uint32_t child = children[i].value;
        const std::uint32_t inner = m_arrays[Loose][child];
        size += sizeOf(child);
        loose |= info.bindingChild == static_cast<int>(i) ? outsideBinder(inner) : inner;
        m_arrays[Child].push(classes[i]);
        m_arrays[Original].push(child);
        m_arrays[Owner].push(id);
        m_arrays[NextUse].push(None);
        if (live) addUse(m_arrays[Parent][classes[i]] & ~LeaderFlag, static_cast<std::uint32_t>(firstChild + i));
    }
    m_arrays[Parent].push(LeaderFlag | makeRecord(id, info.isAtom));
    m_arrays[HeadOf].push(head.value);
    m_arrays[FirstChild].push(firstChild);
    m_arrays[Stamp].push(live ? m_epoch : Dead);
    m_arrays[ChildStamp].push(m_epoch);
    m_arrays[Size].push(static_cast<std::uint32_t>(std::min<std::uint64_t>(size, PrunedFlag - 1)));
    m_arrays[Loose].push(loose);
    m_hasLoose = m_hasLoose || loose != 0;
    m_arrays[Term].push(None);
    m_arrays[Next].push(id);
    if (m_origins.empty() || m_origins.back().origin != m_origin) m_origins.push_back({id, m_origin});
    if (m_explains) {
        m_arrays[ProofParent].push(id);
        m_arrays[ProofReason].push(Asserted);
    }
    if (hint.isValid()) {
        m_hints[id] = hint;
    } else if (info.bindingChild != ir::OperatorInfo::BindsNothing) {
        m_hints.erase(id);  // an undone node with this id may have had a hint
    }
    ++m_classes;
    if (!live) return ENodeId(id);
    ++m_liveNodes;
    if (!m_analyses.empty()) makeFacts(ENodeId(id));
    return ENodeId(id);
}

ENodeId EGraph::addNode(HeadId head, std::span<const ENodeId> children, Symbol hint) {
    const auto arity = static_cast<std::uint32_t>(children.size());
    if (m_key.size() < arity) m_key.resize(arity);
    std::uint32_t* const classes = m_key.data();
    for (std::uint32_t i = 0; i < arity; ++i) classes[i] = find(children[i]).value;
    const std::uint32_t tag = tagOf(head.value, classes, arity);
    const std::uint32_t slot = slotFor(tag, head.value, classes, arity);
    if (const std::uint32_t known = m_arrays[Table][2 * slot + 1]; known != FreeSlot) return ENodeId(known);
    if ((m_tableUsed + 1) * 5 > slotCount() * 3) {
        fillTable(2 * std::size_t(slotCount()));
        return addNode(head, children, hint);
    }
    const ENodeId added = append(head, children, classes, hint, true);
    write(Table, 2 * slot, tag);
    write(Table, 2 * slot + 1, added.value);
    ++m_tableUsed;
    return added;
}

ENodeId EGraph::addCopy(ENodeId of, std::span<const ENodeId> children, Symbol hint) {
    absl::InlinedVector<std::uint32_t, 8> classes;
    for (const ENodeId child : children) classes.push_back(find(child).value);
    const ENodeId copy = append(headOf(of), children, classes.data(), hint, false);
    unite(copy, of, Congruence);
    return copy;
}

std::uint32_t EGraph::noted(TermId term) const {
    return term.value < m_arrays[TermNode].size() ? m_arrays[TermNode][term.value] : None;
}

void EGraph::noteTerm(TermId term, std::uint32_t node) {
    if (term.value >= m_arrays[TermNode].size()) {
        m_arrays[TermNode].resize(std::max<std::size_t>(m_bank->size(), term.value + 1), None);
    }
    write(TermNode, term.value, node);
}

bool EGraph::standsFor(std::uint32_t node, TermId term) const {
    return node != None && m_arrays[Term][node] == term.value;
}

std::vector<TermId> EGraph::missing(TermId term, absl::FunctionRef<bool(TermId)> isKnown) const {
    std::vector<TermId> order;
    absl::flat_hash_map<TermId, bool> done;  // false: its children are still open
    std::vector<TermId> open{term};
    while (!open.empty()) {
        const TermId at = open.back();
        const auto [entry, isNew] = done.try_emplace(at, false);
        if (isNew && !isKnown(at)) {
            for (const TermId child : m_bank->children(at)) {
                if (!done.contains(child)) open.push_back(child);
            }
            continue;
        }
        open.pop_back();
        if (!isNew && !entry->second) order.push_back(at);
        entry->second = true;
    }
    return order;
}

ENodeId EGraph::add(TermId term) {
    if (const std::uint32_t known = noted(term); known != None) return ENodeId(known);
    absl::InlinedVector<ENodeId, 8> children;
    for (const TermId part : missing(term, [&](TermId id) { return noted(id) != None; })) {
        children.clear();
        bool isExact = true;
        for (const TermId child : m_bank->children(part)) {
            // Another member of the class may contain variables that are not bound here; the representative does not.
            const std::uint32_t node = noted(child);
            const bool isThis = standsFor(node, child);
            children.push_back(isThis ? ENodeId(node) : best(ENodeId(node)));
            isExact = isExact && isThis;
        }
        const std::size_t before = idCount();
        const ENodeId node = addNode(m_heads.of(*m_bank, part), children, m_bank->hint(part));
        if (idCount() != before && isExact) write(Term, node.value, part.value);
        noteTerm(part, node.value);
    }
    return ENodeId(noted(term));
}

ENodeId EGraph::addExactly(TermId term) {
    absl::InlinedVector<ENodeId, 8> children;
    for (const TermId part : missing(term, [&](TermId id) { return standsFor(noted(id), id); })) {
        children.clear();
        for (const TermId child : m_bank->children(part)) children.emplace_back(noted(child));
        const std::size_t before = idCount();
        const Symbol hint = m_bank->hint(part);
        ENodeId node = addNode(m_heads.of(*m_bank, part), children, hint);
        if (idCount() == before && this->term(node) != part) node = addCopy(node, children, hint);
        write(Term, node.value, part.value);
        noteTerm(part, node.value);
    }
    return ENodeId(noted(term));
}

ENodeId EGraph::lookup(TermId term) {
    if (const std::uint32_t known = noted(term); known != None) return ENodeId(known);
    if (m_bank->childCount(term) == 0) return congruent(m_heads.of(*m_bank, term), {});
    absl::flat_hash_map<TermId, std::uint32_t> found;
    const auto nodeOf = [&](TermId id) {
        if (const std::uint32_t known = noted(id); known != None) return known;
        const auto entry = found.find(id);
        return entry == found.end() ? None : entry->second;
    };
    absl::InlinedVector<std::uint32_t, 8> classes;
    for (const TermId part : missing(term, [&](TermId id) { return noted(id) != None; })) {
        classes.clear();
        for (const TermId child : m_bank->children(part)) {
            const std::uint32_t node = nodeOf(child);
            if (node == None) return {};
            classes.push_back(find(ENodeId(node)).value);
        }
        const HeadId head = m_heads.of(*m_bank, part);
        const auto arity = static_cast<std::uint32_t>(classes.size());
        const std::uint32_t slot = slotFor(tagOf(head.value, classes.data(), arity), head.value, classes.data(), arity);
        const std::uint32_t node = m_arrays[Table][2 * slot + 1];
        if (node == FreeSlot) return {};
        found.emplace(part, node);
    }
    return ENodeId(nodeOf(term));
}

// --- equality -------------------------------------------------------------------------------------------------------

int EGraph::looseCount(std::uint32_t node) const { return std::popcount(m_arrays[Loose][node]); }

bool EGraph::isBetter(std::uint32_t a, std::uint32_t b) const {
    if (m_hasLoose && looseCount(a) != looseCount(b)) return looseCount(a) < looseCount(b);
    const bool isLiteralA = headInfo(ENodeId(a)).isLiteral;
    const bool isLiteralB = headInfo(ENodeId(b)).isLiteral;
    if (isLiteralA != isLiteralB) return isLiteralA;
    const std::uint32_t sizeA = sizeOf(a);
    const std::uint32_t sizeB = sizeOf(b);
    return sizeA != sizeB ? sizeA < sizeB : a < b;
}

void EGraph::linkProof(std::uint32_t from, std::uint32_t to, Reason reason) {
    // The edges from `from` to its root are reversed, then `from` becomes a child of `to`.
    std::uint32_t at = from;
    std::uint32_t next = to;
    Reason why = reason;
    while (true) {
        const std::uint32_t above = m_arrays[ProofParent][at];
        const Reason whyAbove = m_arrays[ProofReason][at];
        write(ProofParent, at, next);
        write(ProofReason, at, why);
        if (above == at) return;
        next = at;
        at = above;
        why = whyAbove;
    }
}

void EGraph::noteContradiction(std::uint32_t left, std::uint32_t right) {
    if (m_contradiction || left == None || right == None) return;
    const Head& a = headInfo(ENodeId(left));
    const Head& b = headInfo(ENodeId(right));
    const bool areLiterals = a.isLiteral && b.isLiteral;
    const bool isContradiction = areLiterals
                                     ? areDifferent(a.payload, b.payload)
                                     : (a.op != b.op || a.payload != b.payload) && tellsApart(m_bank->types(), a.type);
    if (isContradiction) m_contradiction = Contradiction{ENodeId(left), ENodeId(right)};
}

bool EGraph::unite(ENodeId a, ENodeId b, Reason reason) {
    std::uint32_t winner = find(a).value;
    std::uint32_t loser = find(b).value;
    if (winner == loser) return false;
    assert(type(a) == type(b));
    std::uint32_t kept = recordOf(ENodeId(winner));
    std::uint32_t gone = recordOf(ENodeId(loser));
    if (m_explains) {
        const bool moveA = m_arrays[Members][kept] < m_arrays[Members][gone];
        linkProof(moveA ? a.value : b.value, moveA ? b.value : a.value, reason);
    }
    const auto weight = [&](std::uint32_t record) {
        return std::pair(m_arrays[Uses][record], m_arrays[Members][record]);
    };
    if (weight(kept) < weight(gone) || (weight(kept) == weight(gone) && loser < winner)) {
        std::swap(winner, loser);
        std::swap(kept, gone);
    }

    // The tuples of the loser's members change: they now belong to another class.
    std::uint32_t member = loser;
    do {
        if (m_arrays[Stamp][member] != Dead && m_arrays[Stamp][member] != m_epoch) write(Stamp, member, m_epoch);
        member = m_arrays[Next][member];
    } while (member != loser);
    const std::uint32_t next = m_arrays[Next][winner];
    write(Next, winner, m_arrays[Next][loser]);
    write(Next, loser, next);
    write(Parent, loser, winner);
    write(Members, kept, m_arrays[Members][kept] + m_arrays[Members][gone]);

    if (const std::uint32_t uses = m_arrays[Uses][gone]; uses != 0) {
        const std::uint32_t first = m_arrays[FirstUse][gone];
        m_pending.emplace_back(first, uses);
        if (m_arrays[FirstUse][kept] == None) {
            write(FirstUse, kept, first);
        } else {
            write(NextUse, m_arrays[LastUse][kept], first);
        }
        write(LastUse, kept, m_arrays[LastUse][gone]);
        write(Uses, kept, m_arrays[Uses][kept] + uses);
    }
    const std::uint32_t now = m_origin.iteration;
    const bool areOlder = m_arrays[Born][kept] < now && m_arrays[Born][gone] < now;
    if (const std::uint32_t last = std::max(m_arrays[Merged][gone], areOlder ? now : 0);
        last > m_arrays[Merged][kept]) {
        write(Merged, kept, last);
    }
    const std::uint32_t bestKept = m_arrays[Best][kept];
    const std::uint32_t bestGone = m_arrays[Best][gone];
    if (isBetter(bestGone, bestKept)) write(Best, kept, bestGone);
    if (m_hasLoose && looseCount(bestGone) != looseCount(bestKept)) m_improved.push_back(winner);
    const std::uint32_t atomKept = m_arrays[Atom][kept];
    const std::uint32_t atomGone = m_arrays[Atom][gone];
    noteContradiction(atomKept, atomGone);
    const bool isMore =
        atomGone != None &&
        (atomKept == None || (headInfo(ENodeId(atomGone)).isLiteral && !headInfo(ENodeId(atomKept)).isLiteral));
    if (isMore) write(Atom, kept, atomGone);
    if (!m_analyses.empty()) joinFacts(winner, kept, gone);
    freeRecord(gone);
    --m_classes;
    return true;
}

void EGraph::repair(std::uint32_t node) {
    if (m_arrays[Stamp][node] == Dead) return;
    const std::uint32_t head = m_arrays[HeadOf][node];
    const std::uint32_t arity = m_heads[HeadId(head)].arity;
    const std::uint32_t firstChild = m_arrays[FirstChild][node];
    const Words& child = m_arrays[Child];
    bool isStale = false;
    for (std::uint32_t i = firstChild; i < firstChild + arity && !isStale; ++i) isStale = !isLeader(child[i]);
    if (!isStale) return;
    eraseFromTable(node);
    for (std::uint32_t i = firstChild; i < firstChild + arity; ++i) write(Child, i, find(ENodeId(child[i])).value);
    const std::uint32_t tag = tagOf(head, child.data() + firstChild, arity);
    const std::uint32_t slot = slotFor(tag, head, child.data() + firstChild, arity);
    if (const std::uint32_t twin = m_arrays[Table][2 * slot + 1]; twin != FreeSlot) {
        write(Stamp, node, Dead);
        if (!isPruned(ENodeId(node))) --m_liveNodes;
        if (isFiltered(ENodeId(twin)) && !isFiltered(ENodeId(node))) {
            if (isPruned(ENodeId(twin))) ++m_liveNodes;
            write(Size, twin, sizeOf(twin));
            write(Stamp, twin, m_epoch);
            write(ChildStamp, twin, m_epoch);
        }
        unite(ENodeId(node), ENodeId(twin), Congruence);
        return;
    }
    write(Table, 2 * slot, tag);
    write(Table, 2 * slot + 1, node);
    ++m_tableUsed;
    if (m_arrays[Stamp][node] != m_epoch) write(Stamp, node, m_epoch);
    if (m_arrays[ChildStamp][node] != m_epoch) write(ChildStamp, node, m_epoch);
}

bool EGraph::isInScope(ENodeId node) const {
    if (!m_hasLoose) return true;
    const Head& info = headInfo(node);
    std::uint32_t loose = m_arrays[Loose][node.value];
    if (info.arity != 0) {
        loose = 0;
        for (std::uint32_t i = 0; i < info.arity; ++i) {
            const std::uint32_t inner = m_arrays[Loose][best(ENodeId(children(node)[i])).value];
            loose |= info.bindingChild == static_cast<int>(i) ? outsideBinder(inner) : inner;
        }
    }
    return (loose & ~m_arrays[Loose][best(node).value]) == 0;
}

/// Nodes over a class whose representative lost loose variables may also represent a term with fewer of them.
void EGraph::improveUsers(std::uint32_t eclass) {
    std::vector<std::uint32_t> users;
    forEachUse(ENodeId(eclass), [&](ENodeId user, std::uint32_t) { users.push_back(user.value); });
    absl::InlinedVector<ENodeId, 8> children;
    for (const std::uint32_t user : users) {
        const Head& info = headInfo(ENodeId(user));
        std::uint32_t loose = 0;
        children.clear();
        for (std::uint32_t i = 0; i < info.arity; ++i) {
            children.push_back(best(ENodeId(this->children(ENodeId(user))[i])));
            const std::uint32_t inner = m_arrays[Loose][children.back().value];
            loose |= info.bindingChild == static_cast<int>(i) ? outsideBinder(inner) : inner;
        }
        if (std::popcount(loose) < looseCount(best(ENodeId(user)).value)) {
            addCopy(ENodeId(user), children, hint(ENodeId(user)));
        }
        // The node may have come into scope, or its class may have a new representative: both create new matches.
        if (m_arrays[Stamp][user] != m_epoch) write(Stamp, user, m_epoch);
        if (m_arrays[ChildStamp][user] != m_epoch) write(ChildStamp, user, m_epoch);
    }
}

void EGraph::repairPending() {
    while (!m_pending.empty()) {
        const auto [first, count] = m_pending.back();
        m_pending.pop_back();
        std::uint32_t place = first;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t next = m_arrays[NextUse][place];
            repair(m_arrays[Owner][place]);
            place = next;
        }
    }
}

void EGraph::closeUnions() {
    while (!isClean()) {
        repairPending();
        if (m_improved.empty()) continue;
        const std::uint32_t eclass = find(ENodeId(m_improved.back())).value;
        m_improved.pop_back();
        improveUsers(eclass);
    }
}

void EGraph::rebuild() {
    do closeUnions();
    while (settleFacts());
    for (std::uint32_t id = 0; id < m_arrays[Parent].size(); ++id) {
        if (isLeader(id)) continue;
        const std::uint32_t leader = find(ENodeId(id)).value;
        if (m_arrays[Parent][id] != leader) write(Parent, id, leader);
    }
    ++m_epoch;
}

}  // namespace mitos::egraph
