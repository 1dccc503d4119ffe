// SPDX-License-Identifier: GPL-3.0-or-later
// Implements the streams with custom write functions of the GNU C library (fopencookie).
#include "app/cli/standard_streams.h"

#include "core/base/printable.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace mitos::cli {

namespace {

/// Opens closed standard descriptors in a mode that makes them unusable: reading fails on 0, writing on 1 and 2.
void occupyClosedDescriptors() {
    constexpr std::array Modes{O_WRONLY, O_RDONLY, O_RDONLY};
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // open() returns the lowest free descriptor, which is this one.
        static_cast<void>(::open("/dev/null", Modes[static_cast<std::size_t>(descriptor)]));
    }
}

/// The length of the longest prefix that does not end inside a UTF-8 sequence; later text may complete the rest.
std::size_t wholeSequences(std::string_view text) {
    constexpr std::size_t Longest = 4;
    for (std::size_t back = 1; back < Longest && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0U) == 0x80U) continue;  // a continuation byte
        const std::size_t length = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
        return length > back ? text.size() - back : text.size();
    }
    return text.size();
}

}  // namespace

struct StandardStreams::Channel {
    int descriptor;
    FILE* stream = nullptr;
    std::string incomplete = {};  ///< the beginning of a UTF-8 sequence
    int failure = 0;

    explicit Channel(int number) : descriptor(number) {
        cookie_io_functions_t functions{};
        functions.write = [](void* channel, const char* text, std::size_t count) -> ssize_t {
            static_cast<Channel*>(channel)->write({text, count});
            return static_cast<ssize_t>(count);
        };
        stream = ::fopencookie(this, "w", functions);
        if (stream == nullptr) return;
        constexpr std::size_t BufferBytes = 1U << 16U;
        const bool isWatched = ::isatty(descriptor) != 0;
        const int mode = descriptor == STDERR_FILENO || isWatched ? _IOLBF : _IOFBF;
        static_cast<void>(std::setvbuf(stream, nullptr, mode, BufferBytes));
    }
    ~Channel() {
        if (stream != nullptr) std::fclose(stream);
        send(printable(incomplete));
    }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    void write(std::string_view text) {
        std::string joined;
        if (!incomplete.empty()) {
            joined = incomplete + std::string(text);
            text = joined;
        }
        const std::size_t whole = wholeSequences(text);
        const std::string rest(text.substr(whole));
        send(printable(text.substr(0, whole)));
        incomplete = rest;
    }

    void send(std::string_view text) {
        while (!text.empty() && failure == 0) {
            const ssize_t sent = ::write(descriptor, text.data(), text.size());
            if (sent < 0 && errno != EINTR) failure = errno;
            if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
};

StandardStreams::StandardStreams() : m_oldOutput(stdout), m_oldErrors(stderr) {
    occupyClosedDescriptors();
    // With SIGPIPE ignored, a reader that goes away causes a failed write, so the result of a search is not lost with the pipe.
    std::signal(SIGPIPE, SIG_IGN);
    m_output = std::make_unique<Channel>(STDOUT_FILENO);
    m_errors = std::make_unique<Channel>(STDERR_FILENO);
    if (m_output->stream != nullptr) stdout = m_output->stream;
    if (m_errors->stream != nullptr) stderr = m_errors->stream;
}

StandardStreams::~StandardStreams() {
    stdout = m_oldOutput;
    stderr = m_oldErrors;
}

std::optional<int> StandardStreams::finish() {
    std::fflush(stdout);
    std::fflush(stderr);
    return m_output->failure == 0 ? std::nullopt : std::optional(m_output->failure);
}

void StandardStreams::endByPipe() {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
    std::_Exit(128 + SIGPIPE);
}

}  // namespace mitos::cli
