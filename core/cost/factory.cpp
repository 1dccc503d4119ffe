// SPDX-License-Identifier: GPL-3.0-or-later
// Finds and makes cost models by name.
#include "core/cost/factory.h"

#include "core/cost/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <utility>

namespace mitos::cost {

namespace {

using ModelPtr = std::shared_ptr<const CostModel>;

class MadeModel final : public CostModel {
public:
    MadeModel(CostModelInfo info, MakeEvaluator evaluator)
        : m_info(std::move(info)),
          m_evaluator(std::move(evaluator)) {}

    [[nodiscard]] const CostModelInfo& info() const override { return m_info; }
    [[nodiscard]] std::unique_ptr<CostEvaluator> evaluator(const ir::TermBank& bank,
                                                           ir::FunctionId function) const override {
        return m_evaluator(bank, function);
    }

private:
    CostModelInfo m_info;
    MakeEvaluator m_evaluator;
};

bool isNumber(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool isList(const ParameterInfo& parameter) { return parameter.isText() && parameter.choices.empty(); }
bool hasChoices(const ParameterInfo& parameter) { return !parameter.choices.empty(); }

Error noParameter(const CostModelInfo& info, std::string_view item) {
    std::vector<std::string> names;
    for (const ParameterInfo& parameter : info.parameters) names.push_back(parameter.name);
    const bool takesNone = names.empty();
    return {ErrorCode::InvalidInput,
            takesNone ? fmt::format("the cost model {} takes no parameters, but '{}' is given", info.name, item)
                      : fmt::format("the cost model {} has no parameter for '{}'", info.name, item),
            std::nullopt,
            takesNone ? fmt::format("write {}", info.name) : fmt::format("its parameters: {}", fmt::join(names, ", "))};
}

/// Parses the part of a model's name that gives its parameters (see findCostModel).
Result<ParameterValues> parseValues(const CostModelInfo& info, std::string_view given) {
    ParameterValues values;
    std::string* list = nullptr;  // the value that further items belong to
    while (true) {
        const std::string_view item = given.substr(0, given.find(','));
        const std::size_t equals = item.find('=');
        const bool isNamed = equals != std::string_view::npos;
        auto described = info.parameters.end();
        if (isNamed) {
            described = std::ranges::find(info.parameters, item.substr(0, equals), &ParameterInfo::name);
        } else if (!isNumber(item)) {
            described = std::ranges::find_if(info.parameters, hasChoices);
        }
        const std::string_view value = isNamed && described != info.parameters.end() ? item.substr(equals + 1) : item;
        if (described == info.parameters.end() && list != nullptr) {
            *list += fmt::format(",{}", item);
        } else {
            if (described == info.parameters.end()) described = std::ranges::find_if(info.parameters, isList);
            if (described == info.parameters.end()) return noParameter(info, item);
            MITOS_TRY(ParameterValue parsed, parseParameter(*described, value));
            ParameterValue& kept = values[described->name] = std::move(parsed);
            if (isList(*described)) list = &std::get<std::string>(kept);
        }
        if (item.size() == given.size()) return values;
        given.remove_prefix(item.size() + 1);
    }
}

std::string nameWith(const CostModelInfo& info, const ParameterValues& values) {
    const auto firstList = std::ranges::find_if(info.parameters, isList);
    const auto firstChoice = std::ranges::find_if(info.parameters, hasChoices);
    std::vector<std::string> items;
    for (auto parameter = info.parameters.begin(); parameter != info.parameters.end(); ++parameter) {
        const auto value = values.find(parameter->name);
        if (value == values.end()) continue;
        const bool needsNoName = parameter == firstList || parameter == firstChoice;
        items.push_back((needsNoName ? "" : parameter->name + "=") + parameterText(value->second));
    }
    const std::string_view base = info.baseName();
    return items.empty() ? std::string(base) : fmt::format("{}:{}", base, fmt::join(items, ","));
}

/// Names are stored in sessions, so they must identify a file from any folder.
void makeAbsolute(const CostModelInfo& info, ParameterValues& values) {
    for (const ParameterInfo& parameter : info.parameters) {
        const auto value = values.find(parameter.name);
        if (value == values.end() || !parameter.isFile(parameterText(value->second))) continue;
        std::error_code unknown;
        const auto whole = std::filesystem::absolute(std::get<std::string>(value->second), unknown);
        if (!unknown) value->second = whole.lexically_normal().string();
    }
}

const CostModelFactory* factoryOf(std::string_view name) {
    const std::span<const CostModelFactory> all = costModelFactories();
    const auto found = std::ranges::find_if(
        all,
        [base = name.substr(0, name.find(':'))](const CostModelFactory& factory) { return factory.info.name == base; });
    return found == all.end() ? nullptr : &*found;
}

std::optional<std::string_view> givenIn(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? std::nullopt : std::optional(name.substr(colon + 1));
}

std::string namesOf(std::span<const ModelPtr> models) {
    std::string names;
    for (const ModelPtr& model : models) names += (names.empty() ? "" : ", ") + model->info().name;
    return names;
}

}  // namespace

std::vector<std::string> CostModelInfo::files() const {
    std::vector<std::string> files;
    for (const ParameterInfo& parameter : parameters) {
        const auto value = values.find(parameter.name);
        if (value == values.end() || !parameter.isFile(parameterText(value->second))) continue;
        files.push_back(std::get<std::string>(value->second));
    }
    return files;
}

ModelPtr modelOfPrograms(CostModelInfo info, MakeEvaluator evaluator) {
    return std::make_shared<MadeModel>(std::move(info), std::move(evaluator));
}

ModelPtr modelOfNodes(CostModelInfo info, MakeNodeCosts nodes) {
    return modelOfPrograms(
        std::move(info), [nodes = std::move(nodes)](const ir::TermBank& bank, ir::FunctionId function) {
            const ir::Sharing sharing = function.isValid() ? bank.function(function).sharing : ir::Sharing::Tree;
            return sumOfNodes(bank, sharing, nodes());
        });
}

Result<ModelPtr> makeCostModel(const CostModelFactory& factory, std::optional<std::string_view> given) {
    CostModelInfo info = factory.info;
    ParameterValues values;
    if (given) {
        MITOS_TRY(values, parseValues(info, *given));
    }
    makeAbsolute(info, values);
    if (factory.settle != nullptr) MITOS_REQUIRE(factory.settle(values));
    MITOS_TRY(ParameterValues complete, resolveParameters(info.name, info.parameters, values));
    info.name = nameWith(info, values);
    info.values = std::move(complete);
    return factory.make(std::move(info));
}

std::vector<ModelPtr> allCostModels() {
    std::vector<ModelPtr> models;
    for (const CostModelFactory& factory : costModelFactories()) {
        Result<ModelPtr> model = makeCostModel(factory);
        assert(model.ok());  // defaults are valid
        models.push_back(*std::move(model));
    }
    return models;
}

std::vector<ModelPtr> costModelsFor(std::string_view dialect) {
    std::vector<ModelPtr> models = allCostModels();
    std::erase_if(models, [&](const ModelPtr& model) { return !model->info().prices(dialect); });
    return models;
}

Result<ModelPtr> findCostModel(std::string_view name) {
    if (const CostModelFactory* const factory = factoryOf(name)) return makeCostModel(*factory, givenIn(name));
    return inputError(
        fmt::format("there is no cost model \"{}\"", name),
        fmt::format("cost models: {}; parameters follow a colon: ks-sized:n=64,m=8", namesOf(allCostModels())));
}

Result<ModelPtr> findCostModel(std::string_view name, std::string_view dialect) {
    if (name.empty()) return costModelsFor(dialect).front();
    Result<ModelPtr> model = findCostModel(name);
    if (!model || (*model)->info().prices(dialect)) return model;
    return inputError(fmt::format("the cost model {} does not price {} programs", name, dialect),
                      fmt::format("cost models for {} programs: {}", dialect, namesOf(costModelsFor(dialect))));
}

SettledName settledName(std::string_view name) {
    const CostModelFactory* const factory = factoryOf(name);
    const auto given = givenIn(name);
    if (factory == nullptr || factory->settle == nullptr || !given) return {std::string(name), {}};
    const Result<ParameterValues> values = parseValues(factory->info, *given);
    if (!values) return {std::string(name), {}};
    ParameterValues settled = *values;
    Result<std::string> warning = factory->settle(settled);
    if (!warning || settled == *values) return {std::string(name), {}};
    return {nameWith(factory->info, settled), *std::move(warning)};
}

std::string costModelName(const CostModelInfo& info, const ParameterValues& values) {
    ParameterValues changed;
    for (const ParameterInfo& parameter : info.parameters) {
        const auto value = values.find(parameter.name);
        if (value != values.end() && value->second != parameter.defaultValue) changed.insert(*value);
    }
    return nameWith(info, changed);
}

std::string sizesOf(const CostModelInfo& info) {
    const auto found = info.values.find(sizesParameter(1).name);
    return found == info.values.end() ? "1" : std::get<std::string>(found->second);
}

}  // namespace mitos::cost
