// SPDX-License-Identifier: GPL-3.0-or-later
// See rule_gains.h.
#include "core/extract/rule_gains.h"

#include "core/egraph/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace mitos::extract {

namespace {

constexpr double EqualWithin = 1e-12;

/// Sums of large programs differ in their last bits; such differences are not gains.
bool isSame(double a, double b) { return std::abs(a - b) <= EqualWithin * std::max(std::abs(a), std::abs(b)); }

Error unknown(std::string why) { return {ErrorCode::Unsupported, std::move(why)}; }

}  // namespace

RuleGains::RuleGains(egraph::EGraph& graph, cost::CostEvaluator& costs,
                     const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules,
                     const std::vector<ir::Program>& programs, Cheapest least)
    : m_graph(&graph),
      m_costs(&costs),
      m_ruleCount(rules.size()) {
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        for (const auto& part : rules[rule]->parts()) m_ruleOf.emplace(part.get(), rule);
    }
    m_startCost = 0.0;
    for (const ir::Program& program : programs) {
        const egraph::ENodeId node = graph.lookup(program.root);
        const Best best = bestOf(node, least);
        m_roots.push_back({program.function, node, best, {}});
        if (!best.term.isValid()) m_startCost.reset();
        if (m_startCost) *m_startCost += best.cost;
    }
}

RuleGains::Best RuleGains::bestOf(egraph::ENodeId node, Cheapest least) {
    const ir::TermId term = least(node);
    if (!term.isValid()) return {};
    const double cost = m_costs->costOrInfinity(term);
    return std::isfinite(cost) ? Best{term, cost} : Best{};
}

bool RuleGains::takesBack(Root& root, const rewrite::Step& step) {
    Instance instance{step.rule.get(), {}};
    for (const rules::Binding& binding : step.substitution.values) {
        instance.second.push_back(binding.term);
        instance.second.insert(instance.second.end(), binding.sequence.begin(), binding.sequence.end());
        instance.second.emplace_back();  // separates sequences
    }
    int& times = root.instances[std::move(instance)];
    const int before = times;
    times += step.isReversed ? -1 : 1;
    return std::abs(times) < std::abs(before);
}

Status RuleGains::credit(Root& root, const Best& cheaper, std::vector<double>& gains,
                         absl::FunctionRef<bool()> mayGoOn) {
    if (!m_graph->explains()) return unknown("the e-graph keeps no reasons");
    const egraph::EGraph::Mark mark = m_graph->mark();
    const Result<rewrite::Thread> thread = egraph::explain(*m_graph, {root.function, root.best.term}, cheaper.term);
    m_graph->undoTo(mark);
    if (!thread) return thread.error();
    std::vector<std::size_t> ruleOf;
    std::vector<bool> isNew;
    for (const rewrite::Step& step : thread->steps) {
        const auto rule = m_ruleOf.find(step.rule.get());
        if (rule == m_ruleOf.end()) return unknown("a step uses a rule that is not part of this run");
        ruleOf.push_back(rule->second);
        isNew.push_back(!takesBack(root, step));
    }
    double lowest = root.best.cost;
    std::size_t begin = 0;  // first step of the segment
    for (std::size_t i = 0; i < thread->steps.size(); ++i) {
        if (!mayGoOn()) return unknown("the run was stopped");
        const bool isLast = i + 1 == thread->steps.size();
        const double cost = isLast ? cheaper.cost : m_costs->costOrInfinity(thread->states[i]);
        if (!std::isfinite(cost)) continue;
        // If the given terms are not optimal, an intermediate state may cost less than the end.
        const double reached = std::max(cost, cheaper.cost);
        if (reached >= lowest || isSame(reached, lowest)) continue;
        const auto from = isNew.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto to = isNew.begin() + static_cast<std::ptrdiff_t>(i + 1);
        const auto fresh = static_cast<std::size_t>(std::count(from, to, true));
        const double share = (lowest - reached) / static_cast<double>(fresh == 0 ? i + 1 - begin : fresh);
        for (; begin <= i; ++begin) {
            if (fresh == 0 || isNew[begin]) gains[ruleOf[begin]] += share;
        }
        lowest = reached;
    }
    return Success{};
}

void RuleGains::record(Cheapest least, egraph::SaturationReport& report, absl::FunctionRef<bool()> mayGoOn) {
    report.startCost = m_startCost;
    if (report.iterations.empty()) return;
    egraph::IterationReport& iteration = report.iterations.back();
    std::vector<double> gains(m_ruleCount, 0.0);
    double cost = 0.0;
    double gain = 0.0;
    bool isPriced = true;
    bool isKnown = true;
    for (Root& root : m_roots) {
        const Best now = bestOf(root.node, least);
        if (!root.best.term.isValid() || !now.term.isValid()) {
            isKnown = false;
            report.gainDetail = "the program has no finite cost under the model";
            root.best = now;
        } else if (now.cost < root.best.cost && !isSame(now.cost, root.best.cost)) {
            // A program that is not cheaper is not followed; its steps count once a cheaper one is found.
            if (const Status credited = credit(root, now, gains, mayGoOn); !credited) {
                isKnown = false;
                report.gainDetail = credited.error().message;
            }
            gain += root.best.cost - now.cost;
            root.best = now;
        }
        isPriced = isPriced && root.best.term.isValid();
        cost += root.best.cost;
    }
    if (isPriced) iteration.cost = cost;
    if (!isKnown) return;
    iteration.gain = gain;
    for (std::size_t rule = 0; rule < m_ruleCount; ++rule) iteration.rules[rule].gain = gains[rule];
}

}  // namespace mitos::extract
