// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of small ks programs, and runs made by hand.
#pragma once

#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "search/report/html_report.h"
#include "search/strategies/strategies.h"

#include <QtGlobal>
#include <memory>
#include <string>
#include <vector>

namespace mitos::search::test {

/// An ordinary comparison of two of the paper's expressions.
class ComparisonJob {
public:
    explicit ComparisonJob(const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            auto bank = std::make_shared<ir::TermBank>(m_book.registry());
            const Result<ks::Module> module = ks::parseModule(*bank, SourceText("test", text));
            if (!module) qFatal("%s", module.error().render().c_str());
            const ir::Program program = *ks::selectProgram(*bank, *module, "");
            plan.programs.push_back({"program <" + std::to_string(plan.programs.size() + 1) + ">", bank, program});
        }
        for (const std::string& name : names()) plan.strategies.push_back({*findStrategy(name), {}});
        for (const std::uint64_t evaluations : {30U, 200U}) {
            Budget budget;
            budget.evaluations = evaluations;
            plan.budgets.push_back(budget);
        }
        plan.seeds = {1, 2, 3};
        plan.rules.directions = m_book.directions();
        plan.cost = *cost::findCostModel("ks-2021");
        plan.jobs = 4;
    }
    static std::vector<std::string> names() { return {"astar", "mcts", "random"}; }

    ComparisonPlan plan;
    const rules::RuleBook& book() const { return m_book; }
    std::string report(const Comparison& comparison, ReportFacts facts = {}) const {
        facts.unit = plan.cost->info().unit;
        for (const auto& contestant : plan.strategies) facts.strategies.push_back(contestant.strategy->info());
        return htmlReport(tableRunsOf(comparison), facts, m_book);
    }

private:
    rules::RuleBook m_book = *rules::RuleBook::load("ks-simple", ks::makeRegistry());
};

inline constexpr const char* First = "(div (div 1.0 x) (add 1.0 (div 1.0 x)))";
inline constexpr const char* Fourth = "(mul (div x y) (div x y))";

inline ComparedRun recordOf(double initial, const std::vector<Improvement>& curve, std::uint64_t evaluations) {
    ComparedRun compared;
    compared.run.state = RunState::Finished;
    compared.run.initialCost = initial;
    compared.run.bestCost = curve.back().best;
    compared.run.statistics.evaluations = evaluations;
    for (const Improvement& point : curve) {
        SearchEvent& event = compared.run.events.emplace_back();
        event.what = Improved{};
        event.evaluations = point.evaluations;
        event.seconds = point.seconds;
        event.best = point.best;
    }
    return compared;
}

}  // namespace mitos::search::test
