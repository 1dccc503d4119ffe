// SPDX-License-Identifier: GPL-3.0-or-later
// See explain.h. A proof is a list of steps from one term to another; proofs about children are lifted to their parents.
#include "core/egraph/explain.h"

#include "core/base/deep_stack.h"
#include "core/egraph/internal/explain_shared.h"
#include "core/egraph/internal/rule_worker.h"
#include "core/egraph/internal/well_scoped.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace mitos::egraph {

using ir::TermId;

namespace {

constexpr std::size_t MaxSteps = 1'000'000;
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
    TermId after;
};

struct Proof {
    TermId from;
    std::vector<ProofStep> steps;

    [[nodiscard]] TermId to() const { return steps.empty() ? from : steps.back().after; }
};

/// Cuts out cycles: steps that lead back to an earlier term.
void shorten(Proof& proof) {
    absl::flat_hash_map<TermId, std::size_t> lengthAt{{proof.from, 0}};
    std::vector<ProofStep> kept;
    for (ProofStep& step : proof.steps) {
        if (const auto known = lengthAt.find(step.after); known != lengthAt.end()) {
            const std::size_t length = known->second;
            for (std::size_t i = length; i < kept.size(); ++i) lengthAt.erase(kept[i].after);
            kept.resize(length);
            continue;
        }
        lengthAt.emplace(step.after, kept.size() + 1);
        kept.push_back(std::move(step));
    }
    proof.steps = std::move(kept);
}

Proof reversed(const Proof& proof) {
    Proof result{proof.to(), {}};
    for (std::size_t i = proof.steps.size(); i-- > 0;) {
        ProofStep step = proof.steps[i];
        step.isReversed = !step.isReversed;
        step.after = i == 0 ? proof.from : proof.steps[i - 1].after;
        result.steps.push_back(std::move(step));
    }
    return result;
}

class Explainer {
public:
    explicit Explainer(EGraph& graph) : m_graph(graph), m_bank(graph.bank()) {}

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

    /// A proof from the term of one member to that of another member of its class.
    const Proof& between(ENodeId from, ENodeId to) {
        const std::uint64_t key = (std::uint64_t(from.value) << 32U) | to.value;
        if (const auto known = m_proofs.find(key); known != m_proofs.end()) return *known->second;
        Proof proof{m_graph.term(from), {}};
        if (++m_nesting > MaxNesting) {
            fail("the proof is nested too deeply");
        } else {
            const std::vector<ENodeId> up = pathToRoot(from);
            const std::vector<ENodeId> down = pathToRoot(to);
            std::size_t common = 0;  // number of common members at the end of both paths
            while (common < std::min(up.size(), down.size()) &&
                   up[up.size() - 1 - common] == down[down.size() - 1 - common]) {
                ++common;
            }
            for (std::size_t i = 0; i + common < up.size() && !m_error; ++i) {
                append(proof, edge(up[i], m_graph.proofEdge(up[i])), {});
            }
            for (std::size_t i = down.size() - common; i-- > 0 && !m_error;) {
                append(proof, reversed(edge(down[i], m_graph.proofEdge(down[i]))), {});
            }
        }
        --m_nesting;
        shorten(proof);
        return *m_proofs.emplace(key, std::make_unique<Proof>(std::move(proof))).first->second;
    }

private:
    void fail(std::string message) {
        if (!m_error) m_error = Error{ErrorCode::Unsupported, std::move(message), std::nullopt, {}, {}};
    }

    /// The path from the member to the root of its proof tree.
    [[nodiscard]] std::vector<ENodeId> pathToRoot(ENodeId from) const {
        std::vector<ENodeId> path{from};
        for (ENodeId above = m_graph.proofEdge(from).to; above.isValid(); above = m_graph.proofEdge(above).to) {
            path.push_back(above);
        }
        return path;
    }

    /// Appends the proof `part`, applied at a position of the term reached so far.
    void append(Proof& proof, const Proof& part, const ir::Path& at) {
        if (m_error) return;
        if (proof.steps.size() + part.steps.size() > MaxSteps) return fail("the proof has more than a million steps");
        for (const ProofStep& step : part.steps) {
            ProofStep lifted = step;
            if (!at.empty()) {
                lifted.position.insert(lifted.position.begin(), at.begin(), at.end());
                lifted.after = m_bank.replaceAt(proof.to(), at, step.after);
            }
            proof.steps.push_back(std::move(lifted));
        }
    }

    Proof edge(ENodeId from, const EGraph::ProofEdge& edge) {
        if (edge.reason == Congruence) return congruence(from, edge.to);
        if (edge.reason == Asserted) {
            fail("the terms were said to be equal; no rule makes them so");
            return {m_graph.term(from), {}};
        }
        const RuleReason reason = readReason(m_graph, edge.reason);
        const Proof& proof = ofReason(edge.reason, reason, reason.left == from ? edge.to : from);
        return reason.left == from ? proof : reversed(proof);
    }

