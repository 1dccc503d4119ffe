// SPDX-License-Identifier: GPL-3.0-or-later
// A ks program and an e-graph of it, to be grown.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/runner.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"

#include <absl/functional/function_ref.h>

#include <QtGlobal>
#include <memory>
#include <string>

namespace mitos::tests {

constexpr const char* Header = "(def f Float ((x : Float) (y : Float) (v : Vec n Float)) ";

struct World {
    rules::RuleBook book;
    ir::TermBank bank;
    ir::Program program;
    std::unique_ptr<cost::CostEvaluator> costs;
    egraph::EGraph graph;
    egraph::ENodeId root;

    World(const std::string& rules, const std::string& text, const char* model = "ks-2021", bool explain = true)
        : book(*rules::RuleBook::load(rules, ks::makeRegistry())),
          bank(book.registry()),
          program(*ks::parseProgram(bank, "test", text)),
          costs((*cost::findCostModel(model))->evaluator(bank, program.function)),
          graph(bank, explain),
          root(graph.add(program.root)) {
        graph.rebuild();
    }

    [[nodiscard]] std::vector<std::shared_ptr<const egraph::EGraphRule>> rules() const {
        return *egraph::prepareRules(book.directions());
    }

    egraph::SaturationReport grow(
        std::uint32_t iterations, std::uint64_t nodes,
        absl::FunctionRef<void(egraph::SaturationReport&)> afterEach = [](egraph::SaturationReport&) {}) {
        egraph::SaturationOptions options;
        options.limits.iterations = iterations;
        options.limits.nodes = nodes;
        auto report =
            egraph::saturate(graph, rules(), options, {}, [&](egraph::SaturationReport& soFar, egraph::EGraph&) {
                afterEach(soFar);
                return true;
            });
        if (!report) qFatal("%s", report.error().render().c_str());
        return *std::move(report);
    }
    [[nodiscard]] double cost(ir::TermId term) const { return costs->costOrInfinity(term); }
};

inline bool always() { return true; }

}  // namespace mitos::tests
