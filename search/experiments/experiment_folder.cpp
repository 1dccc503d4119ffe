// SPDX-License-Identifier: GPL-3.0-or-later
// See experiment_folder.h.
#include "search/experiments/experiment_folder.h"

#include "core/base/hash.h"
#include "core/base/source_text.h"
#include "core/dialects/dialects.h"
#include "core/egraph/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <system_error>

namespace mitos::search::experiments {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* SettingsFile = "experiment.json";
constexpr const char* ExperimentName = "egraph-mcts";
constexpr int Format = 2;  // since 2, records have digests

/// What all runs of a folder share.
Json settingsOf(const ExperimentPlan& plan) {
    std::uint64_t rules = 0;
    for (const auto& rule : plan.rules.directions) {
        rules = combineHash(combineHash(rules, hashText(rule->name())), hashText(rule->rule().text));
    }
    return {{"experiment", ExperimentName},
            {"format", Format},
            {"rules", plan.ruleSets},
            {"rules_hash", fmt::format("{:016x}", rules)},
            {"cost", plan.costName},
            {"nodes", plan.nodes},
            {"seconds_per_run", plan.secondsPerRun}};
}

Error foreign(const std::string& path, const std::string& reason) {
    return inputError(fmt::format("{}: {}", path, reason), "name another folder, or one that does not exist yet");
}

Status requireSame(const std::string& path, const Json& held, const Json& wanted) {
    for (const auto& [key, value] : wanted.items()) {
        if (held.is_object() && held.contains(key) && held.at(key) == value) continue;
        const std::string other = held.is_object() && held.contains(key) ? held.at(key).dump() : std::string("nothing");
        return Error{ErrorCode::Incompatible,
                     fmt::format("{} holds an experiment of other settings: {} is {} there and {} here", path, key,
                                 other, value.dump()),
                     std::nullopt, "name another folder, or give the same settings"};
    }
    return Success{};
}

std::string pathOf(const std::filesystem::path& folder, const char* below, const std::string& name) {
    return (folder / below / name).string();
}

}  // namespace

Result<ExperimentFolder> ExperimentFolder::open(const ExperimentPlan& plan, const std::string& path) {
    const std::filesystem::path folder(path);
    const std::string settingsPath = (folder / SettingsFile).string();
    std::error_code error;
    const bool isThere = std::filesystem::exists(folder, error);
    if (isThere && !std::filesystem::is_directory(folder, error)) return foreign(path, "this is not a folder");
    if (std::filesystem::exists(settingsPath, error)) {
        MITOS_TRY(const SourceText text, readSourceFile(settingsPath));
        const Json held = Json::parse(text.text(), nullptr, false);
        MITOS_REQUIRE(requireSame(path, held, settingsOf(plan)));
    } else if (isThere && !std::filesystem::is_empty(folder, error)) {
        return foreign(path, fmt::format("the folder is not empty and holds no {}", SettingsFile));
    }
    for (const char* const below : {"runs", "programs", "graphs"}) {
        std::filesystem::create_directories(folder / below, error);
        if (error) {
            return Error{ErrorCode::Io,
                         fmt::format("{} cannot be created: {}", (folder / below).string(), error.message()),
                         std::nullopt, "choose a folder that you may write to"};
        }
    }
    const Json settings = settingsOf(plan);
    MITOS_REQUIRE(writeFile(settingsPath, settings.dump(1) + "\n"));
    return ExperimentFolder(folder, settings.dump());
}

Result<ExperimentSettings> readSettings(const std::string& path) {
    MITOS_TRY(const SourceText text, readSourceFile((std::filesystem::path(path) / SettingsFile).string()));
    const Json settings = Json::parse(text.text(), nullptr, false);
    const bool isOurs = settings.is_object() && settings.value("experiment", Json()) == ExperimentName &&
                        settings.contains("cost") && settings.at("cost").is_string();
    if (!isOurs) return foreign(path, fmt::format("its {} is not that of such an experiment", SettingsFile));
    return ExperimentSettings{.cost = settings.at("cost").get<std::string>(), .text = settings.dump()};
}

std::optional<RunRecord> ExperimentFolder::held(const ExperimentPlan& plan, const RunKey& key) const {
    const std::string path = pathOf(m_path, "runs", nameOf(plan, key) + ".json");
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
    const Result<SourceText> text = readSourceFile(path);
    if (!text) return std::nullopt;
    Result<RunRecord> record = readRecord(std::string(text->text()), m_settings);
    const ComparisonPlan::Subject& subject = plan.programs[key.program];
    const bool isThatRun = record && record->program == subject.name &&
                           record->approach == approaches()[key.approach].name && record->budget == key.budget &&
                           record->seed == key.seed &&
                           record->programHash == hashText(dialects::printProgram(*subject.bank, subject.program));
    return isThatRun ? std::optional(*std::move(record)) : std::nullopt;
}

Status ExperimentFolder::keep(const ExperimentPlan& plan, const RunKey& key, const FinishedRun& run) const {
    const ComparisonPlan::Subject& subject = plan.programs[key.program];
    const std::string name = nameOf(plan, key);
    MITOS_REQUIRE(writeFile(pathOf(m_path, "programs", subject.name + ".txt"),
                            dialects::printProgram(*subject.bank, subject.program) + "\n"));
    MITOS_REQUIRE(writeFile(pathOf(m_path, "programs", name + ".txt"), run.result + "\n"));
    if (run.first) {
        MITOS_REQUIRE(writeFile(pathOf(m_path, "graphs", subject.name + ".first.json"), egraph::writeJson(*run.first)));
    }
    if (run.last) {
        MITOS_REQUIRE(writeFile(pathOf(m_path, "graphs", name + ".last.json"), egraph::writeJson(*run.last)));
    }
    return writeFile(pathOf(m_path, "runs", name + ".json"), writeRecord(run.record, m_settings));
}

}  // namespace mitos::search::experiments
