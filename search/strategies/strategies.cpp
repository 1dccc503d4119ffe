// SPDX-License-Identifier: GPL-3.0-or-later
// The list of strategies.
#include "search/strategies/strategies.h"

#include "search/restarts.h"
#include "search/rewriting/rewriting.h"
#include "search/saturation/saturation.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search {

std::vector<std::shared_ptr<const Strategy>> allStrategies() {
    return {withRestarts(makeAStar()),
            makeGreedy(),
            makeBacktracking(),
            makeBeam(),
            withRestarts(makeMcts()),
            makePhases(),
            makePortfolio(),
            withRestarts(makeRandom()),
            withRestarts(makeSaturation()),
            withRestarts(makeTensat())};
}

Result<std::shared_ptr<const Strategy>> findStrategy(std::string_view name) {
    std::vector<std::string> names;
    for (std::shared_ptr<const Strategy>& strategy : allStrategies()) {
        if (strategy->info().name == name) return std::move(strategy);
        names.push_back(strategy->info().name);
    }
    return inputError(fmt::format("there is no strategy \"{}\"", name),
                      fmt::format("The strategies are: {}.", fmt::join(names, ", ")));
}

}  // namespace mitos::search
