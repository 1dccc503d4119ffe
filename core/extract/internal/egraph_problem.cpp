// SPDX-License-Identifier: GPL-3.0-or-later
// See egraph_problem.h.
#include "core/extract/internal/egraph_problem.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>

namespace mitos::extract {

using egraph::EGraph;
using egraph::ENodeId;
using ir::TermId;

Problem makeProblem(EGraph& graph, std::span<const ENodeId> roots, absl::FunctionRef<double(ENodeId)> cost) {
    const EGraph::Index& index = graph.index();
    const auto membersOf = [&](std::uint32_t leader) {
        const EGraph::IndexRange range = graph.indexRange(ENodeId(leader));
        return std::span(index.members).subspan(range.begin, range.end - range.begin);
    };
    return makeProblem(graph, roots, membersOf, cost);
}

Problem makeProblem(const EGraph& graph, std::span<const ENodeId> roots, MembersOf membersOf,
                    absl::FunctionRef<double(ENodeId)> cost) {
    Problem problem;
    std::vector<std::uint32_t> numberOf(graph.idCount(), None);  // by leader
    std::vector<std::uint32_t> leaders;
    const auto numbered = [&](ENodeId id) {
        const std::uint32_t leader = graph.find(id).value;
        if (numberOf[leader] == None) {
            numberOf[leader] = static_cast<std::uint32_t>(leaders.size());
            leaders.push_back(leader);
        }
        return numberOf[leader];
    };
    for (const ENodeId root : roots) {
        const std::uint32_t number = numbered(root);
        if (std::ranges::find(problem.roots, number) == problem.roots.end()) problem.roots.push_back(number);
    }
    problem.childBegin.push_back(0);
    for (std::size_t i = 0; i < leaders.size(); ++i) {
        problem.classBegin.push_back(problem.nodeCount());
        for (const std::uint32_t member : membersOf(leaders[i])) {
            const ENodeId node(member);
            const double price = cost(node);
            if (!std::isfinite(price)) continue;
            problem.cost.push_back(price);
            problem.origin.push_back(node.value);
            for (const std::uint32_t child : graph.children(node)) problem.children.push_back(numbered(ENodeId(child)));
            problem.childBegin.push_back(static_cast<std::uint32_t>(problem.children.size()));
        }
    }
    problem.classBegin.push_back(problem.nodeCount());
    return problem;
}

std::vector<TermId> chosenTerms(EGraph& graph, const Problem& problem, const Choice& choice) {
    std::vector<TermId> terms(problem.classCount());
    std::vector<TermId> result;
    absl::InlinedVector<TermId, 8> children;
    for (const std::uint32_t root : problem.roots) {
        std::vector<std::uint32_t> open{root};
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            const std::size_t before = open.size();
            if (!terms[at].isValid()) {
                for (const std::uint32_t child : problem.childrenOf(choice[at])) {
                    if (!terms[child].isValid()) open.push_back(child);
                }
            }
            if (open.size() != before) continue;
            open.pop_back();
            if (terms[at].isValid()) continue;
            children.clear();
            for (const std::uint32_t child : problem.childrenOf(choice[at])) children.push_back(terms[child]);
            const ENodeId node(problem.origin[choice[at]]);
            terms[at] = graph.heads().term(graph.bank(), graph.headOf(node), children, graph.hint(node));
        }
        result.push_back(terms[root]);
    }
    return result;
}

}  // namespace mitos::extract
