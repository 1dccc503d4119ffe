// SPDX-License-Identifier: GPL-3.0-or-later
// Default parameters and default budgets.
#include "search/strategy.h"

#include "core/ir/dialect.h"

#include <algorithm>

namespace mitos::search {

Result<SearchResult> DescribedStrategy::run(const SearchProblem& problem, std::stop_token stop,
                                            Observer& observer) const {
    MITOS_TRY(const ParameterValues parameters, resolveParameters(info(), problem));
    return runWith(parameters, problem, std::move(stop), observer);
}

Budget completed(Budget budget) {
    const bool none = !budget.evaluations && !budget.seconds && !budget.states && !budget.memoryBytes;
    if (none) budget.evaluations = DefaultEvaluations;
    if (!budget.memoryBytes) budget.memoryBytes = DefaultMemoryBytes;
    return budget;
}

ParameterInfo depthParameter(std::string help, std::int64_t usual, DepthRange range) {
    return ParameterInfo{.name = "depth",
                         .title = "Depth",
                         .help = std::move(help),
                         .defaultValue = usual,
                         .minimum = static_cast<double>(range.least),
                         .maximum = static_cast<double>(range.most)};
}

StrategyInfo fitted(StrategyInfo info, const ir::Dialect& dialect) {
    for (const ir::ParameterDefault& own : dialect.parameterDefaults) {
        if (own.strategy != info.name) continue;
        const auto described = std::ranges::find(info.parameters, own.parameter, &ParameterInfo::name);
        if (described == info.parameters.end()) continue;
        if (Result<ParameterValue> value = parseParameter(*described, own.value)) described->defaultValue = *value;
    }
    return info;
}

Result<ParameterValues> resolveParameters(const StrategyInfo& info, const ParameterValues& given) {
    return mitos::resolveParameters(info.name, info.parameters, given);
}

Result<ParameterValues> resolveParameters(const StrategyInfo& info, const SearchProblem& problem) {
    return resolveParameters(fitted(info, problem.bank.dialect(problem.program.function)), problem.parameters);
}

}  // namespace mitos::search
