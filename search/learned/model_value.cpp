// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/model_value.h"

#include "core/base/hash.h"
#include "core/base/json_field.h"
#include "core/base/read_file.h"
#include "core/base/time_limit.h"
#include "search/learned/model_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace mitos::search::learned {

namespace {

using nlohmann::json;

constexpr double PercentOfOne = 100.0;
/// The kind of models in texts that do not state it, which earlier versions wrote.
constexpr const char* FirstKind = "policy";

Result<std::string> digestOfFile(const std::string& path) {
    MITOS_TRY(std::ifstream file, openFile(path));
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (file.bad()) return Error{ErrorCode::Io, fmt::format("{} cannot be read", path), std::nullopt, ""};
    return fmt::format("{:016x}", hashText(content));
}

}  // namespace

bool ModelValue::readDescription(const json& description) {
    if (!description.is_object()) return false;
    m_description = description;
    // That of a policy says it in another field.
    for (const char* const field : {"about", "machine"}) readField(description, field, m_about);
    return !description.contains("curve") || readCurve(description["curve"], m_curve);
}

Result<ModelValue> ModelValue::of(const std::string& path, std::string_view modelKind) {
    std::error_code unknown;
    MITOS_TRY(const ModelFile file, loadModel(path));
    MITOS_TRY(const std::vector<float> parameters, parametersIn(file, path, modelKind, modelKind));
    ModelValue value;
    value.m_path = std::filesystem::absolute(path, unknown).string();
    MITOS_TRY(value.m_digest, digestOfFile(path));
    value.m_modelKind = modelKind;
    value.m_parameterCount = parameters.size();
    if (!value.readDescription(json::parse(file.description, nullptr, false)))
        return unusableModel(path, "its description cannot be read", modelKind);
    return value;
}

Result<ModelValue> ModelValue::from(std::string_view text) {
    const json whole = json::parse(text, nullptr, false);
    const auto path = whole.is_object() ? fieldOf<std::string>(whole, "file") : std::nullopt;
    const auto digest = whole.is_object() ? fieldOf<std::string>(whole, "hash") : std::nullopt;
    ModelValue value;
    if (!path || !digest || !whole.contains("description") || !value.readDescription(whole["description"]))
        return Error{ErrorCode::Parse, "the text is not that of a model", std::nullopt, ""};
    value.m_path = *path;
    value.m_digest = *digest;
    value.m_modelKind = fieldOf<std::string>(whole, "kind").value_or(FirstKind);
    return value;
}

std::string ModelValue::summary() const {
    const std::string improvement = improvementText(m_curve);
    return fmt::format("{}, {}{}", std::filesystem::path(m_path).filename().string(), m_about,
                       improvement.empty() ? "" : ", " + improvement);
}

std::string ModelValue::text() const {
    return json{{"file", m_path}, {"hash", m_digest}, {"kind", m_modelKind}, {"description", m_description}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
}

std::optional<std::string> ModelValue::fault(const ir::TermBank& /*bank*/, const ir::Program& /*program*/,
                                             const std::stop_token& /*stop*/) const {
    const Result<std::string> digest = digestOfFile(m_path);
    if (!digest) return digest.error().oneLine();
    if (*digest != m_digest) return fmt::format("{} has changed since the training", m_path);
    const Result<ModelValue> read = of(m_path, m_modelKind);
    return read ? std::nullopt : std::optional(read.error().oneLine());
}

std::string improvementText(const std::vector<CurvePoint>& curve) {
    const CurvePoint* const best = bestIn(curve);
    if (best == nullptr) return {};
    return fmt::format("{:+.2f} % at step {}; {} better, {} worse", PercentOfOne * best->improvement, best->step,
                       best->better, best->worse);
}

std::string pathsText(const std::vector<std::string>& paths) { return fmt::format("{}", fmt::join(paths, "\n")); }

std::vector<std::string> pathsIn(std::string_view text) {
    std::vector<std::string> paths;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) paths.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return paths;
}

bool validates(std::size_t number, std::size_t count) {
    const bool isLastOfFew = count < ValidationShare && number + 1 == count;
    return number % ValidationShare == ValidationShare - 1 || isLastOfFew;
}

Result<SearchResult> runTraining(const ModelTraining& training, const SearchProblem& problem,
                                 const std::stop_token& stop, Observer& observer) {
    const TimeLimit clock(0.0, {});
    SearchResult result;
    result.bank = std::make_shared<ir::TermBank>(problem.bank.sharedRegistry());
    result.thread = rewrite::transplant(problem.bank, rewrite::Thread{problem.program, {}, {}}, *result.bank);
    result.check = rewrite::check(*result.bank, result.thread);
    const ir::Program& start = result.thread.start;
    MITOS_TRY(result.initialCost, problem.cost->evaluator(*result.bank, start.function)->cost(start.root, stop));
    result.costs = {result.initialCost};
    result.bestCost = result.initialCost;

    if (!training.model.ends_with(ModelEnding) || training.model.size() == ModelEnding.size()) {
        return inputError(fmt::format("the file of the model, \"{}\", does not end in {}", training.model, ModelEnding),
                          "name a file to write, such as my.model");
    }
    std::error_code unknown;
    const std::string path = std::filesystem::absolute(training.model, unknown).string();
    SearchEvent event;
    event.cost = event.best = result.initialCost;
    const auto send = [&](EventBody what) {
        event.what = std::move(what);
        event.seconds = clock.elapsed();
        observer.onEvent(event);
    };
    std::uint32_t last = 0;
    send(Started{});
    MITOS_REQUIRE(training.train(path, [&](const TrainingProgress& progress, std::uint32_t validating) {
        last = progress.curve.back().step;
        send(Validated{progress.curve.back(), validating});
        observer.onBest([&]() -> std::optional<BestSoFar> {
            Result<ModelValue> value = ModelValue::of(path, training.modelKind);
            if (!value) return std::nullopt;
            BestSoFar best{std::make_shared<ir::TermBank>(result.bank->sharedRegistry()), {}, result.costs};
            best.thread = rewrite::transplant(*result.bank, result.thread, *best.bank);
            best.outcome = std::make_shared<const ModelValue>(*std::move(value));
            best.outcomeCost = result.initialCost;
            return best;
        });
    }));
    MITOS_TRY(ModelValue value, ModelValue::of(path, training.modelKind));
    result.outcome = std::make_shared<const ModelValue>(std::move(value));
    result.statistics.seconds = clock.elapsed();
    const bool isAtLastStep = training.steps > 0 && last >= training.steps;
    result.reason = stop.stop_requested() ? StopReason::Stopped
                    : isAtLastStep        ? StopReason::Iterations
                                          : StopReason::Seconds;
    send(Finished{result.reason});
    return result;
}

}  // namespace mitos::search::learned
