// SPDX-License-Identifier: GPL-3.0-or-later
// See explain.h. A proof is a list of steps from one term to another; proofs about children are lifted to their parents.
#include "core/egraph/explain.h"

#include "core/base/deep_stack.h"
#include "core/egraph/internal/explain_shared.h"
#include "core/egraph/internal/instance.h"
#include "core/egraph/internal/proof_path.h"
#include "core/egraph/internal/well_scoped.h"
#include "core/rewrite/detours.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mitos::egraph {

using ir::TermId;

namespace {

/// Maximum number of steps of any part of a proof.
constexpr std::size_t MaxSteps = 100'000;
/// Maximum number of steps of a thread; longer ones are not useful to readers.
constexpr std::size_t MaxThread = 20'000;
/// Maximum length of all positions of the steps that were put together; each of them makes a term of the bank at the most.
constexpr std::size_t MaxLengths = 10'000'000;
/// Maximum nesting of proofs; the stack of the explanation is sized for it.
constexpr std::uint32_t MaxNesting = 10'000;

struct Instance {
    std::shared_ptr<const rules::DirectedRule> rule;
    rules::Substitution substitution;
};

struct ProofStep {
    std::shared_ptr<const Instance> instance;
    bool isReversed = false;
    ir::Path position;
};

struct Proof {
    TermId from;
    std::vector<ProofStep> steps;
    std::vector<TermId> states;  ///< the terms after the steps

    [[nodiscard]] TermId to() const { return steps.empty() ? from : states.back(); }
};

Proof reversed(const Proof& proof) {
    Proof result{proof.to(), {}, {}};
    for (std::size_t i = proof.steps.size(); i-- > 0;) {
        ProofStep step = proof.steps[i];
        step.isReversed = !step.isReversed;
        result.steps.push_back(std::move(step));
        result.states.push_back(i == 0 ? proof.from : proof.states[i - 1]);
    }
    return result;
}

class Explainer {
public:
    Explainer(EGraph& graph, MayGoOn mayGoOn) : m_graph(graph), m_bank(graph.bank()), m_mayGoOn(mayGoOn) {}

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

    /// A proof from the term of one member to that of another member of its class.
    const Proof& between(ENodeId from, ENodeId to) {
        const std::uint64_t key = keyOf(from, to);
        if (const auto known = m_proofs.find(key); known != m_proofs.end()) return *known->second;
        Proof proof{m_graph.term(from), {}, {}};
        if (++m_nesting > MaxNesting) {
            fail("the proof is nested too deeply");
        } else if (proof.from != m_graph.term(to)) {
            for (const PathEdge& passed : shortPath(from, to)) {
                if (m_error) break;
                const Proof up = edge(passed);
                append(proof, passed.isUp ? up : reversed(up), {});
            }
        }
        --m_nesting;
        withoutDetours(proof);
        return *m_proofs.emplace(key, std::make_unique<Proof>(std::move(proof))).first->second;
    }

private:
    void fail(std::string message) {
        if (!m_error) m_error = Error{ErrorCode::Unsupported, std::move(message)};
    }

    static std::uint64_t keyOf(ENodeId from, ENodeId to) { return (std::uint64_t(from.value) << 32U) | to.value; }

    void withoutDetours(Proof& proof) {
        std::vector<const ir::Path*> positions;
        for (const ProofStep& step : proof.steps) positions.push_back(&step.position);
        const std::vector<std::uint32_t> left = rewrite::cutDetours(m_bank, proof.from, positions, proof.states);
        if (left.size() == proof.steps.size()) return;
        std::vector<ProofStep> steps;
        for (const std::uint32_t step : left) steps.push_back(std::move(proof.steps[step]));
        proof.steps = std::move(steps);
    }

