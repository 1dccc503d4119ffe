// SPDX-License-Identifier: GPL-3.0-or-later
// The e-graph: terms up to equality, in flat arrays.
#pragma once

#include "core/base/result.h"
#include "core/base/strong_id.h"
#include "core/egraph/heads.h"
#include "core/egraph/snapshot.h"
#include "core/ir/term_bank.h"

#include <absl/functional/function_ref.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mitos::egraph {

/// An e-node as it was added: it stands for one particular term, for good. Also names the class that it is in.
using ENodeId = StrongId<struct ENodeTag>;

/// Why two e-nodes are equal.
using Reason = std::uint32_t;
inline constexpr Reason Congruence = 0xFFFFFFFFU;  ///< the same head, equal children
inline constexpr Reason Asserted = 0xFFFFFFFEU;    ///< somebody said so

/// Two different literals in one class, or a variable beside a literal or another variable: the rules, or the facts given,
/// contradict each other. (Integers are left out where a variable is one of the two: sizes are known to be equal because the
/// program would fail otherwise.)
struct Contradiction {
    ENodeId left;
    ENodeId right;
};

class EGraphRule;

/// Terms up to equality (egraph-mcts.txt 2.2): e-nodes (a head over classes) are hash-consed, classes are a union-find over
/// e-nodes, congruence is restored by `rebuild` after a batch of unions (deferred rebuilding). Everything is kept in arrays
/// of 32-bit words, so that a copy is a few memory copies, and changes since a mark can be taken back.
///
/// Binders stay what they are in terms: de Bruijn indices, loose ones reach outside the term. A class holds equal terms of one
/// surroundings; the same term under one more binder is another term. Every e-node keeps the children it was added with, so it
/// stands for one term: `term`. The representative of a class is the term of the member with the fewest loose variables, then
/// a literal, then the smallest; rules that substitute or ask about a term (x not in e, c.is_const) see the representative.
///
/// Analyses kept for every class: its type (all members have it), a literal in it, the representative. Deterministic: the
/// same calls give the same ids.
class EGraph {
public:
    /// Terms live in the bank, which must outlive the graph. With `explain` off no reasons are kept (see explain.h).
    explicit EGraph(ir::TermBank& bank, bool explain = true);

    [[nodiscard]] ir::TermBank& bank() const { return *m_bank; }
    [[nodiscard]] const HeadTable& heads() const { return m_heads; }
    [[nodiscard]] bool explains() const { return m_explains; }

    // --- building -------------------------------------------------------------------------------------------------

    /// The class of the term; its nodes are added where they are not there.
    ENodeId add(ir::TermId term);
    /// A member that stands for exactly this term (adds a copy of a congruent node if need be).
    ENodeId addExactly(ir::TermId term);
    /// An e-node over the given members; a congruent one if there is one.
    ENodeId addNode(HeadId head, std::span<const ENodeId> children, Symbol hint = {});
    HeadId head(ir::TermId term) { return m_heads.of(*m_bank, term); }
    /// Makes two classes one; false if they were one. Both must have one type. The reason is that a = b.
    bool unite(ENodeId a, ENodeId b, Reason reason = Asserted);
    /// Restores congruence as far as that saves nodes which would soon be found to be others. No substitute for `rebuild`.
    void repairPending();
    /// Unions whose consequences are not drawn yet.
    [[nodiscard]] std::size_t pendingCount() const { return m_pending.size(); }
    /// Restores congruence. Until then the graph is not `clean`: no matching, no counting.
    void rebuild();
    [[nodiscard]] bool isClean() const { return m_pending.empty() && m_improved.empty(); }
    /// Set by the union that made them equal; stays.
    [[nodiscard]] const std::optional<Contradiction>& contradiction() const { return m_contradiction; }

    // --- reading --------------------------------------------------------------------------------------------------

