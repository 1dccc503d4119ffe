// SPDX-License-Identifier: GPL-3.0-or-later
// See stated_analysis.h.
#include "core/egraph/internal/stated_analysis.h"

#include "core/egraph/egraph_rule.h"
#include "core/egraph/internal/rule_worker.h"

#include <absl/container/inlined_vector.h>

#include <tuple>

namespace mitos::egraph {

using ir::TermId;

StatedAnalysis::StatedAnalysis(ir::TermBank& bank, std::shared_ptr<const rules::CompiledAnalysis> analysis)
    : m_stated(std::move(analysis)),
      m_terms(bank, m_stated) {}

Fact StatedAnalysis::make(EGraph& graph, ENodeId node, std::span<const Fact> children) {
    const ir::OpId op = graph.headInfo(node).op;
    if (!m_terms.asks(op)) return NoFact;
    if (children.empty()) {
        const TermId term = graph.term(node);
        return m_terms.knows(term) ? term.value : NoFact;
    }
    absl::InlinedVector<TermId, 8> terms;
    absl::InlinedVector<ir::TypeId, 8> types;
    for (std::uint32_t i = 0; i < children.size(); ++i) {
        terms.push_back(children[i] == NoFact ? TermId() : TermId(children[i]));
        types.push_back(graph.type(graph.child(node, i)));
    }
    if (!m_terms.wouldKnow(op, graph.attributes(node), terms, types)) return NoFact;
    for (std::uint32_t i = 0; i < children.size(); ++i) {
        if (!terms[i].isValid()) terms[i] = graph.term(graph.best(graph.child(node, i)));
    }
    const TermId witness = graph.heads().term(graph.bank(), graph.headOf(node), terms, graph.hint(node));
    return m_terms.knows(witness) ? witness.value : NoFact;
}

Fact StatedAnalysis::join(Fact a, Fact b) {
    using Joined = rules::TermAnalysis::Joined;
    const TermId first(a);
    const TermId second(b);
    const Joined both = m_terms.join(first, second);
    if (both == Joined::First) return a;
    if (both == Joined::Second) return b;
    if (both == Joined::Contradiction) m_conflicts.emplace_back(first, second);
    const ir::TermBank& bank = m_terms.bank();
    const auto order = [&](TermId term) { return std::tuple(bank.looseBound(term), bank.treeSize(term), term.value); };
    return order(first) <= order(second) ? a : b;
}

void StatedAnalysis::fold(EGraph& graph, TermId witness) {
    rules::Substitution substitution;
    substitution.values.resize(1);
    substitution.values.front().term = witness;
    RuleWorker(graph, m_fold).apply(substitution);
}

void StatedAnalysis::settle(EGraph& graph, ENodeId eclass) {
    if (m_fold == nullptr) return;
    const auto number = attached(graph, *m_stated);
    for (const auto& [first, second] : std::exchange(m_conflicts, {})) {
        fold(graph, first);
        fold(graph, second);
    }
    if (!graph.literal(eclass).isValid()) fold(graph, TermId(graph.fact(*number, eclass)));
    eclass = graph.find(eclass);
    if (!m_stated->prunes || !graph.literal(eclass).isValid()) return;
    graph.forEachMember(eclass, [&](ENodeId member) {
        if (graph.isLive(member) && graph.headInfo(member).arity != 0) graph.prune(member);
    });
}

std::shared_ptr<ClassAnalysis> StatedAnalysis::copy(ir::TermBank& bank) const {
    auto copy = std::make_shared<StatedAnalysis>(bank, m_stated);
    copy->m_fold = m_fold;
    copy->m_conflicts = m_conflicts;
    return copy;
}

std::optional<std::size_t> attached(const EGraph& graph, const rules::CompiledAnalysis& analysis) {
    for (std::size_t i = 0; i < graph.analyses().size(); ++i) {
        const auto* const stated = dynamic_cast<const StatedAnalysis*>(graph.analyses()[i].get());
        if (stated != nullptr && stated->stated().get() == &analysis) return i;
    }
    return std::nullopt;
}

void attachAnalyses(EGraph& graph, const std::vector<std::shared_ptr<const EGraphRule>>& rules,
                    const std::vector<bool>& isOut) {
    const auto attach = [&](const std::shared_ptr<const rules::CompiledAnalysis>& analysis) {
        if (const auto known = attached(graph, *analysis)) {
            return std::dynamic_pointer_cast<StatedAnalysis>(graph.analyses()[*known]);
        }
        auto stated = std::make_shared<StatedAnalysis>(graph.bank(), analysis);
        graph.attach(stated);
        return stated;
    };
    const std::size_t before = graph.analyses().size();
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (i < isOut.size() && isOut[i]) continue;
        const rules::CompiledRule& rule = rules[i]->compiled();
        for (const EGraphRule::Asked& asked : rules[i]->asked()) attach((*rule.analyses)[asked.analysis]);
        if (rule.folds == nullptr) continue;
        graph.enlist(rules[i]);
        attach(rule.folds)->foldBy(rules[i]);
    }
    if (graph.analyses().size() != before) graph.rebuild();
}

}  // namespace mitos::egraph
