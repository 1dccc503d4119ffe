// SPDX-License-Identifier: GPL-3.0-or-later
// See explain_shared.h.
#include "core/egraph/internal/explain_shared.h"

#include "core/base/deep_stack.h"
#include "core/egraph/internal/instance.h"
#include "core/egraph/internal/proof_path.h"
#include "core/ir/shared.h"
#include "core/rewrite/detours.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace mitos::egraph {

using ir::Path;
using ir::TermId;

namespace {

/// Maximum number of steps tried; longer threads are not useful to readers.
constexpr std::size_t MaxSharedSteps = 20'000;
/// Maximum nesting of proofs.
constexpr std::uint32_t MaxSharedNesting = 400;
/// Number of places that may be left as they are.
constexpr std::size_t MaxPlacesLeft = 64;
/// How often the parts of one instance may be corrected again when one disturbs another.
constexpr std::uint32_t MaxArrangements = 24;

class SharedExplainer {
public:
    SharedExplainer(EGraph& graph, const ir::Program& start, MayGoOn mayGoOn)
        : m_graph(graph),
          m_bank(graph.bank()),
          m_mayGoOn(mayGoOn),
          m_thread{start, {}, {}},
          m_root(start.root) {}

    Approach run(TermId end) {
        m_end = end;
        m_endNodes.emplace(m_bank, end);
        std::optional<Error> missing;
        while (m_root != end) {
            const std::optional<Misfit> next = highestMisfit({}, m_root, end);
            if (!next && missing) break;
            const TermId before = m_root;
            const std::size_t steps = m_thread.steps.size();
            if (!next) {
                fail("the graphs differ in what no rule has made");
            } else if (!m_met.insert(m_root).second || --m_fuel == 0) {
                tooLong();  // a repeated state would take the same path again
            } else {
                reach(next->path, next->target);
            }
            if (!m_error) continue;
            if (!missing) missing = std::move(m_error);
            m_error.reset();
            m_nesting = 0;
            m_met.erase(before);
            m_root = before;
            m_thread.steps.resize(steps);
            m_thread.states.resize(steps);
            if (!next || m_isStopped || m_fuel == 0 || m_left.size() == MaxPlacesLeft) break;
            m_left.emplace(at(next->path), next->target);
        }
        rewrite::cutCycles(m_thread.start.root, m_thread.steps, m_thread.states);
        return {std::move(m_thread), std::move(missing)};
    }

private:
    struct Misfit {
        Path path;       ///< from the root of the state
        ENodeId target;  ///< the e-node that is required there
    };
    /// An edge of the proof forest, and the direction in which it is followed.
    struct Edge {
        Reason reason = Asserted;
        bool isForward = true;
        ENodeId to;  ///< the live node at its end
    };

    /// The term that a variable stands for, and the first place where it does.
    struct Value {
        Path path;
        TermId term;
    };
    /// Where a step may end: at the e-node at the end of its edge, or anywhere in its class.
    enum class Ends : std::uint8_t { AtNode, InClass };

    void fail(std::string message) {
        if (!m_error) m_error = Error{ErrorCode::Unsupported, std::move(message)};
    }
    bool mayGoOn() {
        if (m_isStopped || m_mayGoOn()) return !m_isStopped;
        m_isStopped = true;
        m_error = explanationStopped();
        return false;
    }
    void tooLong() { fail("no way was found that rewrites shared nodes wherever they are used"); }

    /// The live node of a term; invalid if the e-graph has none.
    ENodeId nodeOf(TermId term) {
        if (const auto known = m_nodes.find(term); known != m_nodes.end()) return known->second;
        absl::InlinedVector<ENodeId, 8> children;
        // Only those terms below are unknown that the last step made.
        std::vector<TermId> open{term};
        while (!open.empty()) {
            const TermId part = open.back();
            const std::size_t before = open.size();
            for (const TermId child : m_bank.children(part)) {
                if (!m_nodes.contains(child)) open.push_back(child);
            }
            if (open.size() > before) continue;
            open.pop_back();
            children.clear();
            bool isThere = true;
            for (const TermId child : m_bank.children(part)) {
                children.push_back(m_nodes.at(child));
                isThere = isThere && children.back().isValid();
            }
            m_nodes.emplace(part, isThere ? m_graph.congruent(m_graph.head(part), children) : ENodeId());
        }
        return m_nodes.at(term);
    }
    ENodeId live(ENodeId member) {
        absl::InlinedVector<ENodeId, 8> children;
        for (const std::uint32_t child : m_graph.originalChildren(member)) children.emplace_back(child);
        return m_graph.congruent(m_graph.headOf(member), children);
    }
    [[nodiscard]] TermId at(const Path& path) const { return *ir::subterm(m_bank, m_root, path); }

    static Path below(const Path& path, std::uint32_t child) {
        Path result = path;
        result.push_back(child);
        return result;
    }