    /// The member that stands for the class: equal for members of one class.
    [[nodiscard]] ENodeId find(ENodeId id) const {
        const std::vector<std::uint32_t>& parent = m_arrays[Parent];
        std::uint32_t at = id.value;
        while ((parent[at] & LeaderFlag) == 0) at = parent[at];
        return ENodeId(at);
    }
    /// Live e-nodes and classes; exact while the graph is clean.
    [[nodiscard]] std::size_t nodeCount() const { return m_liveNodes; }
    [[nodiscard]] std::size_t classCount() const { return m_classes; }
    /// All e-nodes that were ever added: ids are below this.
    [[nodiscard]] std::size_t idCount() const { return m_arrays[Parent].size(); }
    [[nodiscard]] bool isLive(ENodeId id) const { return m_arrays[Stamp][id.value] != Dead; }
    [[nodiscard]] HeadId headOf(ENodeId node) const { return HeadId(m_arrays[HeadOf][node.value]); }
    [[nodiscard]] const Head& headInfo(ENodeId node) const { return m_heads[headOf(node)]; }
    /// Of a live node of a clean graph: the classes of its children.
    [[nodiscard]] std::span<const std::uint32_t> children(ENodeId node) const {
        return {m_arrays[Child].data() + m_arrays[FirstChild][node.value], headInfo(node).arity};
    }
    [[nodiscard]] ENodeId child(ENodeId node, std::uint32_t place) const {
        return ENodeId(m_arrays[Child][m_arrays[FirstChild][node.value] + place]);
    }
    /// The members that the node was added over.
    [[nodiscard]] std::span<const std::uint32_t> originalChildren(ENodeId node) const {
        return {m_arrays[Original].data() + m_arrays[FirstChild][node.value], headInfo(node).arity};
    }
    [[nodiscard]] ir::TypeId type(ENodeId id) const { return headInfo(id).type; }
    /// Name of what a binder binds; invalid for others.
    [[nodiscard]] Symbol hint(ENodeId node) const;
    /// The term that an e-node was added for.
    ir::TermId term(ENodeId node);
    /// The member whose term represents the class.
    [[nodiscard]] ENodeId best(ENodeId id) const { return ENodeId(m_arrays[Best][recordOf(id)]); }
    /// Whether a term of the node, over terms like the representatives of its children, mentions no more loose variables than
    /// the representative of its class. Only such nodes are matched and extracted: a class may have members that mention
    /// variables which are not bound everywhere the class is used (x - x beside 0).
    [[nodiscard]] bool isInScope(ENodeId node) const;
    /// Takes a node out of the index: it is neither matched nor extracted any more, and stays what it is otherwise (cycles.h).
    /// A node that becomes congruent to one that is in is in.
    void filter(ENodeId node);
    [[nodiscard]] bool isFiltered(ENodeId node) const { return (m_arrays[Size][node.value] & FilteredFlag) != 0; }
    /// A literal of the class; invalid if there is none.
    [[nodiscard]] ENodeId literal(ENodeId id) const {
        const ENodeId atom(m_arrays[Atom][recordOf(id)]);
        return atom.isValid() && headInfo(atom).isLiteral ? atom : ENodeId();
    }
    /// Whether the class has a literal or a variable.
    [[nodiscard]] bool hasAtom(ENodeId id) const { return m_arrays[Atom][recordOf(id)] != None; }
    /// A member for the term, without adding anything; invalid if the term is not in the graph. (A term of which only a part
    /// was ever added is found as well.)
    [[nodiscard]] ENodeId lookup(ir::TermId term);
    /// The live node with that head over the classes of these members; invalid if there is none. Of a clean graph; over a dead
    /// node's own children this is the node that it became congruent to.
    [[nodiscard]] ENodeId congruent(HeadId head, std::span<const ENodeId> children) const;
    /// Calls `use` with every live node that has the class among its children, and at which place.
    template <typename Use>
    void forEachUse(ENodeId eclass, Use use) const {
        for (std::uint32_t place = m_arrays[FirstUse][recordOf(eclass)]; place != None;
             place = m_arrays[NextUse][place]) {
            const std::uint32_t owner = m_arrays[Owner][place];
            if (m_arrays[Stamp][owner] != Dead) use(ENodeId(owner), place - m_arrays[FirstChild][owner]);
        }
    }
    /// Calls `member` with every e-node of the class, dead ones too.
    template <typename Member>
    void forEachMember(ENodeId eclass, Member member) const {
        std::uint32_t at = eclass.value;
        do {
            member(ENodeId(at));
            at = m_arrays[Next][at];
        } while (at != eclass.value);
    }
    /// The epoch of the last change of the node's tuple (class, head, children): made, or a class of it merged.
    [[nodiscard]] std::uint32_t stamp(ENodeId node) const { return m_arrays[Stamp][node.value]; }
    /// The same of (head, children): at the root of a pattern the class plays no part.
    [[nodiscard]] std::uint32_t childStamp(ENodeId node) const { return m_arrays[ChildStamp][node.value]; }
    /// Number of rebuilds; what is added from now on has this stamp.
    [[nodiscard]] std::uint32_t epoch() const { return m_epoch; }

    /// Live nodes that are in scope and not filtered, by class, by operator and, within a class, sorted by operator. Valid until the graph
    /// changes.
    struct Index {
        std::vector<std::uint32_t> classes;    ///< leaders, ascending
        std::vector<std::uint32_t> members;    ///< nodes, see `indexRange`
        std::vector<std::uint32_t> memberOps;  ///< matched operator of each
        std::vector<std::uint32_t> opBegin;    ///< by operator; nodes [opBegin[o], opBegin[o + 1]) of `byOp`
        std::vector<std::uint32_t> byOp;

