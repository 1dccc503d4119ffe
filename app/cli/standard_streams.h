// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps standard output and standard error.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>

namespace mitos::cli {

/// During the lifetime of this object, text on stdout and stderr passes through printable() (core/base/printable.h), so that names and
/// comments from files cannot send control sequences to the terminal. A failure to print does not interrupt the work: failures of
/// standard error are ignored, and those of standard output are reported at the end by finish(). Descriptors 0 to 2 that were closed
/// stay unusable, so that no file opened later gets their numbers.
class StandardStreams {
public:
    StandardStreams();
    ~StandardStreams();
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

    /// Flushes both streams. Returns the errno of the first failure on standard output, if any.
    [[nodiscard]] std::optional<int> finish();
    /// Ends the process by SIGPIPE, as usual when the reader of a pipe has gone away.
    [[noreturn]] static void endByPipe();

private:
    struct Channel;
    std::unique_ptr<Channel> m_output;
    std::unique_ptr<Channel> m_errors;
    FILE* m_oldOutput;
    FILE* m_oldErrors;
};

}  // namespace mitos::cli
