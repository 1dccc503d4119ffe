// SPDX-License-Identifier: GPL-3.0-or-later
// The e-graph: terms modulo equality, stored in flat arrays.
#pragma once

#include "core/base/result.h"
#include "core/base/strong_id.h"
#include "core/base/words.h"
#include "core/egraph/class_analysis.h"
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

/// Justifies the equality of two e-nodes.
using Reason = std::uint32_t;
inline constexpr Reason Congruence = 0xFFFFFFFFU;  ///< the same head, equal children
inline constexpr Reason Asserted = 0xFFFFFFFEU;    ///< asserted by the caller

/// Two different literals in one class, or a variable in one class with a literal or another variable: the rules, or
/// the asserted facts, contradict each other. (Integer variables are exempt: sizes are known to be equal because the
/// program would fail otherwise.)
struct Contradiction {
    ENodeId left;
    ENodeId right;
};

class EGraphRule;

/// Terms modulo equality (egraph-mcts.txt 2.2): e-nodes (a head over classes) are hash-consed, classes are a union-find
/// over e-nodes, and `rebuild` restores congruence after a batch of unions (deferred rebuilding). All state is held in
/// arrays of 32-bit words, so that a copy is a few memory copies and changes since a mark can be undone.
///
/// Binders are represented as in terms: by de Bruijn indices, where a loose index refers to a binder outside the term.
/// A class holds equal terms of one binding context; the same term under one more binder is a different term. Every
/// e-node keeps the children it was added with, so it represents one term: `term`. The representative of a class is the
/// term of the member with the fewest loose variables; ties prefer a literal, then the smallest term. Rules that
/// substitute or test a term (x not in e, c.is_const) use the representative.
///
/// Kept for every class: its type (shared by all members), a literal in it, the representative, and the facts of the
/// analyses that are attached (class_analysis.h).
/// Deterministic: the same calls give the same ids.
class EGraph {
public:
    /// Terms are stored in the bank, which must outlive the graph. If `explain` is false, no reasons are kept (see
    /// explain.h).
    explicit EGraph(ir::TermBank& bank, bool explain = true);
    /// The same graph over a copy of its bank (TermBank::copy), made when the graph was as it is.
    /// `explain`: whether it keeps the reasons of the other, and further ones.
    EGraph(const EGraph& other, ir::TermBank& bank, bool explain = true);

    [[nodiscard]] ir::TermBank& bank() const { return *m_bank; }
    [[nodiscard]] const HeadTable& heads() const { return m_heads; }
    [[nodiscard]] bool explains() const { return m_explains; }

    // --- building -------------------------------------------------------------------------------------------------

    /// Returns the class of the term; adds the nodes that are missing.
    ENodeId add(ir::TermId term);
    /// Returns a member that represents exactly this term (adds a copy of a congruent node if necessary).
    ENodeId addExactly(ir::TermId term);
    /// Returns an e-node over the given members; a congruent one if it exists.
    ENodeId addNode(HeadId head, std::span<const ENodeId> children, Symbol hint = {});
    HeadId head(ir::TermId term) { return m_heads.of(*m_bank, term); }
    /// Merges two classes; returns false if they were already one. Both must have the same type. The reason justifies a
    /// = b.
    bool unite(ENodeId a, ENodeId b, Reason reason = Asserted);
    /// Restores congruence as far as this avoids creating nodes that would soon turn out to be congruent to others.
    /// Does not replace `rebuild`.
    void repairPending();
    /// Number of unions whose congruences have not been propagated yet.
    [[nodiscard]] std::size_t pendingCount() const { return m_pending.size(); }
    /// Restores congruence. Until then the graph is not `clean`: it must not be matched, and its counts are not exact.
    void rebuild();
    [[nodiscard]] bool isClean() const { return m_pending.empty() && m_improved.empty(); }
    /// The contradiction found first. Set by the union that made the two equal, and never cleared except by `undoTo`.
    [[nodiscard]] const std::optional<Contradiction>& contradiction() const { return m_contradiction; }

    // --- analyses ---------------------------------------------------------------------------------------------------

    /// Starts an analysis and returns its number; its facts are complete after the next `rebuild`. Must not be called
    /// while a mark exists.
    std::size_t attach(std::shared_ptr<ClassAnalysis> analysis);
    [[nodiscard]] std::span<const std::shared_ptr<ClassAnalysis>> analyses() const { return m_analyses; }
    /// Returns what analysis number `analysis` knows of the class; complete while the graph is rebuilt.
    [[nodiscard]] Fact fact(std::size_t analysis, ENodeId id) const {
        return m_arrays[Facts][recordOf(id) * m_analyses.size() + analysis];
    }

