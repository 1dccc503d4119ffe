// SPDX-License-Identifier: GPL-3.0-or-later
// Application of a rule to an e-graph: finds matches, adds the right-hand sides, and stores the reasons.
#pragma once

#include "core/base/words_memo.h"
#include "core/egraph/cycles.h"
#include "core/egraph/egraph.h"
#include "core/egraph/egraph_rule.h"
#include "core/egraph/flat_pattern.h"
#include "core/egraph/internal/changes.h"
#include "core/egraph/internal/root_matches.h"
#include "core/egraph/joint_roots.h"
#include "core/rules/matching/match_memo.h"

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mitos::egraph {

/// Matches of one rule that were found but not applied yet.
struct Matches {
    Words flat;  ///< FlatPattern::operatorCount() words each
    struct General {
        absl::InlinedVector<ENodeId, 2> roots;  ///< the classes
        rules::Substitution substitution;
    };
    std::vector<General> general;
    std::size_t count = 0;

    /// Where a list is nearly full, as much as it will take when it has grown: a limit then ends the search before.
    [[nodiscard]] std::size_t bytes() const {
        return sizeof(std::uint32_t) * room(flat) + sizeof(General) * room(general);
    }

private:
    template <typename List>
    [[nodiscard]] static std::size_t room(const List& list) {
        const bool grows = list.size() > list.capacity() - list.capacity() / 8;
        return (grows ? 2 : 1) * list.capacity();
    }
};

/// Applies one rule to one graph; keeps how far it has searched and what it adds for which types.
class RuleWorker {
public:
    /// `remember`: what is kept of single matches. All pays where they are applied again after they were undone.
    RuleWorker(EGraph& graph, std::shared_ptr<const EGraphRule> rule, Remember remember = Remember::Last);

    /// Number of the rule in the graph (EGraph::enlist).
    [[nodiscard]] std::uint32_t number() const { return m_number; }

    enum class Searched : std::uint8_t {
        All,
        Partly,  ///< the general matcher gave up at a place, so there may be more matches
        Limit,
        Interrupted,
    };
    /// Finds the matches that are new since the last `markOld`, at most `limit` + 1 of them. The graph must be clean.
    /// `changes` is shared by the rules of a graph.
    Searched search(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn);
    /// Called when the found matches are being applied: the next search returns only what is new since the last one.
    void markOld() {
        m_since = m_searchEpoch;
        m_roots.markOld();
    }
    /// The next search returns all matches, also those of a graph that was undone since the last one.
    void forget() {
        m_since = 0;
        m_roots = {};
    }
    /// Sets which classes the roots of a rule with several roots may match together. The default is RootChoice::Any.
    void setRootChoice(RootChoice choice);
    /// Bytes held between searches.
    [[nodiscard]] std::size_t bytes() const;

    /// Adds the right-hand sides of match number `i` and unites the classes. Returns the number of new unions.
    std::uint32_t apply(const Matches& matches, std::size_t i);
    /// Applies an instance that was not searched for.
    std::uint32_t apply(const rules::Substitution& substitution);
    /// Null if unions are not guarded. The guard must outlive all applications.
    void setGuard(UnionGuard* guard, UnionCheck check) {
        m_guard = guard;
        m_check = check;
    }
    /// Whether the guard refused a union of the last application, which the caller must then undo as a whole.
    [[nodiscard]] bool isRefused() const { return m_isRefused; }

    /// A member of the class of the root of match number `i`; with several roots, of the first one.
    [[nodiscard]] ENodeId rootOf(const Matches& matches, std::size_t i) const;
    /// Upper bound on the e-nodes that any match adds, computed without a match.
    [[nodiscard]] std::size_t mostRoom() const { return m_mostRoom; }
    /// Upper bound on the e-nodes that match number `i` adds.
    [[nodiscard]] std::size_t roomFor(const Matches& matches, std::size_t i);

    /// One instruction of a right-hand side, in post-order.
    struct Instruction {
        std::uint32_t variable = FlatPattern::None;  ///< pushes the value of this variable; None: adds a node
        HeadId head;                                 ///< the node's head; its children are the last values of the stack
        std::uint32_t arity = 0;
        Symbol hint;
    };
    struct Template {
        bool isUsable = false;                        ///< the types fit and the conditions hold
        std::vector<std::vector<Instruction>> roots;  ///< by root
    };
    /// The nodes that a typed rule adds for such a match. `variables` are members, by VarIndex; `literals` are ordered as
    /// EGraphRule::literals.
    const Template& templateFor(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                                std::span<const std::uint32_t> literals);
    /// The substitution of a flat match: over the representatives, or over the given members.
    rules::Substitution substitution(std::span<const std::uint32_t> match);
    rules::Substitution substitution(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                                     std::span<const std::uint32_t> literals);

private:
    ENodeId build(const std::vector<Instruction>& code);
    std::uint32_t applyFlat(std::span<const std::uint32_t> match);
    Searched searchFlat(std::size_t limit, Matches& matches, MayGoOn mayGoOn);
    Searched searchGeneral(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn);
    Searched searchRoots(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn);
    std::uint32_t applyGeneral(const Matches::General& match);
    /// Applies a match by what was computed for matches of the same types, without reasons.
    std::uint32_t applyByTypes(const Matches::General& match);
    std::uint32_t applyTerms(ENodeId root, const rules::Substitution& whole);
    /// The rewrite of one root under a substitution of the whole.
    struct Rewrite {
        rules::Substitution substitution;  ///< of the root alone
        ir::TermId left;
        ir::TermId right;  ///< invalid if the rule does not apply to the root, or changes nothing
    };
    /// By root; empty if the substitution yields no instance.
    std::vector<Rewrite> makeRewrites(const rules::Substitution& whole);
    /// Applies one root. If the class is invalid, the class of the left-hand side is used.
    std::uint32_t applyPart(std::size_t part, ENodeId eclass, const Rewrite& rewrite);
    [[nodiscard]] bool conditionHolds(const rules::Substitution& whole);
    /// The substitution of a flat match under which the condition holds: with the representatives as values or, where the condition asks an
    /// analysis, with the terms of which that knows most. Nothing if it holds for neither.
    [[nodiscard]] std::optional<rules::Substitution> holdingSubstitution(std::span<const std::uint32_t> match);
    /// Writes to `m_key` what determines the template: types of roots and variables, heads of literals and of operators
    /// with attributes. Returns whether it was there already.
    bool fillKey(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                 std::span<const std::uint32_t> literals);
    Template makeTemplate(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                          std::span<const std::uint32_t> literals);
    /// A fresh variable of the type, for variable number `i` of the rule.
    [[nodiscard]] ir::TermId sampleOf(std::size_t i, ir::TypeId type);
    /// The nodes that the rule adds under a substitution, in which the term `samples[i]` stands for the value of variable number `i`.
    Template makeTemplate(const rules::Substitution& sample, std::span<const ir::TermId> samples);
    void compileTerm(ir::TermId term, std::span<const ir::TermId> samples, std::vector<Instruction>& code);
    [[nodiscard]] bool mayUnite(ENodeId left, ENodeId right);
    /// Asks the guard about the variables if it is to be asked about those.
    [[nodiscard]] bool mayApply(std::span<const ENodeId> variables, std::span<const ENodeId> roots);
    [[nodiscard]] bool mayApply(ENodeId root, const rules::Substitution& whole, std::span<const Rewrite> rewrites);
    void readLiterals(std::span<const std::uint32_t> match);
    void readVariables(std::span<const std::uint32_t> match);

    EGraph& m_graph;
    std::shared_ptr<const EGraphRule> m_rule;
    const FlatPattern* m_flat;  // of the rule; null if it is not flat
    std::uint32_t m_number;
    std::size_t m_mostRoom;
    UnionGuard* m_guard = nullptr;
    UnionCheck m_check = UnionCheck::Results;
    bool m_isRefused = false;
    std::uint32_t m_since = 0;
    std::uint32_t m_searchEpoch = 0;
    FlatPattern::HeadMemo m_headMemo;
    std::vector<std::pair<rules::VarIndex, std::size_t>>
        m_asked;                        // variables, and the number of the analysis asked of each
    std::optional<ApartRoots> m_apart;  // unless RootChoice::Any
    RootMatches m_roots;                // for a rule with several roots that is not flat
    // Where the general matcher finds matches:
    std::vector<rules::MatchMemo> m_memos;
    std::vector<bool> m_open;                    // rules::openVariables()
    bool m_hasOpen = false;                      // one of them is
    WordsMemo<std::vector<Rewrite>> m_rewrites;  // by values
    WordsMemo<Template> m_templatesByTypes;      // by values, of open variables by types
    std::vector<std::uint32_t> m_valueWords;     // of the current match
    std::vector<Template> m_templates;
    absl::flat_hash_map<std::vector<std::uint32_t>, std::uint32_t> m_templateByKey;  // indices in m_templates
    std::vector<std::uint32_t> m_key;                                                // of the last template
    std::uint32_t m_lastTemplate = 0;
    std::vector<std::uint32_t> m_literals;  // these: data of the current match
    std::vector<ENodeId> m_variables;
    bool m_isPlain;  // neither literals nor attributes, so that only types distinguish templates
    std::vector<ENodeId> m_stack;
    std::vector<std::uint32_t> m_built;
    std::vector<std::uint32_t> m_words;
};

/// The contents of a reason stored by RuleWorker (read by explain.h).
struct RuleReason {
    std::uint32_t rule = 0;
    std::uint32_t part = 0;
    bool isFlat = false;
    ENodeId left;  ///< flat: the node that the root matched; otherwise a member for exactly the left-hand side
    std::span<const std::uint32_t> matched;   ///< flat: by operator of the pattern
    std::span<const std::uint32_t> literals;  ///< flat: members, by EGraphRule::literals
    /// Flat: by VarIndex, the members under the matched nodes. Any other member that the rule used had become equal to
    /// them before.
    std::vector<ENodeId> variables;
    /// Flat: by node of the template's code for the root; further words may follow.
    std::span<const std::uint32_t> built;
    rules::Substitution substitution;  ///< of the part, if not flat
};
[[nodiscard]] RuleReason readReason(const EGraph& graph, Reason reason);

}  // namespace mitos::egraph