    /// Number of steps of the proof between two members along the proof forest, as if no part of it was left out; infinite if it is
    /// too large for a number.
    double sizeBetween(ENodeId from, ENodeId to) {
        if (from == to || m_error) return 0.0;
        const std::uint64_t key = keyOf(std::min(from, to), std::max(from, to));
        if (const auto known = m_sizes.find(key); known != m_sizes.end()) return known->second;
        double size = 0.0;
        if (++m_nesting > MaxNesting) {
            fail("the proof is nested too deeply");
        } else if (m_graph.term(from) != m_graph.term(to)) {
            for (const PathEdge& passed : proofPath(m_graph, from, to)) size += sizeOf(passed);
        }
        --m_nesting;
        m_sizes.emplace(key, size);
        return size;
    }

    double sizeOf(const PathEdge& edge) {
        if (edge.reason == Congruence) return sizeOfCongruence(edge.below, edge.above);
        if (edge.reason == Asserted) return 1.0;
        if (const auto known = m_reasonSizes.find(edge.reason); known != m_reasonSizes.end()) return known->second;
        const RuleReason reason = readReason(m_graph, edge.reason);
        double size = 1.0;
        visitParts(reason, reason.left == edge.below ? edge.above : edge.below,
                   {[&](ENodeId from, ENodeId to, const ir::Path&) { size += sizeBetween(from, to); }, [] {}});
        m_reasonSizes.emplace(edge.reason, size);
        return size;
    }

    double sizeOfCongruence(ENodeId from, ENodeId to) {
        double size = 0.0;
        for (std::uint32_t i = 0; i < m_graph.originalChildren(from).size(); ++i) {
            size += sizeBetween(original(from, i), original(to, i));
        }
        return size;
    }

    /// The path through the proof forest with shortcuts where two members on it are congruent and the proofs of their children are shorter.
    /// The equalities of a shortcut may be younger than those of the path. The sizes still make sure that no proof contains itself: those of a
    /// shortcut's parts are smaller than that of the whole, and those of the forest's parts are not larger and end at older equalities.
    std::vector<PathEdge> shortPath(ENodeId from, ENodeId to) {
        constexpr std::size_t MostTried = 16;  // congruent members that are compared with each
        const std::vector<PathEdge> path = proofPath(m_graph, from, to);
        struct Reached {
            ENodeId member;
            double size = 0.0;
            std::size_t before = 0;  // place on the path from which it is reached
            bool isShortcut = false;
        };
        std::vector<Reached> places{{from}};
        absl::flat_hash_map<std::vector<std::uint32_t>, std::vector<std::size_t>> alike;
        alike[congruenceKey(from)].push_back(0);
        for (std::size_t i = 0; i < path.size(); ++i) {
            const ENodeId member = path[i].isUp ? path[i].above : path[i].below;
            Reached reached{member, places[i].size + sizeOf(path[i]), i};
            std::vector<std::size_t>& others = alike[congruenceKey(member)];
            for (std::size_t k = 0; k < std::min(others.size(), MostTried); ++k) {
                const Reached& other = places[others[k]];
                const double size = other.size + sizeOfCongruence(other.member, member) + 1.0;
                if (size < reached.size) reached = {member, size, others[k], true};
            }
            others.push_back(i + 1);
            places.push_back(reached);
        }
        std::vector<PathEdge> result;
        for (std::size_t at = places.size() - 1; at > 0; at = places[at].before) {
            const std::size_t before = places[at].before;
            result.push_back(places[at].isShortcut
                                 ? PathEdge{places[before].member, places[at].member, Congruence, true}
                                 : path[before]);
        }
        std::ranges::reverse(result);
        return result;
    }

    /// Equal for two members that are congruent.
    [[nodiscard]] std::vector<std::uint32_t> congruenceKey(ENodeId member) const {
        std::vector<std::uint32_t> key{m_graph.headOf(member).value};
        for (const std::uint32_t child : m_graph.originalChildren(member)) {
            key.push_back(m_graph.find(ENodeId(child)).value);
        }
        return key;
    }