    // --- reading --------------------------------------------------------------------------------------------------

    /// The leader of the class: equal for all members of one class.
    [[nodiscard]] ENodeId find(ENodeId id) const {
        const Words& parent = m_arrays[Parent];
        std::uint32_t at = id.value;
        while ((parent[at] & LeaderFlag) == 0) at = parent[at];
        return ENodeId(at);
    }
    /// Live e-nodes that are not pruned, and classes; exact while the graph is clean.
    [[nodiscard]] std::size_t nodeCount() const { return m_liveNodes; }
    [[nodiscard]] std::size_t classCount() const { return m_classes; }
    /// Number of e-nodes ever added; all ids are below it.
    [[nodiscard]] std::size_t idCount() const { return m_arrays[Parent].size(); }
    [[nodiscard]] bool isLive(ENodeId id) const { return m_arrays[Stamp][id.value] != Dead; }
    [[nodiscard]] HeadId headOf(ENodeId node) const { return HeadId(m_arrays[HeadOf][node.value]); }
    [[nodiscard]] const Head& headInfo(ENodeId node) const { return m_heads[headOf(node)]; }
    /// The classes of the children of a live node; the graph must be clean.
    [[nodiscard]] std::span<const std::uint32_t> children(ENodeId node) const {
        return {m_arrays[Child].data() + m_arrays[FirstChild][node.value], headInfo(node).arity};
    }
    [[nodiscard]] ENodeId child(ENodeId node, std::uint32_t place) const {
        return ENodeId(m_arrays[Child][m_arrays[FirstChild][node.value] + place]);
    }
    /// The members over which the node was added.
    [[nodiscard]] std::span<const std::uint32_t> originalChildren(ENodeId node) const {
        return {m_arrays[Original].data() + m_arrays[FirstChild][node.value], headInfo(node).arity};
    }
    [[nodiscard]] ir::TypeId type(ENodeId id) const { return headInfo(id).type; }
    /// Name of the variable that a binder binds; invalid for other nodes.
    [[nodiscard]] Symbol hint(ENodeId node) const;
    /// The attribute values of the node, see HeadTable::attributes.
    [[nodiscard]] std::span<const ir::TermId> attributes(ENodeId node) { return attributes(headOf(node)); }
    [[nodiscard]] std::span<const ir::TermId> attributes(HeadId head) { return m_heads.attributes(*m_bank, head); }
    /// The term that the e-node was added for.
    ir::TermId term(ENodeId node);
    /// The member whose term is the representative of the class.
    [[nodiscard]] ENodeId best(ENodeId id) const { return ENodeId(m_arrays[Best][recordOf(id)]); }
    /// Whether the term of the node over the representatives of its children has no more loose variables than the
    /// representative of its class. Only such nodes are matched and extracted: a class may have members with variables
    /// that are not bound everywhere the class is used (x - x in the class of 0).
    [[nodiscard]] bool isInScope(ENodeId node) const;
    /// Removes a node from the index: it is no longer matched or extracted, and otherwise unchanged (cycles.h). A
    /// filtered node that becomes congruent to an unfiltered one is unfiltered.
    void filter(ENodeId node);
    [[nodiscard]] bool isFiltered(ENodeId node) const { return (m_arrays[Size][node.value] & FilteredFlag) != 0; }
    /// Filters a node that the graph does not need any more, because a better one is in its class: it is not counted
    /// either. Its class must keep a node that is neither filtered nor pruned.
    void prune(ENodeId node);
    [[nodiscard]] bool isPruned(ENodeId node) const { return (m_arrays[Size][node.value] & PrunedFlag) != 0; }
    /// A literal in the class; invalid if there is none.
    [[nodiscard]] ENodeId literal(ENodeId id) const {
        const ENodeId atom(m_arrays[Atom][recordOf(id)]);
        return atom.isValid() && headInfo(atom).isLiteral ? atom : ENodeId();
    }
    /// Whether the class contains a literal or a variable.
    [[nodiscard]] bool hasAtom(ENodeId id) const { return m_arrays[Atom][recordOf(id)] != None; }
    /// Finds a member for the term without adding anything; invalid if the term is not in the graph. (Also finds a term
    /// that was only added in parts.)
    [[nodiscard]] ENodeId lookup(ir::TermId term);
    /// The live node with that head over the classes of these members; invalid if there is none. The graph must be
    /// clean. For the children of a dead node, this is the node that it became congruent to.
    [[nodiscard]] ENodeId congruent(HeadId head, std::span<const ENodeId> children) const;
    /// Calls `use` with every live node that has the class among its children, and with the place of the child.
    template <typename Use>
    void forEachUse(ENodeId eclass, Use use) const {
        for (std::uint32_t place = m_arrays[FirstUse][recordOf(eclass)]; place != None;
             place = m_arrays[NextUse][place]) {
            const std::uint32_t owner = m_arrays[Owner][place];
            if (m_arrays[Stamp][owner] != Dead) use(ENodeId(owner), place - m_arrays[FirstChild][owner]);
        }
    }
    /// Calls `member` with every e-node of the class, including dead ones.
    template <typename Member>
    void forEachMember(ENodeId eclass, Member member) const {
        std::uint32_t at = eclass.value;
        do {
            member(ENodeId(at));
            at = m_arrays[Next][at];
        } while (at != eclass.value);
    }
    /// The epoch of the last change of the node's tuple (class, head, children): when it was added, or one of its
    /// classes was merged.
    [[nodiscard]] std::uint32_t stamp(ENodeId node) const { return m_arrays[Stamp][node.value]; }
    /// The same for (head, children): matching the root of a pattern does not depend on its class.
    [[nodiscard]] std::uint32_t childStamp(ENodeId node) const { return m_arrays[ChildStamp][node.value]; }
    /// Number of rebuilds; nodes added from now on have this stamp.
    [[nodiscard]] std::uint32_t epoch() const { return m_epoch; }

