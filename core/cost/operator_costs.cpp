// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/operator_costs.h"

#include "core/base/number_text.h"
#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace mitos::cost {

namespace {

constexpr const char* ParameterName = "operators";

}  // namespace

ParameterInfo operatorsParameter() {
    return {.name = ParameterName,
            .title = "Costs of operators",
            .help = "own costs of operators, separated by commas; all others cost 1: f=3,g=0.5",
            .defaultValue = std::string()};
}

Result<OperatorCosts> parseOperatorCosts(std::string_view model, const ParameterValues& values) {
    const std::string& text = std::get<std::string>(values.at(ParameterName));
    OperatorCosts costs;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(item.size() + 1, rest.size()));
        const std::size_t equals = item.rfind('=');
        const std::string name(item.substr(0, equals));
        const bool isNamed = equals != std::string_view::npos && equals > 0;
        const std::optional<double> cost = isNamed ? numberFrom<double>(item.substr(equals + 1)) : std::nullopt;
        if (!cost || !(*cost >= 0.0) || *cost > LargestCost) {
            return inputError(
                fmt::format("cost model '{}': '{}' is not an operator with a cost of 0 or more", model, item),
                fmt::format("write {}:f=3,g=0.5", model.substr(0, model.find(':'))));
        }
        if (!costs.emplace(name, *cost).second) {
            return inputError(fmt::format("cost model '{}': {} has two costs", model, name), "leave one of them out");
        }
    }
    return costs;
}

Status requireOperators(const CostModelInfo& model, const ir::OperatorRegistry& registry) {
    if (!model.values.contains(ParameterName)) return Success{};
    MITOS_TRY(const OperatorCosts costs, parseOperatorCosts(model.name, model.values));
    for (const auto& [name, cost] : costs) {
        if (registry.find(name).isValid()) continue;
        std::vector<std::string_view> known;
        for (std::uint32_t id = 0; id < registry.size(); ++id) known.push_back(registry.info(ir::OpId(id)).name);
        return inputError(fmt::format("cost model '{}': there is no operator {}", model.name, name),
                          suggestion(name, known, "operators are those of the language and of the rule files"));
    }
    return Success{};
}

}  // namespace mitos::cost
