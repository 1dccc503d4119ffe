// SPDX-License-Identifier: GPL-3.0-or-later
// Standard output and standard error as this program uses them.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>

namespace mitos::cli {

/// While this lives, what is printed on stdout and stderr is shown as printable() text (core/base/printable.h), so that names
/// and comments of files cannot speak to the terminal. A failure to print interrupts no work: that standard error is closed or
/// full changes nothing, and of standard output it is told at the end. Descriptors 0 to 2 that were closed stay unusable: no
/// file of ours takes their numbers.
class StandardStreams {
public:
    StandardStreams();
    ~StandardStreams();
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

    /// Prints what is pending. The errno of the first failure on standard output.
    [[nodiscard]] std::optional<int> finish();
    /// Ends the process as a reader that has gone away ends programs: by SIGPIPE.
    [[noreturn]] static void endByPipe();

private:
    struct Channel;
    std::unique_ptr<Channel> m_output;
    std::unique_ptr<Channel> m_errors;
    FILE* m_oldOutput;
    FILE* m_oldErrors;
};

}  // namespace mitos::cli