    /// Live nodes that are in scope and not filtered, by class and by operator; the nodes of a class are sorted by
    /// operator. Valid until the graph changes.
    struct Index {
        std::vector<std::uint32_t> classes;    ///< leaders, ascending
        std::vector<std::uint32_t> members;    ///< nodes, see `indexRange`
        std::vector<std::uint32_t> memberOps;  ///< the matched operator of each member
        std::vector<std::uint32_t> opBegin;    ///< by operator o: its nodes are [opBegin[o], opBegin[o + 1]) of `byOp`
        std::vector<std::uint32_t> byOp;

        [[nodiscard]] std::size_t bytes() const;
    };
    /// The graph must be clean.
    [[nodiscard]] const Index& index();
    /// Range of the class's nodes in `Index::members`, as of the last call of `index`.
    struct IndexRange {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    [[nodiscard]] IndexRange indexRange(ENodeId id) const { return m_indexRanges[recordOf(id)]; }

    /// Bytes held by the graph, without the terms of the bank.
    [[nodiscard]] std::size_t bytes() const;

    // --- provenance and reasons --------------------------------------------------------------------------------------

    /// Registers a rule and returns its number, which origins and reasons refer to; a registered rule keeps its number.
    std::uint32_t enlist(std::shared_ptr<const EGraphRule> rule);
    [[nodiscard]] const std::vector<std::shared_ptr<const EGraphRule>>& rules() const { return m_rules; }
    /// Sets the origin of nodes added from now on: this rule in this iteration.
    void setOrigin(std::uint32_t rule, std::uint32_t iteration) { m_origin = {rule, iteration}; }
    struct Origin {
        std::uint32_t rule = Snapshot::None;
        std::uint32_t iteration = 0;
        bool operator==(const Origin&) const = default;
    };
    [[nodiscard]] Origin origin(ENodeId node) const;
    /// The iteration in which the class was last united with another class that is older than that iteration; 0 if
    /// never.
    [[nodiscard]] std::uint32_t mergeIteration(ENodeId id) const { return m_arrays[Merged][recordOf(id)]; }
    /// Stores the words of a rule application. `reason` returns them, followed by whatever was stored after them: the
    /// caller must derive their length from the words. The span is valid until the next call of `keepReason`.
    Reason keepReason(std::span<const std::uint32_t> words);
    [[nodiscard]] std::span<const std::uint32_t> reason(Reason reason) const;
    /// The edge from a member towards the root of its class's proof tree; `to` is invalid at the root.
    struct ProofEdge {
        ENodeId to;
        Reason reason = Congruence;
    };
    [[nodiscard]] ProofEdge proofEdge(ENodeId node) const;

    // --- going back --------------------------------------------------------------------------------------------------

