// SPDX-License-Identifier: GPL-3.0-or-later
// The list of strategies.
#include "search/strategies/strategies.h"

#include "core/base/suggestion.h"
#include "search/placement/schedule_searches.h"
#include "search/placement/training_run.h"
#include "search/restarts.h"
#include "search/rewriting/rewriting.h"
#include "search/rewriting/value_training_run.h"
#include "search/saturation/saturation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mitos::search {

std::vector<std::shared_ptr<const Strategy>> rewritingStrategies() {
    return {withRestarts(makeAStar()),
            makeGreedy(),
            makeBacktracking(),
            makeBeam(),
            makeBlocks(),
            withRestarts(makeEGraphMcts()),
            withRestarts(makeMcts()),
            makePhases(),
            makePortfolio(),
            makePypmGreedy(),
            withRestarts(makeRandom()),
            withRestarts(makeSaturation()),
            withRestarts(makeTensat())};
}

std::vector<std::shared_ptr<const Strategy>> allStrategies() {
    std::vector<std::shared_ptr<const Strategy>> all = rewritingStrategies();
    all.push_back(makeRegions());
    std::ranges::move(placement::scheduleSearches(), std::back_inserter(all));
    all.push_back(placement::policyTrainingRun());
    all.push_back(valueTrainingRun());
    return all;
}

std::vector<std::shared_ptr<const Strategy>> strategiesFor(const ir::Dialect& dialect) {
    std::vector<std::shared_ptr<const Strategy>> suitable = allStrategies();
    std::erase_if(suitable, [&dialect](const auto& strategy) {
        return strategy->info().isTraining || !strategy->info().suits(dialect);
    });
    return suitable;
}

Result<std::shared_ptr<const Strategy>> findStrategy(std::string_view name) {
    const bool isOfSchedules = name.starts_with(placement::searchName(""));
    std::vector<std::shared_ptr<const Strategy>> all =
        isOfSchedules ? placement::scheduleSearches() : rewritingStrategies();
    if (!isOfSchedules) all.push_back(makeRegions());
    std::vector<std::string_view> names;
    for (const auto& strategy : all) {
        if (strategy->info().name == name) return strategy;
        names.push_back(strategy->info().name);
    }
    return noSuchName("strategy", name, names);
}

}  // namespace mitos::search
