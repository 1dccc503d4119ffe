// SPDX-License-Identifier: GPL-3.0-or-later
// See initial_costs.h.
#include "search/experiments/initial_costs.h"

#include "core/egraph/take_snapshot.h"
#include "core/extract/pricing.h"
#include "core/ir/transplant.h"

#include <algorithm>
#include <cmath>

namespace mitos::search::experiments {

namespace {

bool isSame(double one, double other) {
    constexpr double Rounding = 1e-9;
    return std::abs(one - other) <= Rounding * std::max(std::abs(one), std::abs(other));
}

}  // namespace

bool InitialCosts::isTreeExact() const { return isSame(tree, exact); }
bool InitialCosts::isPaperExact() const { return isSame(paper, exact); }

Result<InitialCosts> initialCosts(const ComparisonPlan::Subject& subject, const cost::CostModel& model) {
    ir::TermBank bank(subject.bank->sharedRegistry());
    const ir::Program program = ir::Transplanter(*subject.bank, bank).program(subject.program);
    const std::unique_ptr<cost::CostEvaluator> costs = model.evaluator(bank, program.function);
    egraph::EGraph graph(bank, false);
    const egraph::ENodeId root = graph.addExactly(program.root);
    graph.rebuild();
    const auto pricing = extract::makePricing(graph, *costs, bank.function(program.function).sharing);
    pricing->update([] { return true; });
    const extract::Problem problem = extract::makeProblem(
        egraph::takeSnapshot(graph, {&root, 1}, [&](egraph::ENodeId node) { return pricing->price(node); }));
    MITOS_TRY(const extract::Extraction exact, extract::extract(problem, "ilp"));
    MITOS_TRY(const extract::Extraction tree, extract::extract(problem, "tree"));
    MITOS_TRY(const extract::Extraction paper, extract::extract(problem, "paper"));
    return InitialCosts{.program = subject.name,
                        .cost = costs->costOrInfinity(program.root),
                        .exact = exact.cost,
                        .isProven = exact.proven,
                        .tree = tree.treeCost,
                        .paper = paper.predicted.value_or(paper.cost)};
}

}  // namespace mitos::search::experiments