    /// Everything after a mark can be undone; marks nest. Changes cost slightly more while a mark exists. If the graph
    /// is not clean when a mark is set, `undoTo` must be called before the next rebuild.
    struct Mark;
    [[nodiscard]] Mark mark();
    void undoTo(const Mark& mark);
    /// Discards the mark and keeps the changes.
    void release(const Mark& mark);

private:
    enum Field : std::uint8_t {
        // indexed by node
        Parent,  ///< union-find: another member, or LeaderFlag plus the record of the class that it leads
        HeadOf,
        FirstChild,  ///< of the node's children in Child and Original
        Stamp,       ///< epoch of the last change of (class, head, children), or Dead
        ChildStamp,  ///< epoch of the last change of (head, children)
        Size,        ///< size of its term, FilteredFlag and PrunedFlag
        Loose,       ///< loose indices of its term: bit i for index i, the sign bit for any index of 31 or more
        Term,        ///< its term in the bank, once requested
        Next,        ///< ring of the members of a class, including dead ones
        // indexed by record: one for each existing class; the records of merged classes are reused
        Best,
        Atom,     ///< a literal of the class, otherwise a variable
        Members,  ///< number of members, including dead ones
        Uses,     ///< number of uses
        Born,     ///< iteration in which the leader was added
        Merged,   ///< iteration of the last union with a class that existed before it
        FirstUse,
        LastUse,  ///< in a free record: the next free record
        Facts,    ///< of each analysis
        // indexed by child place
        Child,     ///< class; up to date after `rebuild`
        Original,  ///< member
        Owner,
        NextUse,  ///< list of the places that hold the same class
        // reasons
        ProofParent,
        ProofReason,
        Reasons,
        // other arrays
        Table,     ///< hash-consing: open addressing, pairs of tag and node
        TermNode,  ///< by term of the bank: a node
        FieldCount,
    };
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    static constexpr std::uint32_t Dead = 0xFFFFFFFFU;
    static constexpr std::uint32_t FreeSlot = 0xFFFFFFFFU;
    static constexpr std::uint32_t LeaderFlag = 0x80000000U;
    static constexpr std::uint32_t FilteredFlag = 0x80000000U;
    static constexpr std::uint32_t PrunedFlag = 0x40000000U;

    struct Change {
        Field field;
        std::uint32_t index;
        std::uint32_t old;
    };
    [[nodiscard]] std::uint32_t recordOf(ENodeId id) const { return m_arrays[Parent][find(id).value] & ~LeaderFlag; }
    [[nodiscard]] bool isLeader(std::uint32_t id) const { return (m_arrays[Parent][id] & LeaderFlag) != 0; }
    /// Creates a record for the class of this single node.
    std::uint32_t makeRecord(std::uint32_t node, bool isAtom);
    void freeRecord(std::uint32_t record);
    void log(const Change& change);
    void write(Field field, std::uint32_t index, std::uint32_t value) {
        std::uint32_t& place = m_arrays[field][index];
        if (m_marks != 0) log({field, index, place});
        place = value;
    }
    [[nodiscard]] static std::uint32_t tagOf(std::uint32_t head, const std::uint32_t* children, std::uint32_t arity) {
        std::uint64_t hash = (head + 1ULL) * 0x9E3779B97F4A7C15ULL;
        for (std::uint32_t i = 0; i < arity; ++i) hash = (std::rotl(hash, 27) ^ children[i]) * 0xBF58476D1CE4E5B9ULL;
        return static_cast<std::uint32_t>(hash >> 32U);
    }
    /// The slot of a congruent node, or the free slot where it would be inserted. The tag is derived from the hash.
    [[nodiscard]] std::uint32_t slotFor(std::uint32_t tag, std::uint32_t head, const std::uint32_t* children,
                                        std::uint32_t arity) const {
        const std::uint32_t* const table = m_arrays[Table].data();
        const std::uint32_t mask = slotCount() - 1;
        for (std::uint32_t slot = tag & mask;; slot = (slot + 1) & mask) {
            const std::uint32_t node = table[2 * slot + 1];
            if (node == FreeSlot) return slot;
            if (table[2 * slot] != tag || m_arrays[HeadOf][node] != head) continue;
            const std::uint32_t* own = m_arrays[Child].data() + m_arrays[FirstChild][node];
            std::uint32_t same = 0;
            while (same < arity && own[same] == children[same]) ++same;
            if (same == arity) return slot;
        }
    }
    void eraseFromTable(std::uint32_t node);
    void fillTable(std::size_t slots);
    [[nodiscard]] std::uint32_t slotCount() const { return static_cast<std::uint32_t>(m_arrays[Table].size() / 2); }
    void makeRoom(std::size_t children);
    void addUse(std::uint32_t record, std::uint32_t place);
    /// `classes`: the leaders of the children.
    ENodeId append(HeadId head, std::span<const ENodeId> children, const std::uint32_t* classes, Symbol hint,
                   bool live);
    /// Adds a dead node over other members of the same classes: it represents another term of its class.
    ENodeId addCopy(ENodeId of, std::span<const ENodeId> children, Symbol hint);
    void noteTerm(ir::TermId term, std::uint32_t node);
    [[nodiscard]] std::uint32_t noted(ir::TermId term) const;
    [[nodiscard]] std::uint32_t sizeOf(std::uint32_t node) const { return m_arrays[Size][node] & (PrunedFlag - 1); }
    [[nodiscard]] bool standsFor(std::uint32_t node, ir::TermId term) const;
    [[nodiscard]] int looseCount(std::uint32_t node) const;
    [[nodiscard]] bool isBetter(std::uint32_t a, std::uint32_t b) const;
    void linkProof(std::uint32_t from, std::uint32_t to, Reason reason);
    void noteContradiction(std::uint32_t left, std::uint32_t right);
    void repair(std::uint32_t node);
    void improveUsers(std::uint32_t eclass);
    /// Restores congruence.
    void closeUnions();
    // analyses (egraph_analyses.cpp)
    [[nodiscard]] Fact makeFact(std::size_t analysis, ENodeId node);
    /// Makes the facts of a class, which has just been made for the node.
    void makeFacts(ENodeId node);
    /// The record `kept` takes over the facts of the record `gone`; `winner` leads the united class.
    void joinFacts(std::uint32_t winner, std::uint32_t kept, std::uint32_t gone);
    /// Joins a fact to that of a class; returns whether it changed.
    bool addFact(std::size_t analysis, std::uint32_t eclass, Fact fact);
    /// Rules that ask for the facts of the class may match now.
    void stampMembers(std::uint32_t eclass);
    /// Brings the facts above changed classes up to date and lets the analyses settle; returns whether it did anything.
    bool settleFacts();
    /// The distinct subterms of a term for which `isKnown` returns false, children before their parents.
    [[nodiscard]] std::vector<ir::TermId> missing(ir::TermId term, absl::FunctionRef<bool(ir::TermId)> isKnown) const;