    /// The first place with no misfit above it where the e-node of the state, at or below `path`, differs from that of
    /// the target, and which is not to be left.
    std::optional<Misfit> highestMisfit(const Path& path, TermId state, TermId target) {
        struct Level {
            TermId state;
            TermId target;
            std::uint32_t next = 0;
        };
        // The last misfit in post-order of the pairs has no misfit above it.
        std::optional<Misfit> last;
        const bool isWhole = path.empty() && target == m_end;
        absl::flat_hash_set<std::pair<TermId, TermId>> seen;
        std::vector<Level> levels;
        Path at = path;
        const auto enter = [&](TermId a, TermId b) {
            if (a == b || !seen.emplace(a, b).second) return false;
            const ENodeId wanted = nodeOf(b);
            if (nodeOf(a) != wanted) {
                if (!isWhole || !m_left.contains({a, wanted})) last = Misfit{at, wanted};
                return false;
            }
            levels.push_back({a, b});
            return true;
        };
        enter(state, target);
        while (!levels.empty()) {
            Level& level = levels.back();
            if (level.next == m_bank.childCount(level.state)) {
                levels.pop_back();
                if (!levels.empty()) at.pop_back();
                continue;
            }
            const std::uint32_t child = level.next++;
            at.push_back(child);
            if (!enter(m_bank.child(level.state, child), m_bank.child(level.target, child))) at.pop_back();
        }
        return last;
    }

    /// The edges from one live node to another of its class, without congruences and without cycles.
    std::vector<Edge> way(ENodeId from, ENodeId to) {
        std::vector<Edge> edges;
        std::vector<ENodeId> reached;
        for (const PathEdge& edge : proofPath(m_graph, from, to)) {
            if (edge.reason == Congruence) continue;
            if (edge.reason == Asserted) {
                fail("the terms were said to be equal; no rule makes them so");
                continue;
            }
            const ENodeId member = edge.isUp ? edge.below : edge.above;
            reached.push_back(live(edge.isUp ? edge.above : edge.below));
            edges.push_back({edge.reason, readReason(m_graph, edge.reason).left == member, reached.back()});
        }
        rewrite::cutCycles(from, edges, reached);
        return edges;
    }

    /// Rewrites the term at the path until it is the e-node.
    void reach(const Path& path, ENodeId target) {
        if (++m_nesting > MaxSharedNesting) tooLong();
        while (!m_error && mayGoOn()) {
            const ENodeId from = nodeOf(at(path));
            if (from == target) break;
            if (m_graph.find(from) != m_graph.find(target)) {
                fail("the graphs differ in what is not equal");
                break;
            }
            for (const Edge& edge : way(from, target)) {
                if (m_error || !go(path, edge)) break;
            }
        }
        --m_nesting;
    }

    const RuleInstance* instance(Reason reason, bool isExact) {
        auto& known = m_instances[{reason, isExact}];
        if (known == nullptr) {
            Result<RuleInstance> made = instanceOf(m_graph, reason, isExact);
            if (!made) {
                fail(made.error().message);
                return nullptr;
            }
            known = std::make_unique<RuleInstance>(*std::move(made));
        }
        return known.get();
    }

    /// Applies one instance of a rule at the path. Returns whether the path then holds the e-node at the end of the edge; if not, and
    /// there is no error, it holds another one of the class: a rule that leaves one of its variables (x + 0 => x) leaves the term that
    /// is there, and the edge ends at the class's representative of that time.
    bool go(const Path& path, const Edge& edge) {
        for (const Ends ends : {Ends::AtNode, Ends::InClass}) {
            for (const bool isExact : {false, true}) {
                const RuleInstance* const one = instance(edge.reason, isExact);
                if (one == nullptr || !arrange(path, *one, edge.isForward)) return false;
                if (!step(path, *one, edge, ends)) continue;
                if (ends == Ends::InClass && --m_fuel == 0) tooLong();
                return ends == Ends::AtNode;
            }
        }
        fail("an instance of a rule does not hold for the terms that are there");
        return false;
    }

    /// Establishes the operators of the instance's side, and equal terms for repeated variables.
    bool arrange(const Path& path, const RuleInstance& one, bool isForward) {
        const TermId pattern = isForward ? one.leftPattern : one.rightPattern;
        const TermId exact = isForward ? one.left : one.right;
        for (std::uint32_t round = 0; round < MaxArrangements; ++round) {
            m_values.clear();
            const std::optional<Misfit> misfit = mismatch(path, at(path), pattern, exact, one);
            if (m_error) return false;
            if (!misfit) return true;
            if (--m_fuel == 0) break;
            reach(misfit->path, misfit->target);
        }
        tooLong();
        return false;
    }

