// SPDX-License-Identifier: GPL-3.0-or-later
// Names of stop reasons, default parameters and default budgets.
#include "search/strategy.h"

namespace mitos::search {

const char* toString(StopReason reason) {
    switch (reason) {
        case StopReason::Exhausted: return "exhausted";
        case StopReason::Evaluations: return "evaluations";
        case StopReason::Seconds: return "seconds";
        case StopReason::States: return "states";
        case StopReason::Memory: return "memory";
        case StopReason::Stopped: return "stopped";
        case StopReason::Depth: return "depth";
        case StopReason::Pruned: return "pruned";
    }
    return "";
}

Result<SearchResult> DescribedStrategy::run(const SearchProblem& problem, std::stop_token stop,
                                            Observer& observer) const {
    const Result<ParameterValues> parameters = resolveParameters(info(), problem);
    if (!parameters) return parameters.error();
    return runWith(*parameters, problem, std::move(stop), observer);
}

Budget completed(Budget budget) {
    const bool none = !budget.evaluations && !budget.seconds && !budget.states && !budget.memoryBytes;
    if (none) budget.evaluations = DefaultEvaluations;
    if (!budget.memoryBytes) budget.memoryBytes = DefaultMemoryBytes;
    return budget;
}

}  // namespace mitos::search
