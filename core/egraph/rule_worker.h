// SPDX-License-Identifier: GPL-3.0-or-later
// A rule at work on an e-graph: finding matches, adding what they say, and remembering why.
#pragma once

#include "core/egraph/changes.h"
#include "core/egraph/cycles.h"
#include "core/egraph/egraph.h"
#include "core/egraph/egraph_rule.h"
#include "core/egraph/flat_pattern.h"
#include "core/egraph/joint_roots.h"
#include "core/egraph/kept_roots.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mitos::egraph {

/// Matches of one rule, found and not yet applied.
struct Matches {
    std::vector<std::uint32_t> flat;  ///< FlatPattern::operatorCount() words each
    struct General {
        ENodeId root;  ///< the class; invalid: of a rule with several roots, whose left sides say where they are
        rules::Substitution substitution;
    };
    std::vector<General> general;
    std::size_t count = 0;

    /// Where a list is nearly full, as much as it will take when it has grown: a limit then ends the search before.
    [[nodiscard]] std::size_t bytes() const { return bytesOf(flat) + bytesOf(general); }

private:
    template <typename T>
    [[nodiscard]] static std::size_t bytesOf(const std::vector<T>& list) {
        const bool grows = list.size() > list.capacity() - list.capacity() / 8;
        return (grows ? 2 : 1) * list.capacity() * sizeof(T);
    }
};

/// A rule at work on one graph; remembers how far it has searched and what it adds for which types.
class RuleWorker {
public:
    RuleWorker(EGraph& graph, std::shared_ptr<const EGraphRule> rule);

    /// Of the rule, in the graph (EGraph::enlist).
    [[nodiscard]] std::uint32_t number() const { return m_number; }

    enum class Searched : std::uint8_t {
        All,
        Partly,  ///< the general matcher gave up at a place: there may be more
        Limit,
        Interrupted,
    };
    /// Matches that were not there at the last `settle`, at most `limit` + 1 of them. The graph must be clean. `changes` is
    /// shared by the rules of a graph.
    Searched search(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn);
    /// What was found is being applied: the next search asks for what is new since the last one.
    void settle() {
        m_since = m_searchEpoch;
        m_roots.settle();
    }
    /// Which roots may stand together, of a rule with several. At first: any.
    void setRootChoice(RootChoice choice);
    /// Bytes of what is kept between searches.
    [[nodiscard]] std::size_t bytes() const { return m_roots.bytes(); }

    /// Adds the right sides of match number `i`, and unites. Returns the number of unions that were new.
    std::uint32_t apply(const Matches& matches, std::size_t i);
    /// Asked before each union; null: nobody is. It must outlive what is applied.
    void setGuard(UnionGuard* guard) { m_guard = guard; }
    /// Whether the guard refused a union of the last application, which is to be taken back then as a whole.
    [[nodiscard]] bool isRefused() const { return m_isRefused; }

    /// A member of the class that match number `i` has its root in, of several roots the first one's.
    [[nodiscard]] ENodeId rootOf(const Matches& matches, std::size_t i) const;
    /// No fewer e-nodes than any match adds, known without looking at one.
    [[nodiscard]] std::size_t mostRoom() const { return m_mostRoom; }
    /// No fewer e-nodes than match number `i` adds.
    [[nodiscard]] std::size_t roomFor(const Matches& matches, std::size_t i);

    /// A right side as it is added: in post-order.
    struct Instruction {
        std::uint32_t variable = FlatPattern::None;  ///< the value of a variable, or
        HeadId head;                                 ///< a node over as many of the last values as its head takes
        std::uint32_t arity = 0;
        Symbol hint;
    };
    struct Template {
        std::vector<std::uint32_t> key;
        bool isUsable = false;                        ///< the types fit, and the conditions hold
        std::vector<std::vector<Instruction>> roots;  ///< by root
    };
    /// What a typed rule adds for such a match. `variables`: members, by VarIndex; `literals`: by EGraphRule::literals.
    const Template& templateFor(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                                std::span<const std::uint32_t> literals);
    /// The substitution of a flat match, over the given members.
    rules::Substitution substitution(std::span<const ENodeId> variables, std::span<const std::uint32_t> literals);

private:
    std::uint32_t applyFlat(std::span<const std::uint32_t> match);
    Searched searchFlat(std::size_t limit, Matches& matches, MayGoOn mayGoOn);
    Searched searchGeneral(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn);
    Searched searchRoots(std::size_t limit, Matches& matches, Changes& changes, MayGoOn mayGoOn);
    std::uint32_t applyTerms(ENodeId root, const rules::Substitution& whole);
    /// One root. An invalid class: that of its left side.
    std::uint32_t applyPart(std::size_t part, ENodeId eclass, const rules::Substitution& substitution);
    bool conditionHolds(std::span<const std::uint32_t> match);
    [[nodiscard]] bool isFor(const Template& made, std::span<const std::uint32_t> match,
                             std::span<const ENodeId> variables, std::span<const std::uint32_t> literals) const;
    Template makeTemplate(std::span<const std::uint32_t> match, std::span<const ENodeId> variables,
                          std::span<const std::uint32_t> literals);
    void compileTerm(ir::TermId term, std::span<const ir::TermId> samples, std::vector<Instruction>& code);
    [[nodiscard]] bool mayUnite(ENodeId left, ENodeId right);
    void readLiterals(std::span<const std::uint32_t> match);
    void readVariables(std::span<const std::uint32_t> match);

    EGraph& m_graph;
    std::shared_ptr<const EGraphRule> m_rule;
    std::uint32_t m_number;
    std::size_t m_mostRoom;
    UnionGuard* m_guard = nullptr;
    bool m_isRefused = false;
    std::uint32_t m_since = 0;
    std::uint32_t m_searchEpoch = 0;
    std::optional<ApartRoots> m_apart;  // RootChoice::Apart
    KeptRoots m_roots;                  // of a rule with several that is not flat
    std::vector<Template> m_templates;
    std::size_t m_lastTemplate = 0;
    std::vector<std::uint32_t> m_literals;  // these: of the match at hand
    std::vector<ENodeId> m_variables;
    std::vector<ENodeId> m_stack;
    std::vector<std::uint32_t> m_built;
    std::vector<std::uint32_t> m_words;
};

/// What a reason kept by RuleWorker says (explain.h reads it).
struct RuleReason {
    std::uint32_t rule = 0;
    std::uint32_t part = 0;
    bool isFlat = false;
    ENodeId left;  ///< flat: the node that the root matched; else: stands for the left side exactly
    std::span<const std::uint32_t> matched;   ///< flat: by operator of the pattern
    std::span<const std::uint32_t> literals;  ///< flat: members, by EGraphRule::literals
    /// Flat: by node of the template's code for the root; more may stand behind them.
    std::span<const std::uint32_t> built;
    rules::Substitution substitution;  ///< if not flat: of the part
};
[[nodiscard]] RuleReason readReason(const EGraph& graph, Reason reason);

}  // namespace mitos::egraph