    /// The first misfit between the state below the path and the pattern, in pre-order; binds variables to the terms
    /// found.
    std::optional<Misfit> mismatch(const Path& path, TermId state, TermId pattern, TermId exact,
                                   const RuleInstance& one) {
        const auto open = std::ranges::find(one.open, pattern, &RuleInstance::Open::name);
        if (open != one.open.end()) {
            const auto [known, isNew] = m_values.try_emplace(pattern, Value{path, state});
            const auto& [firstPath, first] = known->second;
            if (isNew || first == state) return std::nullopt;
            // The larger term becomes the smaller one: the other way round, it could come to contain itself.
            return m_bank.treeSize(first) > m_bank.treeSize(state) ? highestMisfit(firstPath, first, state)
                                                                   : highestMisfit(path, state, first);
        }
        if (pattern == exact) return state == exact ? std::nullopt : highestMisfit(path, state, exact);
        const ENodeId wanted = nodeOf(exact);
        if (nodeOf(state) != wanted) return Misfit{path, wanted};
        for (std::uint32_t i = 0; i < m_bank.childCount(pattern); ++i) {
            std::optional<Misfit> below = mismatch(SharedExplainer::below(path, i), m_bank.child(state, i),
                                                   m_bank.child(pattern, i), m_bank.child(exact, i), one);
            if (below) return below;
        }
        return std::nullopt;
    }

    /// The value of a variable that only the other side mentions: the term of the class in the current program or in the final one, or the
    /// value with such terms in place of its parts. So what a step introduces brings back no older form of what the program has.
    TermId usual(TermId value) {
        using Place = std::pair<ENodeId, ir::TypeId>;
        absl::flat_hash_map<Place, TermId> known;
        const auto placeOf = [&](TermId term) {
            const ENodeId own = nodeOf(term);
            return Place(own.isValid() ? m_graph.find(own) : own, m_bank.type(term));
        };
        const auto collect = [&](TermId root, bool isFinal) {
            for (const TermId node : ir::SharedNodes(m_bank, root)) {
                if (const Place place = placeOf(node); place.first.isValid() && m_endNodes->contains(node) == isFinal)
                    known.try_emplace(place, node);
            }
        };
        collect(m_root, true);
        collect(m_root, false);
        collect(m_end, true);
        const ir::SharedNodes parts(m_bank, value);
        std::vector<ir::NodeReplacement> replacements;
        for (const TermId part : parts) {
            const auto form = known.find(placeOf(part));
            if (form != known.end() && form->second != part) replacements.push_back({part, form->second});
        }
        return ir::replaceShared(m_bank, parts, replacements);
    }

    /// Applies the step itself. Returns false if the rule does not hold for the current terms or ends elsewhere.
    bool step(const Path& path, const RuleInstance& one, const Edge& edge, Ends ends) {
        const TermId subject = at(path);
        rules::Substitution substitution = one.substitution;
        for (const RuleInstance::Open& open : one.open) {
            const auto there = m_values.find(open.name);
            one.valueIn(substitution, open) = there == m_values.end() ? usual(open.value) : there->second.term;
        }
        const Result<TermId> left = one.rule->left(m_bank, substitution);
        if (!left || !one.rule->isInstance(m_bank, substitution, *left)) return false;
        const Result<TermId> right = one.rule->apply(m_bank, substitution, *left);
        if (!right || (edge.isForward ? *left : *right) != subject) return false;
        const TermId after = edge.isForward ? *right : *left;
        const ENodeId reached = nodeOf(after);
        const bool isThere = reached == edge.to || (ends == Ends::InClass && reached.isValid() &&
                                                    m_graph.find(reached) == m_graph.find(edge.to));
        if (!isThere) return false;
        if (after == subject) return true;
        if (m_thread.steps.size() == MaxSharedSteps) {
            tooLong();
            return true;
        }
        m_thread.steps.push_back(
            {one.rule, {*ir::firstPath(m_bank, m_root, subject)}, std::move(substitution), !edge.isForward});
        m_root = ir::replaceShared(m_bank, ir::SharedNodes(m_bank, m_root), subject, after);
        m_thread.states.push_back(m_root);
        return true;
    }

    EGraph& m_graph;
    ir::TermBank& m_bank;
    MayGoOn m_mayGoOn;
    rewrite::Thread m_thread;
    TermId m_root;
    TermId m_end;
    std::optional<ir::SharedNodes> m_endNodes;
    absl::flat_hash_set<TermId> m_met;  ///< states that were already compared with the end
    absl::flat_hash_set<std::pair<TermId, ENodeId>>
        m_left;  ///< what no steps were found for: terms, and what was wanted instead
    absl::flat_hash_map<TermId, ENodeId> m_nodes;
    absl::flat_hash_map<std::pair<Reason, bool>, std::unique_ptr<RuleInstance>> m_instances;
    absl::flat_hash_map<TermId, Value> m_values;  ///< of the open variables of the current instance, by their names
    std::size_t m_fuel = MaxSharedSteps;
    std::uint32_t m_nesting = 0;
    bool m_isStopped = false;
    std::optional<Error> m_error;
};

}  // namespace

Approach approachShared(EGraph& graph, const ir::Program& start, TermId end, MayGoOn mayGoOn) {
    Approach found;
    withDeepStack(std::size_t(MaxSharedNesting) * 8, [&] { found = SharedExplainer(graph, start, mayGoOn).run(end); });
    return found;
}

}  // namespace mitos::egraph
