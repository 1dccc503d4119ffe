// SPDX-License-Identifier: GPL-3.0-or-later
// Runs child processes below a shell that guards them, with pipes and a poll loop.
#include "core/base/child_process.h"

#include "core/base/process_identity.h"
#include "core/base/write_file.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace mitos {

namespace {

constexpr int PollMilliseconds = 10;

Error ioError(std::string message, std::string hint = {}) {
    return Error{ErrorCode::Io, std::move(message), std::nullopt, std::move(hint)};
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

/// Reads the available bytes; closes the descriptor at end of file.
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

/// Writes as much as the pipe accepts; closes it when everything is written or the reader is gone.
void feed(Descriptor& to, std::string_view& pending) {
    const ssize_t count = ::write(to.get(), pending.data(), pending.size());
    if (count >= 0) pending.remove_prefix(static_cast<std::size_t>(count));
    if (pending.empty() || (count < 0 && errno != EINTR && errno != EAGAIN)) to.close();
}

/// Blocks SIGPIPE for this thread while it feeds a child: the signal would end this process when the child stops reading.
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

/// A shell between this process and the program. The kernel signals the shell when this process ends, and the shell then kills the
/// whole process group. (The program alone could receive that signal too, but not the processes it starts.) $0 is the folder for
/// temporary files, if any.
constexpr const char* Guard = R"(trap 'kill -9 0' TERM
[ -z "$0" ] || export TMPDIR="$0"
exec 3<&0 </dev/null
"$@" <&3 3<&- &
exec 3<&-
wait "$!")";
constexpr const char* Shell = "/bin/sh";

/// Searches for the file that execvp would run. Returns 0 if there is one, else errno as a negative number.
int findProgram(const std::string& name, const std::string& folder) {
    namespace fs = std::filesystem;
    const auto mayRun = [&folder](const fs::path& path) {
        const fs::path whole = folder.empty() ? path : fs::path(folder) / path;
        std::error_code code;
        if (!fs::exists(whole, code)) return -ENOENT;
        return fs::is_regular_file(whole, code) && ::access(whole.c_str(), X_OK) == 0 ? 0 : -EACCES;
    };
    if (name.find('/') != std::string::npos) return mayRun(name);
    const char* const variable = std::getenv("PATH");
    std::string_view paths = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    int found = -ENOENT;
    while (found != 0) {
        const std::string_view one = paths.substr(0, paths.find(':'));
        if (const int answer = mayRun(fs::path(one) / name); answer != -ENOENT) found = answer;
        if (one.size() == paths.size()) break;
        paths.remove_prefix(one.size() + 1);
    }
    return found;
}

/// Parameters of the child between vfork and exec. The child must not allocate there: it shares the memory of this thread, which
/// waits for it.
struct Launch {
    char* const* arguments;
    const char* folder;  ///< null: the working folder of this process
    std::array<int, 3> streams;
    char* const* environment;
    rlim_t memoryBytes;  ///< 0: no limit
    pid_t parent;
    const struct sigaction* byDefault;
    const sigset_t* noSignals;
};

[[noreturn]] void launch(const Launch& how) {
    ::setpgid(0, 0);
    // The signal is sent when the thread that started the child ends; that thread waits for the child.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != how.parent) ::_exit(128 + SIGTERM);
    for (int i = 0; i < 3; ++i) ::dup2(how.streams[static_cast<std::size_t>(i)], i);
    if (how.folder != nullptr && ::chdir(how.folder) != 0) ::_exit(127);
    if (how.memoryBytes > 0) {
        const rlimit limit{how.memoryBytes, how.memoryBytes};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    ::sigaction(SIGPIPE, how.byDefault, nullptr);
    ::sigaction(SIGTERM, how.byDefault, nullptr);
    ::pthread_sigmask(SIG_SETMASK, how.noSignals, nullptr);
    ::execve(Shell, how.arguments, how.environment);
    ::_exit(127);
}

/// Not inlined, because the parent's variables must not be held in registers that the child changes.
[[gnu::noinline]] pid_t start(const Launch& how) {
    const pid_t pid = ::vfork();  // fork would copy the page tables of gigabytes of memory
    if (pid == 0) launch(how);
    return pid;
}

/// Stops ignoring SIGCHLD, which a program may inherit from its parent: while it is ignored, the kernel keeps no exit status of
/// children.
void requireExitStatus() {
    struct sigaction current {};
    if (::sigaction(SIGCHLD, nullptr, &current) != 0) return;
    if (current.sa_handler != SIG_IGN && (current.sa_flags & SA_NOCLDWAIT) == 0) return;
    if (current.sa_handler == SIG_IGN) current.sa_handler = SIG_DFL;
    current.sa_flags &= ~SA_NOCLDWAIT;
    ::sigaction(SIGCHLD, &current, nullptr);
}

/// The texts as execve expects them.
std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Starts the program in its own process group. Returns the pid of the group leader, or errno as a negative number.
pid_t spawn(const std::vector<std::string>& command, const ChildOptions& options, int in, int out, int errors) {
    if (const int found = findProgram(command[0], options.folder); found != 0) return found;
    requireExitStatus();
    std::vector<std::string> words{Shell, "-c", Guard, options.folder};
    words.insert(words.end(), command.begin(), command.end());
    const std::vector<char*> arguments = pointersTo(words);
    std::vector<std::string> variables = options.environment.value_or(std::vector<std::string>());
    const std::vector<char*> environment = pointersTo(variables);
    struct sigaction byDefault {};
    byDefault.sa_handler = SIG_DFL;
    sigset_t none;
    sigset_t all;
    sigset_t before;
    sigemptyset(&none);
    sigfillset(&all);
    const Launch how{.arguments = arguments.data(),
                     .folder = options.folder.empty() ? nullptr : options.folder.c_str(),
                     .streams = {in, out, errors},
                     .environment = options.environment ? environment.data() : environ,
                     .memoryBytes = options.memoryBytes,
                     .parent = ::getpid(),
                     .byDefault = &byDefault,
                     .noSignals = &none};
    // Signal handlers must not run in the child, which shares this memory.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = start(how);
    const int failure = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return pid > 0 ? pid : -failure;
}

/// Passes on the lines that have an end and removes them from `text`. Returns whether there were any.
Result<bool> passLines(const std::string& program, std::string& text, const ChildOptions& options) {
    std::size_t passed = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', passed)) {
        MITOS_REQUIRE(options.onLine(std::string_view(text).substr(passed, end - passed)));
        passed = end + 1;
    }
    text.erase(0, passed);
    if (text.size() < options.maxOutput) return passed > 0;
    return Error{ErrorCode::Limit,
                 fmt::format("{} printed a line that is longer than {} bytes", program, options.maxOutput)};
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
    const pid_t pid = spawn(command, options, in->read.get(), out->write.get(), err->write.get());
    if (pid == -ENOENT) {
        return ioError(fmt::format("the program {} was not found", command[0]),
                       fmt::format("install it, or put it on the PATH ({})", command[0]));
    }
    if (pid < 0) return ioError(fmt::format("{} could not be started: {}", command[0], std::strerror(-pid)));
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
    double lastLine = 0.0;  // when it came
    double patience = std::min(options.silentSeconds, options.firstLineSeconds);
    // The child may close its outputs long before it ends, and processes it started may keep them open after it has ended.
    while (!exited || out->read.isOpen() || err->read.isOpen()) {
        if (options.stop.stop_requested()) ended = Error{ErrorCode::Cancelled, command[0] + " was stopped"};
        if (elapsed() > options.seconds) {
            ended = Error{ErrorCode::Limit,
                          fmt::format("{} took longer than {} s and was stopped", command[0], options.seconds)};
        }
        if (elapsed() - lastLine > patience) {
            ended = Error{ErrorCode::Limit,
                          fmt::format("{} printed nothing for {} s and was stopped", command[0], patience)};
        }
        if (ended) break;
        std::array<pollfd, 3> fds{
            {{out->read.get(), POLLIN, 0}, {err->read.get(), POLLIN, 0}, {in->write.get(), POLLOUT, 0}}};
        ::poll(fds.data(), fds.size(), PollMilliseconds);
        if (fds[0].revents != 0) drain(out->read, result.output, options.maxOutput);
        if (fds[1].revents != 0) drain(err->read, result.errors, options.maxOutput);
        if (options.onLine && fds[0].revents != 0) {
            const Result<bool> passed = passLines(command[0], result.output, options);
            if (!passed) {
                ended = passed.error();
                break;
            }
            if (*passed) {
                lastLine = elapsed();
                patience = options.silentSeconds;
            }
        }
        if (fds[2].revents != 0) feed(in->write, pending);
        const bool silent = fds[0].revents == 0 && fds[1].revents == 0;
        if (!exited) {
            const pid_t waited = ::waitpid(pid, &status, WNOHANG);
            exited = waited == pid;
            if (waited < 0 && errno == ECHILD) {
                return ioError(fmt::format("something else in this process took the exit status of {}", command[0]));
            }
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
    removeLeftBehind(base);
    std::string path = (base / temporaryName()).string();
    constexpr mode_t OwnerOnly = 0700;
    if (::mkdir(path.c_str(), OwnerOnly) != 0) {
        return ioError(fmt::format("{} cannot be written ({})", base.string(), std::strerror(errno)),
                       "set TMPDIR to a writable folder with free space");
    }
    return TemporaryFolder(std::move(path));
}

void TemporaryFolder::cleanUp() {
    std::error_code code;
    const std::filesystem::path base = std::filesystem::temp_directory_path(code);
    if (!code) removeLeftBehind(base);
}

TemporaryFolder::~TemporaryFolder() {
    if (m_path.empty()) return;
    std::error_code ignored;  // failure to remove a temporary folder is not reported
    std::filesystem::remove_all(m_path, ignored);
}

}  // namespace mitos