    /// Appends the proof `part`, applied at a position of the term reached so far.
    void append(Proof& proof, const Proof& part, const ir::Path& at) {
        if (m_error) return;
        if (proof.steps.size() + part.steps.size() > MaxSteps)
            return fail(fmt::format("the proof has more than {} steps", MaxSteps));
        for (std::size_t i = 0; i < part.steps.size(); ++i) {
            if (!m_mayGoOn()) {
                m_error = explanationStopped();
                return;
            }
            ProofStep lifted = part.steps[i];
            lifted.position.insert(lifted.position.begin(), at.begin(), at.end());
            m_lengths += lifted.position.size();
            if (m_lengths > MaxLengths) return fail("the proof has too many steps for a program that deep");
            proof.states.push_back(at.empty() ? part.states[i] : m_bank.replaceAt(proof.to(), at, part.states[i]));
            proof.steps.push_back(std::move(lifted));
        }
    }

    /// A proof from the member below the edge to that above it.
    Proof edge(const PathEdge& edge) {
        if (edge.reason == Congruence) return congruence(edge.below, edge.above);
        if (edge.reason == Asserted) {
            fail("the terms were said to be equal; no rule makes them so");
            return {m_graph.term(edge.below), {}, {}};
        }
        const RuleReason reason = readReason(m_graph, edge.reason);
        const bool isForward = reason.left == edge.below;
        const Proof& proof = ofReason(edge.reason, reason, isForward ? edge.above : edge.below);
        return isForward ? proof : reversed(proof);
    }

    Proof congruence(ENodeId from, ENodeId to) {
        Proof proof{m_graph.term(from), {}, {}};
        const auto arity = static_cast<std::uint32_t>(m_graph.originalChildren(from).size());
        for (std::uint32_t i = 0; i < arity; ++i) append(proof, between(original(from, i), original(to, i)), {i});
        return proof;
    }

    [[nodiscard]] ENodeId original(ENodeId node, std::uint32_t i) const {
        return ENodeId(m_graph.originalChildren(node)[i]);
    }

    /// A proof from the left-hand side to the right-hand side, which are the members that the edge connects.
    const Proof& ofReason(Reason number, const RuleReason& reason, ENodeId right) {
        if (const auto known = m_reasons.find(number); known != m_reasons.end()) return *known->second;
        Proof proof{m_graph.term(reason.left), {}, {}};
        visitParts(reason, right,
                   {[&](ENodeId from, ENodeId to, const ir::Path& path) {
                        if (!m_error) append(proof, between(from, to), path);
                    },
                    [&] { applyRule(proof, reason); }});
        return *m_reasons.emplace(number, std::make_unique<Proof>(std::move(proof))).first->second;
    }

    /// The parts of the proof of a reason, in order.
    struct Parts {
        /// A proof between two members, at a position.
        absl::FunctionRef<void(ENodeId, ENodeId, const ir::Path&)> proof;
        absl::FunctionRef<void()> rule;  ///< the step at the root
    };

    void visitParts(const RuleReason& reason, ENodeId right, const Parts& parts) {
        ir::Path path;
        const std::shared_ptr<const EGraphRule> rule = m_graph.rules()[reason.rule];
        if (reason.isFlat) toPattern(reason, rule->flat()->rootNode(reason.part), path, parts);
        parts.rule();
        if (!reason.isFlat || m_error) return;
        RuleWorker worker(m_graph, rule);
        const auto& made = worker.templateFor(reason.matched, reason.variables, reason.literals);
        const std::vector<RuleWorker::Instruction>& code = made.roots[reason.part];
        const auto isNode = [](const RuleWorker::Instruction& at) { return at.variable == FlatPattern::None; };
        const auto count = static_cast<std::size_t>(std::ranges::count_if(code, isNode));
        Built built{code, reason.built.first(count), reason.variables};
        fromTemplate(built, right, path, parts);
    }

