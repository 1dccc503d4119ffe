// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/problem.h"

#include <algorithm>

namespace mitos::extract {

Problem makeProblem(const egraph::Snapshot& snapshot) {
    Problem problem;
    std::vector<std::uint32_t>& begin = problem.classBegin;
    begin.assign(snapshot.classes.size() + 1, 0);
    for (const egraph::Snapshot::Node& node : snapshot.nodes) {
        if (!node.subsumed) ++begin[node.eclass + 1];
    }
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    problem.origin.resize(begin.back());
    for (std::uint32_t i = 0; i < snapshot.nodes.size(); ++i) {
        if (!snapshot.nodes[i].subsumed) problem.origin[next[snapshot.nodes[i].eclass]++] = i;
    }
    problem.childBegin.push_back(0);
    for (const std::uint32_t number : problem.origin) {
        const egraph::Snapshot::Node& node = snapshot.nodes[number];
        problem.cost.push_back(node.cost);
        for (std::uint32_t i = 0; i < node.childCount; ++i) problem.children.push_back(snapshot.childClass(node, i));
        problem.childBegin.push_back(static_cast<std::uint32_t>(problem.children.size()));
    }
    problem.roots = snapshot.roots;
    return problem;
}

ParentIndex::ParentIndex(const Problem& problem)
    : m_begin(problem.classCount() + 1, 0),
      m_parents(problem.children.size()),
      m_class(problem.nodeCount()) {
    for (const std::uint32_t child : problem.children) ++m_begin[child + 1];
    for (std::size_t i = 1; i < m_begin.size(); ++i) m_begin[i] += m_begin[i - 1];
    std::vector<std::uint32_t> next(m_begin.begin(), m_begin.end() - 1);
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
            m_class[node] = eclass;
            for (const std::uint32_t child : problem.childrenOf(node)) m_parents[next[child]++] = node;
        }
    }
}

std::vector<double> nonNegativeCosts(const Problem& problem) {
    std::vector<double> costs = problem.cost;
    for (double& cost : costs) cost = std::max(cost, 0.0);
    return costs;
}

std::vector<bool> haveTerms(const Problem& problem, const ParentIndex& parents) {
    std::vector<bool> result(problem.classCount(), false);
    std::vector<std::uint32_t> missing(problem.nodeCount());  // children that have no term yet
    std::vector<std::uint32_t> found;
    const auto find = [&](std::uint32_t node) {
        const std::uint32_t eclass = parents.classOf(node);
        if (result[eclass]) return;
        result[eclass] = true;
        found.push_back(eclass);
    };
    for (std::uint32_t node = 0; node < problem.nodeCount(); ++node) {
        missing[node] = static_cast<std::uint32_t>(problem.childrenOf(node).size());
        if (missing[node] == 0) find(node);
    }
    while (!found.empty()) {
        const std::uint32_t eclass = found.back();
        found.pop_back();
        for (const std::uint32_t parent : parents.parentsOf(eclass)) {
            if (--missing[parent] == 0) find(parent);
        }
    }
    return result;
}

std::vector<std::uint32_t> infeasibleClasses(const Problem& problem) {
    const std::vector<bool> isFinite = haveTerms(problem, ParentIndex(problem));
    std::vector<std::uint32_t> classes;
    for (std::uint32_t i = 0; i < problem.classCount(); ++i) {
        if (!isFinite[i]) classes.push_back(i);
    }
    return classes;
}

bool hasNegativeCosts(const Problem& problem) {
    return std::ranges::any_of(problem.cost, [](double cost) { return cost < 0.0; });
}

}  // namespace mitos::extract
