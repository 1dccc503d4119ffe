// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/parts.h"

#include <numeric>

namespace mitos::extract {

Problem keepNodes(const Problem& problem, absl::FunctionRef<bool(std::uint32_t node)> isKept) {
    Problem kept;
    kept.classBegin.push_back(0);
    kept.childBegin.push_back(0);
    kept.roots = problem.roots;
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
            if (!isKept(node)) continue;
            const auto children = problem.childrenOf(node);
            kept.cost.push_back(problem.cost[node]);
            kept.origin.push_back(node);
            kept.children.insert(kept.children.end(), children.begin(), children.end());
            kept.childBegin.push_back(static_cast<std::uint32_t>(kept.children.size()));
        }
        kept.classBegin.push_back(kept.nodeCount());
    }
    return kept;
}

namespace {

/// By class: the least class of its part.
std::vector<std::uint32_t> leadersOf(const Problem& problem) {
    std::vector<std::uint32_t> leader(problem.classCount());
    std::iota(leader.begin(), leader.end(), 0U);
    const auto find = [&](std::uint32_t eclass) {
        while (leader[eclass] != eclass) eclass = leader[eclass] = leader[leader[eclass]];
        return eclass;
    };
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
            for (const std::uint32_t child : problem.childrenOf(node)) {
                const std::uint32_t a = find(eclass);
                const std::uint32_t b = find(child);
                leader[std::max(a, b)] = std::min(a, b);
            }
        }
    }
    for (std::uint32_t& each : leader) each = find(each);
    return leader;
}

}  // namespace

std::vector<Part> independentParts(const Problem& problem) {
    const std::vector<std::uint32_t> leader = leadersOf(problem);
    std::vector<Part> parts;
    std::vector<std::uint32_t> partOf(problem.classCount(), None);  // by leader
    std::vector<std::uint32_t> number(problem.classCount(), None);  // of a class in its part
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        if (problem.classBegin[eclass] == problem.classBegin[eclass + 1]) continue;
        std::uint32_t& part = partOf[leader[eclass]];
        if (part == None) {
            part = static_cast<std::uint32_t>(parts.size());
            parts.emplace_back();
            parts.back().problem.classBegin.push_back(0);
            parts.back().problem.childBegin.push_back(0);
        }
        number[eclass] = static_cast<std::uint32_t>(parts[part].classes.size());
        parts[part].classes.push_back(eclass);
    }
    for (Part& part : parts) {
        Problem& own = part.problem;
        for (const std::uint32_t eclass : part.classes) {
            for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
                own.cost.push_back(problem.cost[node]);
                own.origin.push_back(node);
                for (const std::uint32_t child : problem.childrenOf(node)) own.children.push_back(number[child]);
                own.childBegin.push_back(static_cast<std::uint32_t>(own.children.size()));
            }
            own.classBegin.push_back(own.nodeCount());
        }
    }
    for (const std::uint32_t root : problem.roots) parts[partOf[leader[root]]].problem.roots.push_back(number[root]);
    return parts;
}

void insertPart(const Part& part, const Choice& choice, Choice& whole) {
    for (std::uint32_t i = 0; i < choice.size(); ++i) {
        if (choice[i] != None) whole[part.classes[i]] = part.problem.origin[choice[i]];
    }
}

Choice restrictTo(const Part& part, const Problem& whole, const Choice& choice) {
    Choice own(part.classes.size(), None);
    for (std::uint32_t i = 0; i < own.size(); ++i) {
        const std::uint32_t eclass = part.classes[i];
        if (choice[eclass] != None) own[i] = part.problem.classBegin[i] + choice[eclass] - whole.classBegin[eclass];
    }
    return own;
}

}  // namespace mitos::extract