    ir::TermBank* m_bank;
    bool m_explains;
    HeadTable m_heads;
    std::array<Words, FieldCount> m_arrays;
    absl::flat_hash_map<std::uint32_t, Symbol> m_hints;  // binders only
    std::uint32_t m_freeRecords = None;                  // head of the free list
    std::uint32_t m_tableUsed = 0;
    std::uint32_t m_tableFills = 0;  // how often the table was filled anew: changes logged before are void then
    Words m_key;                     // buffer of `addNode`
    bool m_hasLoose = false;         // whether any node's term ever had a loose variable
    std::size_t m_liveNodes = 0;
    std::size_t m_classes = 0;
    std::uint32_t m_epoch = 1;
    std::vector<std::shared_ptr<const EGraphRule>> m_rules;
    Origin m_origin;
    /// Nodes from `first` on have this origin; sorted by `first`, ascending.
    struct OriginRange {
        std::uint32_t first = 0;
        Origin origin;
    };
    std::vector<OriginRange> m_origins;
    /// Use lists of merged classes whose congruences are pending: (first use, number of uses).
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_pending;
    std::vector<std::uint32_t> m_improved;  // classes whose representative lost loose variables
    std::vector<std::shared_ptr<ClassAnalysis>> m_analyses;
    /// Members of classes with new facts (of which the nodes above must learn), and of those that must settle.
    std::vector<std::uint32_t> m_changedFacts;
    std::vector<std::uint32_t> m_unsettled;
    std::optional<Contradiction> m_contradiction;
    Index m_index;
    std::vector<IndexRange> m_indexRanges;  // by record
    std::uint32_t m_indexEpoch = 0;
    std::size_t m_indexIds = 0;  // number of nodes when the index was built
    std::vector<Change> m_trail;
    std::uint32_t m_marks = 0;
};

/// Sizes of all arrays at the time of a mark.
struct EGraph::Mark {
    std::array<std::size_t, FieldCount> sizes{};
    std::size_t trail = 0;
    std::uint32_t freeRecords = 0;
    std::uint32_t tableUsed = 0;
    std::uint32_t tableFills = 0;
    std::size_t liveNodes = 0;
    std::size_t classes = 0;
    std::uint32_t epoch = 0;
    Origin origin;
    std::optional<Contradiction> contradiction;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pending;
    std::vector<std::uint32_t> improved;
    std::vector<std::uint32_t> changedFacts;
    std::vector<std::uint32_t> unsettled;
};

}  // namespace mitos::egraph
