// SPDX-License-Identifier: GPL-3.0-or-later
// E-graphs for the tests of extraction: written down, random, and from the reference files.
#pragma once

#include "core/base/random.h"
#include "core/egraph/json.h"
#include "core/extract/check.h"
#include "core/extract/problem.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::tests {

/// A node: its cost, and the classes of its children.
struct NodeSpec {
    double cost = 1.0;
    std::vector<std::uint32_t> children = {};
};

/// The problem whose class i has the nodes classes[i].
inline extract::Problem makeProblem(const std::vector<std::vector<NodeSpec>>& classes,
                                    std::vector<std::uint32_t> roots) {
    extract::Problem problem;
    problem.classBegin.push_back(0);
    problem.childBegin.push_back(0);
    for (const std::vector<NodeSpec>& nodes : classes) {
        for (const NodeSpec& node : nodes) {
            problem.origin.push_back(problem.nodeCount());
            problem.cost.push_back(node.cost);
            problem.children.insert(problem.children.end(), node.children.begin(), node.children.end());
            problem.childBegin.push_back(static_cast<std::uint32_t>(problem.children.size()));
        }
        problem.classBegin.push_back(problem.nodeCount());
    }
    problem.roots = std::move(roots);
    return problem;
}

/// Classes of one to three nodes over any classes at all, so that cycles and classes without terms are common.
inline extract::Problem randomProblem(Random& random, std::size_t classCount, std::size_t rootCount = 1) {
    std::vector<std::vector<NodeSpec>> classes(classCount);
    for (std::vector<NodeSpec>& nodes : classes) {
        nodes.resize(1 + random.below(3));
        for (NodeSpec& node : nodes) {
            node.cost = static_cast<double>(random.below(6));
            const std::size_t arity = random.chance(0.3) ? 0 : 1 + random.below(2);
            for (std::size_t i = 0; i < arity; ++i) {
                node.children.push_back(static_cast<std::uint32_t>(random.below(classCount)));
            }
        }
    }
    std::vector<std::uint32_t> roots;
    for (std::size_t i = 0; i < rootCount; ++i) roots.push_back(static_cast<std::uint32_t>(random.below(classCount)));
    return makeProblem(classes, std::move(roots));
}

/// The least cost of any choice, by trying them all; nothing if there is no term.
inline std::optional<double> leastCost(const extract::Problem& problem) {
    std::optional<double> least;
    extract::Choice choice(problem.classCount(), extract::None);
    // Classes that are needed and not decided yet; each of their nodes is tried.
    const auto decide = [&](const auto& self, std::vector<std::uint32_t> open) -> void {
        while (!open.empty() && choice[open.back()] != extract::None) open.pop_back();
        if (open.empty()) {
            const extract::CheckReport report = extract::check(problem, choice);
            if (report.valid && (!least || report.cost < *least)) least = report.cost;
            return;
        }
        const std::uint32_t eclass = open.back();
        open.pop_back();
        for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
            choice[eclass] = node;
            std::vector<std::uint32_t> more = open;
            for (const std::uint32_t child : problem.childrenOf(node)) more.push_back(child);
            self(self, std::move(more));
            choice[eclass] = extract::None;
        }
    };
    decide(decide, problem.roots);
    return least;
}

/// x0 ← x1 ← … : a node over the one before it, `length` classes.
inline extract::Problem chain(std::size_t length) {
    std::vector<std::vector<NodeSpec>> classes(length);
    for (std::uint32_t i = 0; i < length; ++i) {
        classes[i].push_back({1.0, i == 0 ? std::vector<std::uint32_t>{} : std::vector{i - 1}});
    }
    return makeProblem(classes, {static_cast<std::uint32_t>(length - 1)});
}

/// Layers of products of one input each, the first product of the layer before. Any two products of a layer may be joined, and what was
/// joined last with a third one; joining costs about as much as it saves. As in the e-graphs of transformers and inception networks.
inline extract::Problem layersOfProducts(std::uint64_t seed, std::uint32_t layers, std::uint32_t width) {
    Random random(seed);
    const auto cost = [&](double about) { return about + static_cast<double>(random.below(9)) - 4.0; };
    std::vector<std::vector<NodeSpec>> classes{{{1.0, {}}}};
    std::vector<std::uint32_t> roots;
    std::uint32_t input = 0;
    const auto add = [&](NodeSpec node) {
        classes.push_back({std::move(node)});
        return static_cast<std::uint32_t>(classes.size() - 1);
    };
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        std::vector<std::uint32_t> products;
        for (std::uint32_t i = 0; i < width; ++i) products.push_back(add({10.0, {input}}));
        for (std::uint32_t i = 0; i < width; ++i) {
            for (std::uint32_t k = i + 1; k < width; ++k) {
                if (random.chance(0.3)) continue;
                const std::uint32_t pair = add({cost(20.0), {input}});
                classes[products[i]].push_back({0.0, {pair}});
                classes[products[k]].push_back({0.0, {pair}});
                const std::uint32_t third = products[random.below(width)];
                if (third == products[i] || third == products[k]) continue;
                const std::uint32_t triple = add({cost(26.0), {input}});
                classes[pair].push_back({static_cast<double>(random.below(4)), {triple}});
                classes[third].push_back({0.0, {triple}});
            }
        }
        roots.insert(roots.end(), products.begin() + 1, products.end());
        input = products.front();
    }
    roots.push_back(input);
    return makeProblem(classes, std::move(roots));
}

/// The published e-graphs; not on every machine.
inline std::string referenceFolder() { return MITOS_SOURCE_DIR "/../shared/data/egraphs"; }

/// A file of that folder, or nothing if it is not there.
inline std::optional<extract::Problem> referenceProblem(const std::string& file) {
    const Result<SourceText> source = readSourceFile(referenceFolder() + "/" + file);
    if (!source) return std::nullopt;
    const Result<egraph::LoadedSnapshot> loaded = egraph::readJson(*source);
    if (!loaded) return std::nullopt;
    return extract::makeProblem(loaded->snapshot);
}

}  // namespace mitos::tests
