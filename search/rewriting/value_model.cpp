// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/value_model.h"

#include "core/base/json_field.h"
#include "core/ir/program_graph.h"
#include "core/rules/directed_rule.h"
#include "search/learned/model_fields.h"
#include "search/learned/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace mitos::search {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> PossibleHints{"sharing", "algebra", "potential"};

Error foreignValue(std::string_view name, std::string_view why) {
    return learned::unusableModel(name, why, ValueModelKind);
}

Result<ValueModel> valueModelOf(const learned::ModelFile& file, std::string_view name) {
    MITOS_TRY(std::vector<float> parameters, learned::parametersIn(file, name, ValueModelKind, "value function"));
    MITOS_TRY(ValueModel model, valueModelIn(file.description, name));
    model.parameters = std::move(parameters);
    return model;
}

/// As ir::NodeVocabulary::kindName() names the terms with this operator.
std::string kindOf(const ir::OperatorRegistry& registry, ir::OpId op) {
    if (op == ir::opId(ir::CoreOp::Literal)) return "constant";
    if (op == ir::opId(ir::CoreOp::Variable) || op == ir::opId(ir::CoreOp::Bound)) return "variable";
    if (op == ir::opId(ir::CoreOp::Let)) return "let";
    if (op == ir::opId(ir::CoreOp::Lam)) return "lam";
    if (op == ir::opId(ir::CoreOp::Tuple)) return "tuple";
    if (op == ir::opId(ir::CoreOp::Get)) return "select";
    if (op == ir::opId(ir::CoreOp::Call)) return "apply";
    return registry.info(op).name;
}

/// Adds the kinds of the nodes that stand below a right side as the rule writes them.
void addRightSide(const rules::NodeTable& table, std::uint32_t root, const ir::OperatorRegistry& registry,
                  std::set<std::string>& kinds) {
    using rules::NodeKind;
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
        const rules::Node& node = table.nodes[open.back()];
        open.pop_back();
        switch (node.kind) {
            case NodeKind::Apply: kinds.insert(kindOf(registry, node.op)); break;
            case NodeKind::Bound: kinds.insert("variable"); break;
            case NodeKind::Literal:
            case NodeKind::Text:
            case NodeKind::Number:
            case NodeKind::Approx:
            case NodeKind::Const:
            case NodeKind::Default:
            case NodeKind::AnyLiteral:
                kinds.insert("constant");
                if (node.op.isValid()) kinds.insert(kindOf(registry, node.op));
                break;
            default: break;
        }
        for (std::uint32_t i = 0; i < node.childCount; ++i) open.push_back(table.children[node.firstChild + i]);
        open.insert(open.end(), node.attributes.begin(), node.attributes.end());
    }
}

std::vector<std::string> namesOf(const SearchProblem& problem) {
    std::vector<std::string> names;
    for (const auto& rule : problem.rules) names.push_back(rule->name());
    std::ranges::sort(names);
    return names;
}

}  // namespace

const char* toString(CostScale scale) { return scale == CostScale::Unit ? "unit" : "logarithm"; }

std::optional<CostScale> costScaleFrom(std::string_view name) {
    for (const CostScale scale : {CostScale::Unit, CostScale::Logarithm}) {
        if (name == toString(scale)) return scale;
    }
    return std::nullopt;
}

double scaledCost(const ValueModel& model, double cost) {
    return model.scale == CostScale::Unit ? cost / model.unit : std::log1p(std::max(0.0, cost));
}

double reductionOf(const ValueModel& model, double cost, double scaledReduction) {
    if (model.scale == CostScale::Unit) return scaledReduction * model.unit;
    return (1.0 + std::max(0.0, cost)) * -std::expm1(-scaledReduction);
}

std::span<const std::string_view> possibleHints() { return PossibleHints; }

