// SPDX-License-Identifier: GPL-3.0-or-later
// Runs other programs (dot, a C++ compiler, a solver) as child processes with a time limit, cancellation and captured output.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos {

struct ChildOptions {
    std::string input = {};              ///< written to the program's standard input
    double seconds = 60.0;               ///< time limit; the program is killed after it
    std::uint64_t memoryBytes = 0;       ///< address space limit; 0 means no limit
    std::size_t maxOutput = 64U << 20U;  ///< bytes kept of standard output and of standard error, each
    std::string folder = {};             ///< working folder and folder for temporary files; empty: this process's
    std::stop_token stop = {};           ///< the program is killed when a stop is requested
    /// The whole environment, as "NAME=value"; none: this process's own.
    std::optional<std::vector<std::string>> environment = {};
    /// Receives each line of standard output as it comes, without its end, in the calling thread. ChildOutput::output then has what
    /// follows the last whole line. An error that it returns kills the program, and is the result. It must return soon, as the program
    /// is not fed meanwhile.
    std::function<Status(std::string_view line)> onLine = {};
    /// The program is killed when it prints no line for so long (with onLine), or when its first line takes longer than `firstLineSeconds`.
    double silentSeconds = std::numeric_limits<double>::infinity();
    double firstLineSeconds = std::numeric_limits<double>::infinity();
};

struct ChildOutput {
    int exitStatus = 0;  ///< 128 + signal if a signal ended it
    std::string output;
    std::string errors;
    double seconds = 0.0;
};

/// Runs a program found on PATH and waits for it. When the program is killed, everything it started is killed too; this also happens
/// when this process ends, however it ends. Errors: the program is not found (Io; the hint names it), it exceeds a time limit or prints
/// a line longer than maxOutput (Limit), it is stopped (Cancelled), or it cannot be started or waited for (Io). A non-zero exit status
/// is not an error here.
[[nodiscard]] Result<ChildOutput> runChild(const std::vector<std::string>& command, const ChildOptions& options = {});

/// A private folder under the system's temporary folder (TMPDIR is honoured). It is removed with its content on destruction. Folders
/// left by killed processes are removed by the next call of make() or cleanUp().
class TemporaryFolder {
public:
    [[nodiscard]] static Result<TemporaryFolder> make();
    /// Removes the folders of processes that were killed. Programs call it when they start.
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