    /// Appends one step at the root; the current term is the left-hand side under the substitution.
    void applyRule(Proof& proof, const RuleReason& reason) {
        if (m_error) return;
        Result<rules::Substitution> substitution = substitutionOf(m_graph, reason);
        if (!substitution) return fail(substitution.error().message);
        const auto& rule = m_graph.rules()[reason.rule]->parts()[reason.part];
        const Result<TermId> after = rule->apply(m_bank, *substitution, proof.to());
        if (!after) return fail(after.error().message);
        proof.steps.push_back({std::make_shared<const Instance>(Instance{rule, *std::move(substitution)}), false, {}});
        proof.states.push_back(*after);
    }

    /// Rewrites the term at the path, which is the term of the node that the pattern's operator matched: its children
    /// become those of the pattern.
    void toPattern(const RuleReason& reason, std::uint32_t at, ir::Path& path, const Parts& parts) {
        const EGraphRule& rule = *m_graph.rules()[reason.rule];
        const std::vector<FlatPattern::Node>& nodes = rule.flat()->nodes();
        const auto matched = ENodeId(reason.matched[nodes[at].number]);
        for (const std::uint32_t child : nodes[at].children) {
            if (m_error) return;
            const FlatPattern::Node& node = nodes[child];
            const ENodeId from = original(matched, node.place);
            path.push_back(node.place);
            switch (node.kind) {
                case FlatPattern::Node::Kind::Variable: parts.proof(from, reason.variables[node.number], path); break;
                case FlatPattern::Node::Kind::Literal: {
                    const auto which = std::ranges::find(rule.literals(), child) - rule.literals().begin();
                    parts.proof(from, ENodeId(reason.literals[static_cast<std::size_t>(which)]), path);
                    break;
                }
                case FlatPattern::Node::Kind::Operator:
                    parts.proof(from, ENodeId(reason.matched[node.number]), path);
                    toPattern(reason, child, path, parts);
                    break;
            }
            path.pop_back();
        }
    }

    /// A right-hand side that was added, read backwards: the last child first.
    struct Built {
        std::span<const RuleWorker::Instruction> code;  ///< the instructions not read yet
        std::span<const std::uint32_t> nodes;           ///< the nodes that they added
        std::span<const ENodeId> variables;
    };

    /// Rewrites the term at the path, which is the value of the code over the terms of the variables, to the term of
    /// `target`.
    void fromTemplate(Built& built, ENodeId target, ir::Path& path, const Parts& parts) {
        const RuleWorker::Instruction& instruction = built.code.back();
        built.code = built.code.first(built.code.size() - 1);
        if (instruction.variable != FlatPattern::None) {
            parts.proof(built.variables[instruction.variable], target, path);
            return;
        }
        const auto made = ENodeId(built.nodes.back());
        built.nodes = built.nodes.first(built.nodes.size() - 1);
        for (std::uint32_t i = m_graph.heads()[instruction.head].arity; i-- > 0 && !m_error;) {
            path.push_back(i);
            fromTemplate(built, original(made, i), path, parts);
            path.pop_back();
        }
        parts.proof(made, target, path);
    }

