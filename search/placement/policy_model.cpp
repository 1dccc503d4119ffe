// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/policy_model.h"

#include "core/base/json_field.h"
#include "search/learned/model_fields.h"
#include "search/placement/genetic.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace mitos::search::placement {

namespace {

using learned::sizeIn;
using learned::textsIn;
using nlohmann::json;
using random_keys::Beta;

constexpr const char* PolicyKind = "policy";
constexpr std::size_t MostBetas = 255;

const char* nameOf(Objective objective) { return objective == Objective::Memory ? "memory" : "time"; }

Error foreign(std::string_view name, std::string_view why) { return learned::unusableModel(name, why, PolicyKind); }

Result<PolicyModel> policyOf(const learned::ModelFile& file, std::string_view name) {
    MITOS_TRY(std::vector<float> parameters, learned::parametersIn(file, name, PolicyKind, "policy"));
    MITOS_TRY(PolicyModel model, policyIn(file.description, name));
    model.parameters = std::move(parameters);
    return model;
}

}  // namespace

learned::NetworkShape policyShape(const PolicyModel& model, std::uint32_t hidden, std::uint32_t rounds,
                                  learned::NetworkKind kind) {
    return {.kind = kind,
            .nodeFeatures = static_cast<std::uint32_t>(nodeFeatureNames(model.features, model.devices).size()),
            .edgeFeatures = static_cast<std::uint32_t>(edgeFeatureNames().size()),
            .hidden = hidden,
            .rounds = rounds,
            .outputs = model.choices().outputs()};
}

