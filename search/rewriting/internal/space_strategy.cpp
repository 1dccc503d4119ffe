// SPDX-License-Identifier: GPL-3.0-or-later
// See space_strategy.h.
#include "search/rewriting/internal/space_strategy.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace mitos::search {

namespace {

class SpaceStrategy final : public DescribedStrategy {
public:
    SpaceStrategy(StrategyInfo info, ValueInfos values, SearchWithValue search)
        : m_info(std::move(info)),
          m_values(std::move(values)),
          m_search(std::move(search)) {}

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        MITOS_TRY(std::unique_ptr<StateSpace> opened, StateSpace::open(problem, std::move(stop), observer));
        StateSpace& space = *opened;
        const SearchProblem own{space.bank(),   space.program(), problem.rules, problem.cost,
                                problem.budget, problem.seed,    parameters};
        if (m_values.empty()) {
            ZeroValue zero;
            return m_search(space, zero, own);
        }
        MITOS_TRY(const std::unique_ptr<ValueFunction> value, makeValue(m_values, own));
        SearchResult result = m_search(space, *value, own);
        std::ranges::move(value->notes(), std::back_inserter(result.notes));
        return result;
    }

private:
    StrategyInfo m_info;
    ValueInfos m_values;  ///< empty for a strategy without a value function
    SearchWithValue m_search;
};

}  // namespace

std::unique_ptr<Strategy> makeSpaceStrategy(StrategyInfo info, SearchSpace search) {
    return std::make_unique<SpaceStrategy>(
        std::move(info), ValueInfos(),
        [search = std::move(search)](StateSpace& space, ValueFunction&, const SearchProblem& problem) {
            return search(space, problem);
        });
}

std::unique_ptr<Strategy> makeSpaceStrategy(StrategyInfo info, ValueInfos values, std::string usual,
                                            SearchWithValue search) {
    for (ParameterInfo& parameter : valueParameters(values, std::move(usual))) {
        assert(std::ranges::find(info.parameters, parameter.name, &ParameterInfo::name) == info.parameters.end());
        info.parameters.push_back(std::move(parameter));
    }
    return std::make_unique<SpaceStrategy>(std::move(info), std::move(values), std::move(search));
}

}  // namespace mitos::search