        [[nodiscard]] std::size_t bytes() const;
    };
    /// Of a clean graph.
    [[nodiscard]] const Index& index();
    /// Places of the class's nodes in `Index::members`, as of the last `index`.
    struct IndexRange {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    [[nodiscard]] IndexRange indexRange(ENodeId id) const { return m_indexRanges[recordOf(id)]; }

    /// Bytes held by the graph (the terms of the bank not counted).
    [[nodiscard]] std::size_t bytes() const;

    // --- provenance and reasons --------------------------------------------------------------------------------------

    /// Rules get numbers, by which origins and reasons speak of them; a rule keeps the one it has.
    std::uint32_t enlist(std::shared_ptr<const EGraphRule> rule);
    [[nodiscard]] const std::vector<std::shared_ptr<const EGraphRule>>& rules() const { return m_rules; }
    /// Nodes added from now on were made by this rule in this iteration.
    void setOrigin(std::uint32_t rule, std::uint32_t iteration) { m_origin = {rule, iteration}; }
    struct Origin {
        std::uint32_t rule = Snapshot::None;
        std::uint32_t iteration = 0;
        bool operator==(const Origin&) const = default;
    };
    [[nodiscard]] Origin origin(ENodeId node) const;
    /// The iteration in which the class was last united with another one that was older than that; 0: never.
    [[nodiscard]] std::uint32_t mergeIteration(ENodeId id) const { return m_arrays[Merged][recordOf(id)]; }
    /// Keeps what a rule application wants to remember. `reason` gives it back, and whatever was kept after it: who wrote it
    /// knows how long it is (valid until the next one is kept).
    Reason keepReason(std::span<const std::uint32_t> words);
    [[nodiscard]] std::span<const std::uint32_t> reason(Reason reason) const;
    /// The edge that leads from the member towards the root of its class's proof tree; invalid `to` at the root.
    struct ProofEdge {
        ENodeId to;
        Reason reason = Congruence;
    };
    [[nodiscard]] ProofEdge proofEdge(ENodeId node) const;

    // --- going back --------------------------------------------------------------------------------------------------

    /// Everything after a mark can be undone; marks nest. Changes cost a little more while there is a mark. Where the graph is
    /// not clean, going back must come before the next rebuild.
    struct Mark;
    [[nodiscard]] Mark mark();
    void undoTo(const Mark& mark);
    /// Forgets the mark and keeps the changes.
    void release(const Mark& mark);

private:
    enum Field : std::uint8_t {
        // by node
        Parent,  ///< union-find: another member, or LeaderFlag and the record of the class that it leads
        HeadOf,
        FirstChild,  ///< of its children in Child and Original
        Stamp,       ///< epoch of the last change of (class, head, children); Dead
        ChildStamp,  ///< epoch of the last change of (head, children)
        Size,        ///< of its term; FilteredFlag
        Loose,       ///< which loose indices its term has: bit i; the sign: one of 31 or more
        Term,        ///< of the bank, once asked for
        Next,        ///< ring of the members of a class, dead ones too
        // by record: one for each class there is; those of classes that were merged away are used again
        Best,
        Atom,     ///< a literal of the class, else a variable
        Members,  ///< number of members, dead ones too
        Uses,     ///< number of uses
        Born,     ///< iteration in which the leader was added
        Merged,   ///< iteration of the last union with a class that was there before it
        FirstUse,
        LastUse,  ///< of a record that is free: the next free one
        // by child place
        Child,     ///< class; up to date after rebuild
        Original,  ///< member
        Owner,
        NextUse,  ///< list of the places that hold a class
        // reasons
        ProofParent,
        ProofReason,
        Reasons,
        // others
        Table,     ///< hash-consing: open addressing, pairs of tag and node
        TermNode,  ///< by term of the bank: a node
        FieldCount,
    };
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    static constexpr std::uint32_t Dead = 0xFFFFFFFFU;
    static constexpr std::uint32_t FreeSlot = 0xFFFFFFFFU;
    static constexpr std::uint32_t LeaderFlag = 0x80000000U;
    static constexpr std::uint32_t FilteredFlag = 0x80000000U;

