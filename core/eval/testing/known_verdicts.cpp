// SPDX-License-Identifier: GPL-3.0-or-later
// The file is a JSON object: the build, a hash of the verdicts' text, and the verdicts.
#include "core/eval/testing/known_verdicts.h"

#include "core/base/hash.h"
#include "core/base/process_identity.h"
#include "core/base/source_text.h"
#include "core/base/write_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <functional>
#include <map>
#include <ostream>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace mitos::eval {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view NameBegin = "rule-verdicts-";
/// A larger file begins anew with the verdicts of one process.
constexpr std::size_t MostBytes = 8U << 20U;
/// Number of files; those written longest ago are removed.
constexpr std::size_t MostBuilds = 8;

bool isOwnFile(const fs::path& path) {
    struct stat file {};
    return ::lstat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == ::geteuid();
}

std::string textOf(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string hashOf(const Json& verdicts) { return fmt::format("{:016x}", hashText(textOf(verdicts))); }

void removeOldBuilds(const fs::path& folder) {
    std::multimap<fs::file_time_type, fs::path, std::greater<>> files;  // the newest first
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
        std::error_code unreadable;
        const fs::file_time_type time = entry->last_write_time(unreadable);
        if (!unreadable && entry->path().filename().string().starts_with(NameBegin)) files.emplace(time, entry->path());
    }
    std::size_t i = 0;
    for (const auto& [time, path] : files) {
        if (i++ >= MostBuilds) fs::remove(path, code);
    }
}

}  // namespace

KnownVerdicts::KnownVerdicts(const fs::path& folder) : m_build(thisBuild()) {
    if (folder.empty() || m_build.empty()) return;
    m_file = folder / fmt::format("{}{}.json", NameBegin, m_build);
    m_stored = read();
}

KnownVerdicts::ByKey KnownVerdicts::read() const {
    if (m_file.empty() || !isOwnFile(m_file)) return {};
    const Result<SourceText> text = readSourceFile(m_file.string(), MostBytes);
    constexpr std::size_t Levels = 3;
    if (!text || jsonNesting(text->text()) > Levels) return {};
    const Json file = Json::parse(text->text(), nullptr, false);
    if (!file.is_object() || !file.contains("verdicts") || file.value("build", Json()) != m_build) return {};
    const Json& verdicts = file.at("verdicts");
    if (file.value("hash", Json()) != hashOf(verdicts) || !verdicts.is_array()) return {};
    ByKey result;
    for (const Json& one : verdicts) {
        const bool isText = one.is_array() && one.size() == 4 && one[0].is_string() && one[2].is_string() &&
                            one[3].is_string() && one[1].is_number_unsigned();
        if (!isText || one[1].get<std::uint64_t>() > static_cast<std::uint64_t>(Verdict::Untested)) return {};
        result.emplace(one[0].get<std::string>(), KnownVerdict{static_cast<Verdict>(one[1].get<std::uint8_t>()),
                                                               one[2].get<std::string>(), one[3].get<std::string>()});
    }
    return result;
}

const KnownVerdict* KnownVerdicts::find(const std::string& key) const {
    for (const ByKey* const verdicts : {&m_added, &m_stored}) {
        if (const auto found = verdicts->find(key); found != verdicts->end()) return &found->second;
    }
    return nullptr;
}

void KnownVerdicts::add(std::string key, KnownVerdict verdict) {
    m_added.insert_or_assign(std::move(key), std::move(verdict));
    m_isChanged = true;
}

void KnownVerdicts::store() {
    if (m_file.empty() || !std::exchange(m_isChanged, false)) return;
    std::string text = fileOf(read());
    if (text.size() > MostBytes) text = fileOf({});
    if (text.size() > MostBytes) return;
    std::error_code code;
    fs::create_directories(m_file.parent_path(), code);
    const auto write = [&text](std::ostream& stream) -> Status {
        stream << text;
        return Success{};
    };
    if (writeFileWith(m_file.string(), write, Links::Replace)) removeOldBuilds(m_file.parent_path());
}

std::string KnownVerdicts::fileOf(const ByKey& others) const {
    std::map<std::string, KnownVerdict> all(m_added.begin(), m_added.end());  // in the order of their keys
    all.insert(others.begin(), others.end());
    Json verdicts = Json::array();
    for (const auto& [key, one] : all) {
        verdicts.push_back({key, static_cast<std::uint8_t>(one.verdict), one.name, one.reason});
    }
    const std::string hash = hashOf(verdicts);
    return textOf({{"build", m_build}, {"hash", hash}, {"verdicts", std::move(verdicts)}});
}

}  // namespace mitos::eval
