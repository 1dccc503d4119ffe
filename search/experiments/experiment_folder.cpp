// SPDX-License-Identifier: GPL-3.0-or-later
// See experiment_folder.h.
#include "search/experiments/experiment_folder.h"

#include "core/base/source_text.h"
#include "search/experiments/record_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <system_error>

namespace mitos::search::experiments {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* SettingsFile = "experiment.json";
constexpr int Format = 2;  // since 2, records have digests

/// The settings with the experiment they are of.
Json named(const std::string& experiment, const std::string& settings) {
    Json all{{"experiment", experiment}, {"format", Format}};
    all.update(Json::parse(settings));
    return all;
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

Status makeFolder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error) return Success{};
    return Error{ErrorCode::Io, fmt::format("{} cannot be created: {}", folder.string(), error.message()), std::nullopt,
                 "choose a folder that you may write to"};
}

std::string recordPath(const std::filesystem::path& folder, const std::string& run) {
    return (folder / "runs" / (run + ".json")).string();
}

}  // namespace

Result<ExperimentFolder> ExperimentFolder::open(const std::string& experiment, const std::string& settings,
                                                const std::string& path) {
    const std::filesystem::path folder(path);
    const std::string settingsPath = (folder / SettingsFile).string();
    const Json wanted = named(experiment, settings);
    std::error_code error;
    const bool isThere = std::filesystem::exists(folder, error);
    if (isThere && !std::filesystem::is_directory(folder, error)) return foreign(path, "this is not a folder");
    if (std::filesystem::exists(settingsPath, error)) {
        MITOS_TRY(const SourceText text, readSourceFile(settingsPath));
        MITOS_REQUIRE(requireSame(path, Json::parse(text.text(), nullptr, false), wanted));
    } else if (isThere && !std::filesystem::is_empty(folder, error)) {
        return foreign(path, fmt::format("the folder is not empty and holds no {}", SettingsFile));
    }
    MITOS_REQUIRE(makeFolder(folder / "runs"));
    MITOS_REQUIRE(writeFile(settingsPath, wanted.dump(1) + "\n"));
    return ExperimentFolder(folder, wanted.dump());
}

Result<std::string> readSettings(const std::string& experiment, const std::string& path) {
    MITOS_TRY(const SourceText text, readSourceFile((std::filesystem::path(path) / SettingsFile).string()));
    const Json settings = Json::parse(text.text(), nullptr, false);
    if (settings.is_object() && settings.value("experiment", Json()) == Json(experiment)) return settings.dump();
    return foreign(path, fmt::format("its {} is not that of such an experiment", SettingsFile));
}

std::optional<std::string> ExperimentFolder::held(const std::string& run) const {
    const std::string path = recordPath(m_path, run);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
    const Result<SourceText> text = readSourceFile(path);
    if (!text) return std::nullopt;
    Result<std::string> record = openRecord(std::string(text->text()), m_settings);
    return record ? std::optional(*std::move(record)) : std::nullopt;
}

Status ExperimentFolder::keep(const std::string& name, const EndedRun& run) const {
    for (const ExperimentFile& file : run.files) {
        const std::filesystem::path path = m_path / file.path;
        MITOS_REQUIRE(makeFolder(path.parent_path()));
        MITOS_REQUIRE(writeFile(path.string(), file.text));
    }
    return writeFile(recordPath(m_path, name), sealRecord(run.record, m_settings));
}

}  // namespace mitos::search::experiments
