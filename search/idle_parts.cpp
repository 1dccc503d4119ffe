// SPDX-License-Identifier: GPL-3.0-or-later
// See idle_parts.h.
#include "search/idle_parts.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/rewrite/thread_parts.h"
#include "search/cost_order.h"
#include "search/series.h"

#include <utility>
#include <vector>

namespace mitos::search {

namespace {

constexpr std::size_t MostWork = 20'000'000;  ///< nodes that are replayed: some seconds

}  // namespace

void leaveOutIdleParts(SearchResult& result, const cost::CostModel& model, absl::FunctionRef<bool()> goesOn) {
    ir::TermBank& bank = *result.bank;
    const ir::FunctionId function = result.thread.start.function;
    if (result.thread.steps.empty() || !bank.dialect(function).sharesNodes()) return;
    const std::size_t work = result.thread.steps.size() * ir::sharedSize(bank, result.thread.start.root);
    if (work > MostWork || !goesOn()) return;
    const std::vector<rewrite::ThreadPart> parts = rewrite::partsOf(bank, result.thread);
    if (parts.size() * work > MostWork) return;

    const std::unique_ptr<cost::CostEvaluator> costs = model.evaluator(bank, function);
    std::vector<bool> kept(result.thread.steps.size(), true);
    double best = costs->costOrInfinity(result.thread.end().root);
    rewrite::Thread shortest;
    for (const rewrite::ThreadPart& part : parts) {
        if (!goesOn()) break;
        for (const std::size_t step : part.steps) kept[step] = false;
        rewrite::Thread without = rewrite::onlySteps(bank, result.thread, kept);
        const double cost = costs->costOrInfinity(without.end().root);
        if (isLower(best, cost)) {
            for (const std::size_t step : part.steps) kept[step] = true;
            continue;
        }
        best = cost;
        shortest = std::move(without);
    }
    if (!shortest.start.function.isValid()) return;  // every part is needed
    result.thread = std::move(shortest);
    result.costs.assign(1, costs->costOrInfinity(result.thread.start.root));
    for (const ir::TermId state : result.thread.states) result.costs.push_back(costs->costOrInfinity(state));
    result.bestCost = result.costs.back();
    result.check = rewrite::check(bank, result.thread);
    compact(result);
}

}  // namespace mitos::search
