// SPDX-License-Identifier: GPL-3.0-or-later
// posix_spawn, pipes and a poll loop.
#include "core/base/child_process.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

namespace mitos {

namespace {

constexpr int PollMilliseconds = 10;

Error ioError(std::string message, std::string hint = {}) {
    return Error{ErrorCode::Io, std::move(message), std::nullopt, std::move(hint), {}};
}

/// A file descriptor that closes itself.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~Descriptor() { close(); }
    void close() {
        if (m_fd >= 0) ::close(m_fd);
        m_fd = -1;
    }
    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }

private:
    int m_fd = -1;
};

struct Pipe {
    Descriptor read;
    Descriptor write;
};

std::optional<Pipe> makePipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Reads what is there; closes the descriptor at its end.
void drain(Descriptor& from, std::string& into, std::size_t maxOutput) {
    std::array<char, 1U << 16U> buffer{};
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count > 0) {
        const std::size_t room = maxOutput - std::min(maxOutput, into.size());
        into.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        from.close();
    }
}

/// Writes what the pipe takes; closes it when all is written or the reader is gone.
void feed(Descriptor& to, std::string_view& pending) {
    const ssize_t count = ::write(to.get(), pending.data(), pending.size());
    if (count >= 0) pending.remove_prefix(static_cast<std::size_t>(count));
    if (pending.empty() || (count < 0 && errno != EINTR && errno != EAGAIN)) to.close();
}

/// SIGPIPE would end this process when a child stops reading; blocked for this thread while it feeds one.
class BlockPipeSignal {
public:
    BlockPipeSignal() {
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe, &m_before);
    }
    ~BlockPipeSignal() {
        sigset_t pipe;
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        constexpr timespec Now{0, 0};
        if (sigismember(&m_before, SIGPIPE) == 0) sigtimedwait(&pipe, nullptr, &Now);
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    BlockPipeSignal(const BlockPipeSignal&) = delete;
    BlockPipeSignal& operator=(const BlockPipeSignal&) = delete;

private:
    sigset_t m_before{};
};

/// Starts the program as the leader of a process group of its own; the pid, or errno as a negative number.
pid_t spawn(const std::vector<std::string>& command, const std::string& folder, int in, int out, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = -1;
    const int code = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0 ? pid : -code;
}

}  // namespace

Result<ChildOutput> runChild(const std::vector<std::string>& command, const ChildOptions& options) {
    std::optional<Pipe> in = makePipe();
    std::optional<Pipe> out = makePipe();
    std::optional<Pipe> err = makePipe();
    if (!in || !out || !err) return ioError(fmt::format("no pipe to {}: {}", command[0], std::strerror(errno)));
    const BlockPipeSignal noPipeSignal;
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const pid_t pid = spawn(command, options.folder, in->read.get(), out->write.get(), err->write.get());
    if (pid == -ENOENT) {
        return ioError(fmt::format("the program {} was not found", command[0]),
                       fmt::format("install it, or put it on the PATH ({})", command[0]));
    }
    if (pid < 0) return ioError(fmt::format("{} could not be started: {}", command[0], std::strerror(-pid)));
    if (options.memoryBytes > 0) {
        const rlimit limit{options.memoryBytes, options.memoryBytes};
        ::prlimit(pid, RLIMIT_AS, &limit, nullptr);
    }
    in->read.close();
    out->write.close();
    err->write.close();
    ::fcntl(in->write.get(), F_SETFL, O_NONBLOCK);

    ChildOutput result;
    std::string_view pending = options.input;
    if (pending.empty()) in->write.close();
    std::optional<Error> ended;
    int status = 0;
    bool exited = false;
    // The child may close its outputs long before it ends, and what it started may keep them open after it ended.
    while (!exited || out->read.isOpen() || err->read.isOpen()) {
        if (options.stop.stop_requested())
            ended = Error{ErrorCode::Cancelled, command[0] + " was stopped", std::nullopt, {}, {}};
        if (elapsed() > options.seconds) {
            ended = Error{ErrorCode::Limit,
                          fmt::format("{} took longer than {} s and was stopped", command[0], options.seconds),
                          std::nullopt,
                          {},
                          {}};
        }
        if (ended) break;
        std::array<pollfd, 3> fds{
            {{out->read.get(), POLLIN, 0}, {err->read.get(), POLLIN, 0}, {in->write.get(), POLLOUT, 0}}};
        ::poll(fds.data(), fds.size(), PollMilliseconds);
        if (fds[0].revents != 0) drain(out->read, result.output, options.maxOutput);
        if (fds[1].revents != 0) drain(err->read, result.errors, options.maxOutput);
        if (fds[2].revents != 0) feed(in->write, pending);
        const bool silent = fds[0].revents == 0 && fds[1].revents == 0;
        if (!exited) {
            exited = ::waitpid(pid, &status, WNOHANG) == pid;
        } else if (silent) {
            break;
        }
    }
    if (!exited || ended) ::kill(-pid, SIGKILL);
    if (!exited) ::waitpid(pid, &status, 0);
    if (ended) return *ended;
    result.exitStatus = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.seconds = elapsed();
    return result;
}

Result<TemporaryFolder> TemporaryFolder::make() {
    std::error_code code;
    const std::filesystem::path base = std::filesystem::temp_directory_path(code);
    if (code) {
        return ioError(fmt::format("no folder for temporary files: {}", code.message()),
                       "set TMPDIR to a writable folder");
    }
    std::string pattern = (base / "mitos-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        return ioError(fmt::format("{} cannot be written ({})", base.string(), std::strerror(errno)),
                       "set TMPDIR to a writable folder with free space");
    }
    return TemporaryFolder(std::move(pattern));
}

TemporaryFolder::~TemporaryFolder() {
    if (m_path.empty()) return;
    std::error_code ignored;  // a temporary folder that cannot be removed is nobody's error
    std::filesystem::remove_all(m_path, ignored);
}

}  // namespace mitos