std::string descriptionOf(const PolicyModel& model) {
    json betas = json::array();
    for (const Beta& beta : model.betas) betas.push_back({beta.alpha, beta.beta});
    json whole{{"objective", nameOf(model.objective)},
               {"decode", nameOf(model.decode)},
               {"devices", model.devices},
               {"machine", model.machine},
               {"features", toString(model.features)},
               {"node_features", nodeFeatureNames(model.features, model.devices)},
               {"edge_features", edgeFeatureNames()},
               {"distributions", std::move(betas)},
               {"network", toString(model.shape.kind)},
               {"hidden", model.shape.hidden},
               {"rounds", model.shape.rounds},
               {"generations", model.generations},
               {"variants", model.variants},
               {"noise", model.noise},
               {"graphs", model.graphs}};
    learned::addTo(whole, {model.seed, model.evaluations, model.command, model.curve});
    return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<PolicyModel> policyIn(std::string_view description, std::string_view name) {
    const json whole = json::parse(description, nullptr, false);
    if (!whole.is_object()) return foreign(name, "its description cannot be read");
    PolicyModel model;
    const std::string objective = fieldOf<std::string>(whole, "objective").value_or("");
    const std::string decode = fieldOf<std::string>(whole, "decode").value_or("");
    if (objective != "time" && objective != "memory") return foreign(name, "its objective is not known");
    if (decode != "paper" && decode != "finish") return foreign(name, "its meaning of keys is not known");
    model.objective = objective == "memory" ? Objective::Memory : Objective::Runtime;
    model.decode = decode == "paper" ? Decode::Paper : Decode::EarliestFinish;
    model.devices = sizeIn(whole, "devices");
    if (model.devices == 0 || model.devices > 4096) return foreign(name, "its number of devices makes no sense");
    readField(whole, "machine", model.machine);
    const auto view = policyViewFrom(fieldOf<std::string>(whole, "features").value_or(""));
    if (!view || textsIn(whole, "node_features") != nodeFeatureNames(*view, model.devices) ||
        textsIn(whole, "edge_features") != edgeFeatureNames()) {
        return foreign(name, "it needs features of graphs that this version of Mitos does not have");
    }
    model.features = *view;
    model.betas.clear();
    const auto betas = whole.find("distributions");
    if (betas == whole.end() || !betas->is_array()) return foreign(name, "it has no distributions");
    for (const json& beta : *betas) {
        if (!beta.is_array() || beta.size() != 2 || !beta[0].is_number() || !beta[1].is_number())
            return foreign(name, "its distributions cannot be read");
        model.betas.push_back({beta[0].get<double>(), beta[1].get<double>()});
    }
    const random_keys::MutantDistributions all{model.betas, std::vector<std::uint16_t>(1, 0)};
    if (model.betas.empty() || model.betas.size() > MostBetas || !random_keys::checkDistributions(all, 1))
        return foreign(name, "its distributions make no sense");
    // The first files did not say which network they are for.
    const auto kind = learned::networkKindFrom(fieldOf<std::string>(whole, "network").value_or("graph"));
    if (!kind || *kind == learned::NetworkKind::Gated)
        return foreign(name, "it needs a kind of network that this version of Mitos does not have");
    model.shape = policyShape(model, sizeIn(whole, "hidden"), sizeIn(whole, "rounds"), *kind);
    if (const Status shape = learned::checkShape(model.shape); !shape) return foreign(name, shape.error().message);
    MITOS_TRY(learned::TrainingFields training, learned::trainingFieldsIn(whole));
    model.seed = training.seed;
    model.evaluations = training.evaluations;
    model.command = std::move(training.command);
    model.curve = std::move(training.curve);
    model.generations = sizeIn(whole, "generations");
    model.variants = std::max(1U, sizeIn(whole, "variants"));
    readField(whole, "noise", model.noise);
    model.graphs = textsIn(whole, "graphs");
    return model;
}

learned::ModelFile toFile(const PolicyModel& model) {
    return {.kind = PolicyKind, .description = descriptionOf(model), .parts = {{"parameters", model.parameters}}};
}

Result<PolicyModel> readPolicy(std::string_view name, std::string_view bytes) {
    MITOS_TRY(const learned::ModelFile file, learned::readModel(name, bytes));
    return policyOf(file, name);
}

Result<PolicyModel> loadPolicy(const std::string& path) {
    MITOS_TRY(const learned::ModelFile file, learned::loadModel(path));
    return policyOf(file, path);
}

Status checkFit(const PolicyModel& model, std::string_view name, const schedule::Problem& problem, Objective objective,
                Decode decode) {
    const auto misfit = [&](std::string_view what, std::string hint) {
        return Error{ErrorCode::Incompatible, fmt::format("{} does not fit: {}", name, what), std::nullopt,
                     std::move(hint)};
    };
    if (model.objective != objective) {
        return misfit(fmt::format("it was trained for --objective {}, and this is {}", nameOf(model.objective),
                                  nameOf(objective)),
                      "name a model for this objective, or train one");
    }
    if (model.devices != problem.deviceCount()) {
        return misfit(
            fmt::format("it was trained for {} devices, and there are {}", model.devices, problem.deviceCount()),
            fmt::format("--devices {}, or train a model for these", model.devices));
    }
    if (model.decode != decode) {
        return misfit(fmt::format("it was trained for decode={}, and this is {}", nameOf(model.decode), nameOf(decode)),
                      fmt::format("--set decode={}", nameOf(model.decode)));
    }
    return Success{};
}

Result<random_keys::MutantDistributions> distributionsBy(const PolicyModel& model, const schedule::Problem& problem,
                                                         const learned::LearnedLibrary& library) {
    MITOS_TRY(const std::unique_ptr<learned::GraphNetwork> network, library.makeNetwork(model.shape));
    if (model.parameters.size() != network->parameterCount()) {
        return Error{ErrorCode::Incompatible,
                     fmt::format("the model has {} parameters, and its network takes {}", model.parameters.size(),
                                 network->parameterCount()),
                     std::nullopt, "train it again with this version"};
    }
    network->setParameters(model.parameters);
    const PolicyGraph graph = policyGraph(problem, model.objective, model.features);
    std::vector<float> outputs(std::size_t{graph.nodes} * model.shape.outputs);
    if (!network->forward(graph.view(), outputs)) return learned::networkFailed(*network);
    const learned::ChoiceSpace space = model.choices();
    return distributionsOf(problem, model.decode, model.betas,
                           learned::mostProbable(space, learned::probabilitiesOf(space, outputs)));
}

}  // namespace mitos::search::placement
