// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/learning_output.h"

#include "app/cli/session_log.h"
#include "search/learned/model_fields.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace mitos::cli {

namespace {

Json pointJson(const search::CurvePoint& point) {
    return {{"step", point.step},      {"seconds", point.seconds}, {"improvement", point.improvement},
            {"better", point.better},  {"worse", point.worse},     {"reward", point.reward},
            {"entropy", point.entropy}};
}

void printPoint(const search::CurvePoint& point, std::size_t subjects) {
    constexpr double Percent = 100.0;
    fmt::print("{:>7} {:>9.1f} {:>+11.2f} % {:>6} / {:<6} {:>9.4f} {:>8.3f}\n", point.step, point.seconds,
               Percent * point.improvement, point.better, subjects, point.reward, point.entropy);
    std::fflush(stdout);
}

}  // namespace

Status checkTrainingFiles(const std::string& model, const std::string& session, const std::string& what,
                          const std::vector<std::string>& inputs) {
    if (!model.ends_with(search::learned::ModelEnding)) {
        return inputError(fmt::format("-o {}: names of models end in {}", model, search::learned::ModelEnding),
                          "strategies recognize them by it");
    }
    std::vector<NamedFile> read;
    for (const std::string& file : inputs) read.push_back({what, file});
    std::vector<NamedFile> outputs = sessionFiles(session);
    outputs.push_back({"-o", model});
    outputs.push_back({"the state of the training", search::learned::trainingPath(model)});
    return requireOutputs(CommonOptions(), outputs, read);
}

void CurvePrinter::onEvent(const search::SearchEvent& event) {
    const auto* const validated = event.as<search::Validated>();
    if (validated == nullptr) return;
    m_subjects = validated->graphs;
    if (!m_isEnabled) return;
    if (!std::exchange(m_hasHead, true)) {
        fmt::print("{:>7} {:>9} {:>13} {:>15} {:>9} {:>8}\n", "step", "seconds", "improvement", "better", "reward",
                   "entropy");
    }
    printPoint(validated->point, validated->graphs);
}

Result<const search::learned::ModelValue*> modelOf(const search::JudgedRun& over, const std::string& output) {
    if (over.error) return *over.error;
    const auto* const value =
        over.result ? dynamic_cast<const search::learned::ModelValue*>(over.result->outcome.get()) : nullptr;
    if (value != nullptr) return value;
    const bool isKnown = over.refused && over.refused->verdict.outcome;
    return Error{ErrorCode::Io, isKnown ? over.refused->verdict.outcome->fault : output + " was not written",
                 std::nullopt, ""};
}

Json trainingJson(const search::learned::ModelValue& model, const std::string& output, const Json& more) {
    Json json{{"model", output}};
    json.update(more);
    Json points = Json::array();
    for (const search::CurvePoint& point : model.curve()) points.push_back(pointJson(point));
    json["parameters"] = model.parameterCount();
    json["best"] = pointJson(*search::bestIn(model.curve()));
    json["curve"] = std::move(points);
    return json;
}

}  // namespace mitos::cli