    EGraph& m_graph;
    ir::TermBank& m_bank;
    MayGoOn m_mayGoOn;
    absl::flat_hash_map<std::uint64_t, std::unique_ptr<Proof>> m_proofs;
    absl::flat_hash_map<Reason, std::unique_ptr<Proof>> m_reasons;
    absl::flat_hash_map<std::uint64_t, double> m_sizes;  ///< see sizeBetween
    absl::flat_hash_map<Reason, double> m_reasonSizes;
    std::uint32_t m_nesting = 0;
    std::size_t m_lengths = 0;  ///< see MaxLengths
    std::optional<Error> m_error;
};

Error wrong(std::string message, std::string hint = {}) {
    return {ErrorCode::InvalidInput, std::move(message), std::nullopt, std::move(hint)};
}

Error tooLong(std::size_t steps) {
    return {
        ErrorCode::Unsupported,
        fmt::format("the shortest proof that was found has {} steps, and threads have at most {}", steps, MaxThread),
        std::nullopt, "prove a goal that is closer, or stop the e-graph earlier"};
}

Status mayExplain(const EGraph& graph, ENodeId from, ENodeId to) {
    if (!graph.explains()) return wrong("the e-graph keeps no reasons", "make it with explanations on");
    if (graph.find(from) != graph.find(to)) return wrong("the two terms are not equal in the e-graph");
    return Success{};
}

/// Repairs a thread between closed programs so that the checker accepts it. Terms whose variables are bound further out
/// are not programs, and their threads are returned unchanged.
Result<rewrite::Thread> closed(EGraph& graph, Result<rewrite::Thread> thread, MayGoOn mayGoOn) {
    if (!thread || !thread->start.function.isValid()) return thread;
    const ir::TermBank& bank = graph.bank();
    if (bank.looseBound(thread->start.root) != 0 || bank.looseBound(thread->end().root) != 0) return thread;
    return wellScoped(graph.bank(), *std::move(thread), mayGoOn);
}

/// In a graph, whose thread needs no repair but for its variables.
Result<Approach> approached(EGraph& graph, const ir::Program& start, TermId end, MayGoOn mayGoOn) {
    Approach found = approachShared(graph, start, end, mayGoOn);
    if (found.missing && found.missing->code == ErrorCode::Cancelled) return *std::move(found.missing);
    MITOS_TRY(found.thread, closed(graph, std::move(found.thread), mayGoOn));
    return found;
}

Result<rewrite::Thread> whole(Result<Approach> found) {
    if (!found) return std::move(found).error();
    if (found->missing) return *std::move(found->missing);
    return std::move(found->thread);
}

}  // namespace

Result<rewrite::Thread> explainMembers(EGraph& graph, ir::FunctionId function, ENodeId from, ENodeId to,
                                       MayGoOn mayGoOn) {
    MITOS_REQUIRE(mayExplain(graph, from, to));
    if (function.isValid() && graph.bank().function(function).sharing == ir::Sharing::Graph) {
        return whole(approached(graph, {function, graph.term(from)}, graph.term(to), mayGoOn));
    }
    rewrite::Thread thread{{function, graph.term(from)}, {}, {}};
    std::optional<Error> error;
    withDeepStack(MaxNesting, [&] {
        Explainer explainer(graph, mayGoOn);
        const Proof& proof = explainer.between(from, to);
        error = explainer.error();
        thread.states = proof.states;
        for (const ProofStep& step : proof.steps) {
            thread.steps.push_back(
                {step.instance->rule, {step.position}, step.instance->substitution, step.isReversed});
        }
    });
    if (error) return *error;
    if (thread.steps.size() > MaxThread) return tooLong(thread.steps.size());
    return closed(graph, std::move(thread), mayGoOn);
}

Result<Approach> approach(EGraph& graph, const ir::Program& start, TermId end, MayGoOn mayGoOn) {
    if (graph.bank().function(start.function).sharing == ir::Sharing::Graph) {
        const ENodeId from = graph.add(start.root);
        const ENodeId to = graph.add(end);
        graph.rebuild();
        MITOS_REQUIRE(mayExplain(graph, from, to));
        return approached(graph, start, end, mayGoOn);
    }
    const ENodeId from = graph.addExactly(start.root);
    const ENodeId to = graph.addExactly(end);
    graph.rebuild();
    MITOS_TRY(rewrite::Thread thread, explainMembers(graph, start.function, from, to, mayGoOn));
    return Approach{std::move(thread), std::nullopt};
}

Result<rewrite::Thread> explain(EGraph& graph, const ir::Program& start, TermId end, MayGoOn mayGoOn) {
    return whole(approach(graph, start, end, mayGoOn));
}

}  // namespace mitos::egraph