    Proof congruence(ENodeId from, ENodeId to) {
        Proof proof{m_graph.term(from), {}};
        const auto arity = static_cast<std::uint32_t>(m_graph.originalChildren(from).size());
        for (std::uint32_t i = 0; i < arity; ++i) {
            append(proof, between(original(from, i), original(to, i)), {i});
        }
        return proof;
    }

    [[nodiscard]] ENodeId original(ENodeId node, std::uint32_t i) const {
        return ENodeId(m_graph.originalChildren(node)[i]);
    }

    /// A proof from the left-hand side to the right-hand side, which are the members that the edge connects.
    const Proof& ofReason(Reason number, const RuleReason& reason, ENodeId right) {
        if (const auto known = m_reasons.find(number); known != m_reasons.end()) return *known->second;
        Proof proof = reason.isFlat ? flat(reason, right) : exact(reason);
        return *m_reasons.emplace(number, std::make_unique<Proof>(std::move(proof))).first->second;
    }

    /// Appends one step at the root; the current term is the left-hand side under the substitution.
    bool applyRule(Proof& proof, const RuleReason& reason, const rules::Substitution& substitution) {
        const auto& rule = m_graph.rules()[reason.rule]->parts()[reason.part];
        const Result<TermId> after = rule->apply(m_bank, substitution, proof.to());
        if (!after) {
            fail(after.error().message);
            return false;
        }
        proof.steps.push_back({std::make_shared<const Instance>(Instance{rule, substitution}), false, {}, *after});
        return true;
    }

    Proof exact(const RuleReason& reason) {
        Proof proof{m_graph.term(reason.left), {}};
        applyRule(proof, reason, reason.substitution);
        return proof;
    }

    Proof flat(const RuleReason& reason, ENodeId right) {
        const std::shared_ptr<const EGraphRule> rule = m_graph.rules()[reason.rule];
        RuleWorker worker(m_graph, rule);
        const std::vector<std::uint32_t> match(reason.matched.begin(), reason.matched.end());
        // The members under the matched nodes serve as the variables: any other member that the rule used had become
        // equal to them before.
        std::vector<ENodeId> variables(rule->compiled().valueCount);
        for (const FlatPattern::VariableUse& use : rule->flat()->variables()) {
            variables[use.variable] = original(ENodeId(match[use.operatorNumber]), use.place);
        }
        const std::vector<std::uint32_t> literals(reason.literals.begin(), reason.literals.end());
        const std::vector<RuleWorker::Instruction> code =
            worker.templateFor(match, variables, literals).roots[reason.part];
        const auto builtCount = std::count_if(code.begin(), code.end(), [](const RuleWorker::Instruction& instruction) {
            return instruction.variable == FlatPattern::None;
        });
        const std::vector<std::uint32_t> built(reason.built.begin(), reason.built.begin() + builtCount);

        Proof proof{m_graph.term(reason.left), {}};
        const auto& nodes = rule->flat()->nodes();
        const std::uint32_t root = rule->flat()->rootNode(reason.part);
        ir::Path path;
        toPattern(proof, nodes, root, match, variables, rule->literals(), literals, path);
        if (m_error) return proof;
        const auto own = rule->rule().projections(m_bank, worker.substitution(match, variables, literals));
        if (!own) {
            fail(own.error().message);
            return proof;
        }
        if (!applyRule(proof, reason, (*own)[reason.part])) return proof;
        std::size_t at = code.size();
        std::size_t node = built.size();
        fromTemplate(proof, code, at, built, node, variables, right, path);
        return proof;
    }

    /// Rewrites the term at the path, which is the term of the node that the pattern's operator matched: its children
    /// become those of the pattern.
    void toPattern(Proof& proof, const std::vector<FlatPattern::Node>& nodes, std::uint32_t at,
                   const std::vector<std::uint32_t>& match, const std::vector<ENodeId>& variables,
                   const std::vector<std::uint32_t>& literalNodes, const std::vector<std::uint32_t>& literals,
                   ir::Path& path) {
        const auto matched = ENodeId(match[nodes[at].number]);
        for (const std::uint32_t child : nodes[at].children) {
            const FlatPattern::Node& node = nodes[child];
            const ENodeId from = original(matched, node.place);
            path.push_back(node.place);
            switch (node.kind) {
                case FlatPattern::Node::Kind::Variable:
                    append(proof, between(from, variables[node.number]), path);
                    break;
                case FlatPattern::Node::Kind::Literal: {
                    const auto which =
                        std::find(literalNodes.begin(), literalNodes.end(), child) - literalNodes.begin();
                    append(proof, between(from, ENodeId(literals[static_cast<std::size_t>(which)])), path);
                    break;
                }
                case FlatPattern::Node::Kind::Operator:
                    append(proof, between(from, ENodeId(match[node.number])), path);
                    if (!m_error) toPattern(proof, nodes, child, match, variables, literalNodes, literals, path);
                    break;
            }
            path.pop_back();
        }
    }

