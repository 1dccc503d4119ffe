// SPDX-License-Identifier: GPL-3.0-or-later
// See compare_sessions.h.
#include "app/cli/compare_sessions.h"

#include "storage/workspace/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mitos::cli {

std::string CompareSessions::nextPath(const std::string& program) const {
    if (m_path.empty() || m_paths.empty()) return m_path;
    const std::filesystem::path first(m_path);
    std::string name = std::filesystem::path(program).stem().string();
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; }, '-');
    std::string path;
    for (int n = 1; path.empty() || std::ranges::find(m_paths, path) != m_paths.end(); ++n) {
        const std::string number = n == 1 ? std::string() : fmt::format("-{}", n);
        path = (first.parent_path() /
                fmt::format("{}-{}{}{}", first.stem().string(), name, number, first.extension().string()))
                   .string();
    }
    return path;
}

Status CompareSessions::add(const std::string& path, const CommonOptions& options, OpenProgram& program,
                            const cost::CostModel& model) {
    if (path.empty()) return mitos::Success{};
    MITOS_TRY(SessionLog log, SessionLog::open(path, options, program, model));
    m_logs.push_back(std::move(log));
    m_paths.push_back(path);
    return mitos::Success{};
}

Status CompareSessions::join() {
    if (m_paths.size() < 2) return mitos::Success{};
    Json others = Json::array();
    for (auto path = m_paths.begin() + 1; path != m_paths.end(); ++path) {
        std::error_code unknown;
        const std::filesystem::path whole = std::filesystem::absolute(*path, unknown);
        others.push_back(unknown ? *path : whole.string());
    }
    return m_logs.front().setViewValue(storage::ComparedSessionsKey, others.dump());
}

search::BeginLog CompareSessions::recordingOf(std::size_t program) const {
    return m_logs.empty() ? search::BeginLog() : m_logs[program].recording();
}

}  // namespace mitos::cli
