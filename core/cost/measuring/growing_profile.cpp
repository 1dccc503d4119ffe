// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/growing_profile.h"

#include <filesystem>
#include <utility>

namespace mitos::cost {

namespace {

constexpr std::string_view StandardOutput = "-";

}  // namespace

Status GrowingProfile::write() {
    if (m_profile.times.empty() && m_profile.refused.empty()) return Success{};
    m_written = std::chrono::steady_clock::now();
    std::error_code unknown;
    if (m_path != StandardOutput && std::filesystem::exists(m_path, unknown)) {
        MITOS_TRY(const SourceText text, readSourceFile(m_path));
        MITOS_TRY(CostProfile all, readProfile(m_path, text.text()));
        if (all.times.empty() && all.refused.empty()) all.setup = m_profile.setup;
        MITOS_REQUIRE(merge(all, m_profile));
        m_profile.times = std::move(all.times);
        m_profile.refused = std::move(all.refused);
        m_profile.drift = all.drift;
    }
    return writeFile(m_path, profileText(m_profile));
}

void GrowingProfile::writeIfDue() {
    constexpr std::chrono::seconds Interval(20);
    if (m_path == StandardOutput || std::chrono::steady_clock::now() - m_written < Interval) return;
    static_cast<void>(write());
}

}  // namespace mitos::cost