    struct Change {
        Field field;
        std::uint32_t index;
        std::uint32_t old;
    };
    [[nodiscard]] std::uint32_t recordOf(ENodeId id) const { return m_arrays[Parent][find(id).value] & ~LeaderFlag; }
    [[nodiscard]] bool isLeader(std::uint32_t id) const { return (m_arrays[Parent][id] & LeaderFlag) != 0; }
    /// A record for a class of this one node.
    std::uint32_t makeRecord(std::uint32_t node, bool isAtom);
    void freeRecord(std::uint32_t record);
    void write(Field field, std::uint32_t index, std::uint32_t value) {
        std::uint32_t& place = m_arrays[field][index];
        if (m_marks != 0) m_trail.push_back({field, index, place});
        place = value;
    }
    [[nodiscard]] static std::uint32_t tagOf(std::uint32_t head, const std::uint32_t* children, std::uint32_t arity) {
        std::uint64_t hash = (head + 1ULL) * 0x9E3779B97F4A7C15ULL;
        for (std::uint32_t i = 0; i < arity; ++i) hash = (std::rotl(hash, 27) ^ children[i]) * 0xBF58476D1CE4E5B9ULL;
        return static_cast<std::uint32_t>(hash >> 32U);
    }
    /// The slot of a congruent node, or the free slot where one would stand. The tag is the hash's.
    [[nodiscard]] std::uint32_t slotFor(std::uint32_t tag, std::uint32_t head, const std::uint32_t* children,
                                        std::uint32_t arity) const;
    void eraseFromTable(std::uint32_t node);
    void fillTable(std::size_t slots);
    [[nodiscard]] std::uint32_t slotCount() const { return static_cast<std::uint32_t>(m_arrays[Table].size() / 2); }
    void makeRoom(std::size_t children);
    ENodeId append(HeadId head, std::span<const ENodeId> children, Symbol hint, bool live);
    /// A dead node over other members of the same classes: it stands for another term of its class.
    ENodeId addCopy(ENodeId of, std::span<const ENodeId> children, Symbol hint);
    void noteTerm(ir::TermId term, std::uint32_t node);
    [[nodiscard]] std::uint32_t noted(ir::TermId term) const;
    [[nodiscard]] std::uint32_t sizeOf(std::uint32_t node) const { return m_arrays[Size][node] & ~FilteredFlag; }
    [[nodiscard]] bool standsFor(std::uint32_t node, ir::TermId term) const;
    [[nodiscard]] int looseCount(std::uint32_t node) const;
    [[nodiscard]] bool isBetter(std::uint32_t a, std::uint32_t b) const;
    void linkProof(std::uint32_t from, std::uint32_t to, Reason reason);
    void noteContradiction(std::uint32_t left, std::uint32_t right);
    void repair(std::uint32_t node);
    void improveUsers(std::uint32_t eclass);
    /// The distinct subterms of a term that `isKnown` refuses, children before their parents.
    [[nodiscard]] std::vector<ir::TermId> missing(ir::TermId term, absl::FunctionRef<bool(ir::TermId)> isKnown) const;

    ir::TermBank* m_bank;
    bool m_explains;
    HeadTable m_heads;
    std::array<std::vector<std::uint32_t>, FieldCount> m_arrays;
    absl::flat_hash_map<std::uint32_t, Symbol> m_hints;  // binders only
    std::uint32_t m_freeRecords = None;                  // the first one
    std::uint32_t m_tableUsed = 0;
    std::vector<std::uint32_t> m_key;  // of `addNode`, kept for its room
    bool m_hasLoose = false;           // some node's term ever had a loose variable
    std::size_t m_liveNodes = 0;
    std::size_t m_classes = 0;
    std::uint32_t m_epoch = 1;
    std::vector<std::shared_ptr<const EGraphRule>> m_rules;
    Origin m_origin;
    /// Nodes from `first` on have this origin; ascending.
    struct OriginRange {
        std::uint32_t first = 0;
        Origin origin;
    };
    std::vector<OriginRange> m_origins;
    /// Places (first use, number) of the lists of classes that were merged away.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_pending;
    std::vector<std::uint32_t> m_improved;  // classes whose representative lost loose variables
    std::optional<Contradiction> m_contradiction;
    Index m_index;
    std::vector<IndexRange> m_indexRanges;  // by record
    std::uint32_t m_indexEpoch = 0;
    std::size_t m_indexIds = 0;  // nodes there were
    std::vector<Change> m_trail;
    std::uint32_t m_marks = 0;
};

/// Sizes of everything at the time of a mark.
struct EGraph::Mark {
    std::array<std::size_t, FieldCount> sizes{};
    std::size_t trail = 0;
    std::uint32_t freeRecords = 0;
    std::uint32_t tableUsed = 0;
    std::size_t liveNodes = 0;
    std::size_t classes = 0;
    std::uint32_t epoch = 0;
    Origin origin;
    std::optional<Contradiction> contradiction;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pending;
    std::vector<std::uint32_t> improved;
};

}  // namespace mitos::egraph