    /// Rewrites the term at the path, which is the value of the code before `at` over the terms of the variables, to
    /// the term of `target`. The code is read backwards: the last child first.
    void fromTemplate(Proof& proof, const std::vector<RuleWorker::Instruction>& code, std::size_t& at,
                      const std::vector<std::uint32_t>& built, std::size_t& node, const std::vector<ENodeId>& variables,
                      ENodeId target, ir::Path& path) {
        const RuleWorker::Instruction& instruction = code[--at];
        if (instruction.variable != FlatPattern::None) {
            append(proof, between(variables[instruction.variable], target), path);
            return;
        }
        const auto made = ENodeId(built[--node]);
        for (std::uint32_t i = m_graph.heads()[instruction.head].arity; i-- > 0 && !m_error;) {
            path.push_back(i);
            fromTemplate(proof, code, at, built, node, variables, original(made, i), path);
            path.pop_back();
        }
        append(proof, between(made, target), path);
    }

    EGraph& m_graph;
    ir::TermBank& m_bank;
    absl::flat_hash_map<std::uint64_t, std::unique_ptr<Proof>> m_proofs;
    absl::flat_hash_map<Reason, std::unique_ptr<Proof>> m_reasons;
    std::uint32_t m_nesting = 0;
    std::optional<Error> m_error;
};

Error wrong(std::string message, std::string hint = {}) {
    return {ErrorCode::InvalidInput, std::move(message), std::nullopt, std::move(hint), {}};
}

Status mayExplain(const EGraph& graph, ENodeId from, ENodeId to) {
    if (!graph.explains()) return wrong("the e-graph keeps no reasons", "make it with explanations on");
    if (graph.find(from) != graph.find(to)) return wrong("the two terms are not equal in the e-graph");
    return Success{};
}

/// Repairs a thread between closed programs so that the checker accepts it. Terms whose variables are bound further out
/// are not programs, and their threads are returned unchanged.
Result<rewrite::Thread> settled(EGraph& graph, Result<rewrite::Thread> thread) {
    if (!thread || !thread->start.function.isValid()) return thread;
    const ir::TermBank& bank = graph.bank();
    if (bank.looseBound(thread->start.root) != 0 || bank.looseBound(thread->end().root) != 0) return thread;
    return wellScoped(graph.bank(), *std::move(thread));
}

}  // namespace

Result<rewrite::Thread> explainMembers(EGraph& graph, ir::FunctionId function, ENodeId from, ENodeId to) {
    if (const Status status = mayExplain(graph, from, to); !status) return status.error();
    if (function.isValid() && graph.bank().function(function).sharing == ir::Sharing::Graph) {
        return settled(graph, explainShared(graph, {function, graph.term(from)}, graph.term(to)));
    }
    rewrite::Thread thread{{function, graph.term(from)}, {}, {}};
    std::optional<Error> error;
    withDeepStack(MaxNesting, [&] {
        Explainer explainer(graph);
        const Proof& proof = explainer.between(from, to);
        error = explainer.error();
        for (const ProofStep& step : proof.steps) {
            thread.steps.push_back(
                {step.instance->rule, {step.position}, step.instance->substitution, step.isReversed});
            thread.states.push_back(step.after);
        }
    });
    if (error) return *error;
    return settled(graph, std::move(thread));
}

Result<rewrite::Thread> explain(EGraph& graph, const ir::Program& start, TermId end) {
    if (graph.bank().function(start.function).sharing == ir::Sharing::Graph) {
        const ENodeId from = graph.add(start.root);
        const ENodeId to = graph.add(end);
        graph.rebuild();
        if (const Status status = mayExplain(graph, from, to); !status) return status.error();
        return settled(graph, explainShared(graph, start, end));
    }
    const ENodeId from = graph.addExactly(start.root);
    const ENodeId to = graph.addExactly(end);
    graph.rebuild();
    return explainMembers(graph, start.function, from, to);
}

Result<Explained> explainFirst(EGraph& graph, const ir::Program& start, std::span<const TermId> terms) {
    std::optional<Error> refused;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        Result<rewrite::Thread> thread = explain(graph, start, terms[i]);
        if (thread) return Explained{i, *std::move(thread), std::move(refused)};
        if (!refused) refused = thread.error();
    }
    return *refused;
}

}  // namespace mitos::egraph
