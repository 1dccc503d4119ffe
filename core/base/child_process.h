// SPDX-License-Identifier: GPL-3.0-or-later
// Other programs (dot, a C++ compiler, a solver) as child processes: time-limited, cancellable, output captured.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace mitos {

struct ChildOptions {
    std::string input = {};              ///< written to its standard input
    double seconds = 60.0;               ///< killed after that
    std::uint64_t memoryBytes = 0;       ///< address space limit; 0: none
    std::size_t maxOutput = 64U << 20U;  ///< bytes kept of standard output and of standard error; the rest is dropped
    std::string folder = {};             ///< working folder, also for its temporary files; empty: this process's
    std::stop_token stop = {};           ///< killed when requested
};

struct ChildOutput {
    int exitStatus = 0;  ///< 128 + signal if a signal ended it
    std::string output;
    std::string errors;
    double seconds = 0.0;
};

/// Runs a program found on PATH and waits for it; it is killed with everything it started, also when this process ends in whatever
/// way. Errors: not found (the hint
/// names it), timed out (Limit), stopped (Cancelled), Io. A non-zero exit status is not an error here.
[[nodiscard]] Result<ChildOutput> runChild(const std::vector<std::string>& command, const ChildOptions& options = {});

/// A private folder under the system's temporary folder (TMPDIR is honoured), removed with its content on destruction. What a
/// killed process left is removed by the next that makes one, or cleans up.
class TemporaryFolder {
public:
    [[nodiscard]] static Result<TemporaryFolder> make();
    /// When a program starts: removes the folders of processes that were killed.
    static void cleanUp();
    TemporaryFolder(TemporaryFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(m_path, other.m_path);
        return *this;
    }
    ~TemporaryFolder();
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    explicit TemporaryFolder(std::string path) : m_path(std::move(path)) {}
    std::string m_path;
};

}  // namespace mitos