std::string descriptionOf(const ValueModel& model) {
    json whole{{"network", toString(model.shape.kind)},
               {"hidden", model.shape.hidden},
               {"rounds", model.shape.rounds},
               {"readout", model.shape.readout},
               {"layers", model.shape.layers},
               {"dropout", model.shape.dropout},
               {"times", model.shape.times},
               {"vocabulary", model.vocabulary},
               {"dialect", model.dialect},
               {"rules", model.rules},
               {"rule_names", model.ruleNames},
               {"cost", model.cost},
               {"scale", toString(model.scale)},
               {"unit", model.unit},
               {"hints", model.hints},
               {"programs", model.programs},
               {"about", fmt::format("{}, {}", model.cost, model.rules)}};
    learned::addTo(whole, {model.seed, model.evaluations, model.command, model.curve});
    return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ValueModel> valueModelIn(std::string_view description, std::string_view name) {
    const json whole = json::parse(description, nullptr, false);
    if (!whole.is_object()) return foreignValue(name, "its description cannot be read");
    ValueModel model;
    const auto kind = learned::valueNetworkKindFrom(fieldOf<std::string>(whole, "network").value_or(""));
    if (!kind) return foreignValue(name, "it needs a kind of network that this version of Mitos does not have");
    model.vocabulary = learned::textsIn(whole, "vocabulary");
    if (model.vocabulary.empty()) return foreignValue(name, "it has no vocabulary");
    const auto scale = costScaleFrom(fieldOf<std::string>(whole, "scale").value_or(""));
    readField(whole, "unit", model.unit);
    if (!scale || !(model.unit > 0.0) || !std::isfinite(model.unit))
        return foreignValue(name, "its scale of costs makes no sense");
    model.scale = *scale;
    model.hints = learned::textsIn(whole, "hints");
    for (const std::string& hint : model.hints) {
        if (std::ranges::find(PossibleHints, hint) == PossibleHints.end()) {
            return foreignValue(
                name, fmt::format("it needs a value function, \"{}\", that this version of Mitos does not have", hint));
        }
    }
    model.shape = {.kind = *kind,
                   .kinds = static_cast<std::uint32_t>(model.vocabulary.size()),
                   .hidden = learned::sizeIn(whole, "hidden"),
                   .rounds = learned::sizeIn(whole, "rounds"),
                   .readout = learned::sizeIn(whole, "readout"),
                   .layers = learned::sizeIn(whole, "layers"),
                   .dropout = fieldOf<double>(whole, "dropout").value_or(0.0),
                   .times = learned::sizeIn(whole, "times")};
    constexpr std::uint32_t MostTimes = 1000;
    if (model.shape.times == 0 || model.shape.times > MostTimes)
        return foreignValue(name, "its number of steps makes no sense");
    model.shape.hints = static_cast<std::uint32_t>(model.hints.size()) * model.shape.times;
    readField(whole, "dialect", model.dialect);
    readField(whole, "rules", model.rules);
    model.ruleNames = learned::textsIn(whole, "rule_names");
    readField(whole, "cost", model.cost);
    model.programs = learned::textsIn(whole, "programs");
    MITOS_TRY(learned::TrainingFields training, learned::trainingFieldsIn(whole));
    model.seed = training.seed;
    model.evaluations = training.evaluations;
    model.command = std::move(training.command);
    model.curve = std::move(training.curve);
    return model;
}

learned::ModelFile toFile(const ValueModel& model) {
    return {.kind = std::string(ValueModelKind),
            .description = descriptionOf(model),
            .parts = {{"parameters", model.parameters}}};
}

Result<ValueModel> readValueModel(std::string_view name, std::string_view bytes) {
    MITOS_TRY(const learned::ModelFile file, learned::readModel(name, bytes));
    return valueModelOf(file, name);
}

Result<ValueModel> loadValueModel(const std::string& path) {
    MITOS_TRY(const learned::ModelFile file, learned::loadModel(path));
    return valueModelOf(file, path);
}

Result<std::unique_ptr<learned::ValueNetwork>> networkOf(const ValueModel& model) {
    MITOS_TRY(std::unique_ptr<learned::ValueNetwork> network, learned::makeValueNetwork(model.shape));
    if (model.parameters.size() != network->parameterCount()) {
        return Error{ErrorCode::Incompatible,
                     fmt::format("the model has {} parameters, and its network takes {}", model.parameters.size(),
                                 network->parameterCount()),
                     std::nullopt, "train it again with this version"};
    }
    network->setParameters(model.parameters);
    return network;
}

std::vector<std::string> kindsOf(const SearchProblem& problem) {
    const ir::NodeVocabulary own = ir::NodeVocabulary::of(problem.bank, {&problem.program.root, 1});
    std::set<std::string> kinds(own.names().begin(), own.names().end());
    for (const auto& rule : problem.rules) {
        const rules::CompiledRule* const compiled = rules::compiledOf(*rule);
        if (compiled == nullptr) continue;
        for (const rules::CompiledBranch& branch : compiled->branches)
            addRightSide(compiled->table, branch.root, problem.bank.registry(), kinds);
    }
    return {kinds.begin(), kinds.end()};
}

Status checkFit(const ValueModel& model, std::string_view name, const SearchProblem& problem) {
    const auto misfit = [&](std::string_view what, std::string hint) {
        return Error{ErrorCode::Incompatible, fmt::format("{} does not fit: {}", name, what), std::nullopt,
                     std::move(hint)};
    };
    const std::string_view dialect = problem.bank.dialect(problem.program.function).name;
    if (model.dialect != dialect) {
        return misfit(fmt::format("it was trained for {} programs, and this is a {} program", model.dialect, dialect),
                      "name a model for this dialect, or train one");
    }
    if (const std::string& cost = problem.cost->info().name; model.cost != cost) {
        return misfit(fmt::format("it was trained for --cost {}, and this is {}", model.cost, cost),
                      fmt::format("--cost {}, or train a model for {}", model.cost, cost));
    }
    const ir::NodeVocabulary own = ir::NodeVocabulary::of(problem.bank, {&problem.program.root, 1});
    const auto isKnown = [&](const std::string& kind) {
        return std::ranges::find(model.vocabulary, kind) != model.vocabulary.end();
    };
    for (const std::string& kind : own.names()) {
        if (!isKnown(kind)) {
            return misfit(fmt::format("it does not know \"{}\", a kind of node of the program", kind),
                          "train a model on programs with such nodes");
        }
    }
    for (const std::string& kind : kindsOf(problem)) {
        if (!isKnown(kind)) {
            return misfit(fmt::format("it does not know \"{}\", a kind of node that a rule may add", kind),
                          model.rules.empty()
                              ? "train a model with these rules"
                              : fmt::format("--rules {}, or train a model with these rules", model.rules));
        }
    }
    return Success{};
}

std::optional<std::string> remarkOn(const ValueModel& model, std::string_view name, const SearchProblem& problem) {
    const std::vector<std::string> own = namesOf(problem);
    std::vector<std::string> trained = model.ruleNames;
    std::ranges::sort(trained);
    std::vector<std::string> added;
    std::vector<std::string> missing;
    std::ranges::set_difference(own, trained, std::back_inserter(added));
    std::ranges::set_difference(trained, own, std::back_inserter(missing));
    if (added.empty() && missing.empty()) return std::nullopt;
    return fmt::format("{} was trained with other rules ({}): {} of those here were not among them, and {} are missing",
                       name, model.rules, added.size(), missing.size());
}

std::vector<ShippedValue> shippedValues() {
    std::vector<ShippedValue> values;
    for (const learned::ShippedFile& file : learned::shippedFiles()) {
        if (auto model = readValueModel(file.name, file.bytes))
            values.push_back({.name = std::string(file.name), .model = *std::move(model)});
    }
    return values;
}

std::optional<ShippedValue> shippedValueFor(const SearchProblem& problem) {
    std::optional<ShippedValue> found;
    for (ShippedValue& one : shippedValues()) {
        if (!checkFit(one.model, one.name, problem)) continue;
        const bool isExact = !remarkOn(one.model, one.name, problem);
        if (isExact) return std::move(one);
        if (!found) found = std::move(one);
    }
    return found;
}

}  // namespace mitos::search
