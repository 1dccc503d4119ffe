// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/random_keys/checkpoint.h"

#include "core/base/hash.h"
#include "core/base/read_file.h"
#include "core/base/source_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace mitos::random_keys {

namespace {

constexpr std::string_view FileFormat = "mitos-checkpoint";
constexpr int FileVersion = 1;
constexpr std::size_t LargestHeader = 1U << 16U;
constexpr std::size_t LargestFile = std::size_t{1} << 34U;
constexpr const char* NameAnother = "name another file, or remove this one to begin anew";

std::string digestOf(std::string_view text) { return fmt::format("{:016x}", hashText(text)); }

std::chrono::steady_clock::time_point afterPause(std::chrono::steady_clock::duration saving) {
    constexpr std::chrono::steady_clock::duration Pause = std::chrono::seconds(5);
    constexpr int LeastShare = 20;
    return std::chrono::steady_clock::now() + std::max(Pause, saving * LeastShare);
}

/// The first setting that differs, in words; empty if none does.
std::string difference(const State& there, const State& here) {
    const Settings& a = there.settings;
    const Settings& b = here.settings;
    const auto differ = [](const char* name, const auto& x, const auto& y) -> std::string {
        return x == y ? std::string() : fmt::format("{} {} instead of {}", name, x, y);
    };
    for (const std::string& one :
         {differ("seed", a.seed, b.seed), differ("population", a.population, b.population),
          differ("elites", a.elites, b.elites), differ("mutants", a.mutants, b.mutants),
          differ("inheritance", a.inheritance, b.inheritance), differ("islands", a.islands, b.islands),
          differ("exchange after generations", a.exchangeEvery, b.exchangeEvery),
          differ("exchanged individuals", a.exchanged, b.exchanged),
          differ("shake after generations", a.shakeAfter, b.shakeAfter),
          differ("intensity of shaking", a.shakeIntensity, b.shakeIntensity),
          differ("relink after generations", a.relinkEvery, b.relinkEvery),
          differ("reset after generations", a.resetAfter, b.resetAfter), differ("genes", there.genes, here.genes)}) {
        if (!one.empty()) return one;
    }
    if (a.inheritanceOfGene != b.inheritanceOfGene) return "other probabilities of inheritance of genes";
    return a.mutantKeys == b.mutantKeys ? std::string() : "other distributions of mutants";
}

}  // namespace

Checkpoint::Checkpoint(std::string path, SearchIdentity identity)
    : m_path(std::move(path)),
      m_identity(std::move(identity)),
      m_next(afterPause({})) {}

Result<std::string> Checkpoint::read() const {
    if (isDescriptorName(m_path)) return inputError("a checkpoint is a file", "give the name of one");
    std::error_code failure;
    if (std::filesystem::status(m_path, failure).type() == std::filesystem::file_type::not_found) return std::string();
    MITOS_TRY(const SourceText text, readSourceFile(m_path, LargestFile));
    // An empty file is one that was damaged.
    return text.text().empty() ? std::string("\n") : std::string(text.text());
}

Result<State> Checkpoint::stateIn(std::string_view text, const State& fresh) const {
    const auto refused = [this](ErrorCode code, std::string_view why, const char* hint = NameAnother) {
        return Error{code, fmt::format("{}: {}", m_path, why), std::nullopt, hint};
    };
    const std::size_t end = text.find('\n');
    const std::string_view first = text.substr(0, std::min(end, LargestHeader));
    const nlohmann::json header =
        jsonNesting(first) > 2 ? nlohmann::json() : nlohmann::json::parse(first, nullptr, false);
    const auto entry = [](const nlohmann::json& object, std::string_view name) {
        const auto found = object.is_object() ? object.find(name) : object.end();
        return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    if (end == std::string_view::npos || entry(header, "format") != FileFormat)
        return refused(ErrorCode::Parse, "is not the checkpoint of a search");
    const nlohmann::json version = header.value("version", nlohmann::json());
    if (version != FileVersion) {
        const bool isNewer = version.is_number_integer() && version > FileVersion;
        return refused(ErrorCode::Incompatible,
                       fmt::format("is a checkpoint of {} version of Mitos", isNewer ? "a newer" : "another"),
                       isNewer ? "go on with that version, or name another file" : NameAnother);
    }
    const nlohmann::json identity = header.value("search", nlohmann::json());
    std::string others;
    for (const auto& [name, value] : m_identity) {
        if (entry(identity, name) != value) others += (others.empty() ? "" : " and ") + name;
    }
    if (!others.empty() || identity.size() != m_identity.size()) {
        return refused(ErrorCode::Incompatible,
                       fmt::format("is the checkpoint of another search: it differs in {}", others));
    }
    const std::string_view rest = text.substr(end + 1);
    if (entry(header, "digest") != digestOf(rest))
        return refused(ErrorCode::Parse, "is damaged: its digest is not that of its content");
    Result<State> state = readState(rest);
    if (!state) return refused(state.error().code, state.error().message);
    const std::string setting = difference(*state, fresh);
    if (setting.empty()) {
        // How limits are looked at is no property of the search.
        state->settings.batch = fresh.settings.batch;
        return state;
    }
    return refused(ErrorCode::Incompatible,
                   fmt::format("is the checkpoint of a search with other settings: {}", setting),
                   "use the same settings, or name another file");
}

Status Checkpoint::save(const State& state) const {
    const std::string rest = toJson(state);
    nlohmann::json identity = nlohmann::json::object();
    for (const auto& [name, value] : m_identity) identity[name] = value;
    const nlohmann::json header{
        {"format", FileFormat}, {"version", FileVersion}, {"search", std::move(identity)}, {"digest", digestOf(rest)}};
    return writeFile(m_path, header.dump() + "\n" + rest);
}

bool Checkpoint::isDue() { return std::chrono::steady_clock::now() >= m_next; }

void Checkpoint::keep(const State& state) {
    const auto begin = std::chrono::steady_clock::now();
    // The file before stays if this fails; the next attempt, or the one at the end, may succeed.
    static_cast<void>(save(state));
    m_next = afterPause(std::chrono::steady_clock::now() - begin);
}

Result<State> continued(const Checkpoint& checkpoint, State fresh, Team* team) {
    std::string text;
    if (team == nullptr || team->isFirst()) {
        MITOS_TRY(text, checkpoint.read());
    }
    if (team != nullptr) {
        MITOS_TRY(text, fromFirst(*team, text));
    }
    if (text.empty()) return fresh;
    return checkpoint.stateIn(text, fresh);
}

}  // namespace mitos::random_keys
