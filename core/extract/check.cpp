// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/check.h"

#include <fmt/format.h>

#include <utility>

namespace mitos::extract {

CheckReport check(const Problem& problem, const Choice& choice) {
    CheckReport report;
    if (choice.size() != problem.classCount()) {
        report.problem = fmt::format("there are {} classes, but choices for {}", problem.classCount(), choice.size());
        return report;
    }
    enum class Visit : std::uint8_t { New, Open, Done };
    std::vector<Visit> visits(problem.classCount(), Visit::New);
    std::vector<double> tree(problem.classCount(), 0.0);
    std::vector<std::pair<std::uint32_t, std::size_t>> path;  // classes being visited, with the next child of each
    const auto enter = [&](std::uint32_t eclass) {
        const std::uint32_t node = choice[eclass];
        if (node == None) {
            report.problem = fmt::format("class {} is needed and has no node", eclass);
        } else if (node < problem.classBegin[eclass] || node >= problem.classBegin[eclass + 1]) {
            report.problem = fmt::format("node {} does not belong to class {}", node, eclass);
        } else {
            visits[eclass] = Visit::Open;
            path.emplace_back(eclass, 0);
        }
    };
    for (const std::uint32_t root : problem.roots) {
        if (visits[root] == Visit::New) enter(root);
        while (report.problem.empty() && !path.empty()) {
            const std::uint32_t eclass = path.back().first;
            const auto children = problem.childrenOf(choice[eclass]);
            if (path.back().second < children.size()) {
                const std::uint32_t child = children[path.back().second++];
                if (visits[child] == Visit::New)
                    enter(child);
                else if (visits[child] == Visit::Open)
                    report.problem = fmt::format("class {} needs itself", child);
                continue;
            }
            path.pop_back();
            visits[eclass] = Visit::Done;
            tree[eclass] = problem.cost[choice[eclass]];
            for (const std::uint32_t child : children) tree[eclass] += tree[child];
        }
        if (!report.problem.empty()) return report;
        report.treeCost += tree[root];
    }
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        if (visits[eclass] == Visit::Done) report.cost += problem.cost[choice[eclass]];
    }
    report.valid = true;
    return report;
}

Choice needed(const Problem& problem, const Choice& choice) {
    Choice result(problem.classCount(), None);
    std::vector<std::uint32_t> open;
    const auto need = [&](std::uint32_t eclass) {
        if (result[eclass] != None) return;
        result[eclass] = choice[eclass];
        open.push_back(eclass);
    };
    for (const std::uint32_t root : problem.roots) need(root);
    while (!open.empty()) {
        const std::uint32_t node = result[open.back()];
        open.pop_back();
        for (const std::uint32_t child : problem.childrenOf(node)) need(child);
    }
    return result;
}

}  // namespace mitos::extract
