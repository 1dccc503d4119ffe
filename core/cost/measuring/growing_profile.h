// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a profile while operations are measured into it.
#pragma once

#include "core/cost/profile.h"

#include <chrono>
#include <string>

namespace mitos::cost {

/// Writes a profile to a file while it grows, so that a killed program leaves most of it. Other programs may measure into the same file
/// meanwhile: their times are kept. Used by one thread.
class GrowingProfile {
public:
    /// The profile must outlive this object.
    GrowingProfile(std::string path, CostProfile& profile) : m_path(std::move(path)), m_profile(profile) {}

    /// Adds the times that the file has by now to the profile, and writes it; a profile without operations is not written. "-" is
    /// standard output, which has no times. Fails, and leaves the file as it is, if that is no profile or one of another setup.
    [[nodiscard]] Status write();
    /// The same if the last time was 20 seconds ago, except on standard output. Errors are those of the next write().
    void writeIfDue();

private:
    std::string m_path;
    CostProfile& m_profile;
    std::chrono::steady_clock::time_point m_written;  ///< long ago: the first operation is written at once
};

}  // namespace mitos::cost
