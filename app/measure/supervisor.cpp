// SPDX-License-Identifier: GPL-3.0-or-later
// A supervisor and a worker (worker.cpp) understand each other by lines, of which the worker's need no numbers. It prints its setup; then,
// for each operation that it reads, a time or a refusal, after any number of lines "when", "calibration" and "retire", the last of which
// asks for another process for the next operation.
#include "app/measure/supervisor.h"

#include "app/measure/worker.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <istream>
#include <memory>
#include <optional>
#include <poll.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace mitos::measure {

namespace {

constexpr std::string_view FirstField = "mitos-requests";
constexpr std::string_view RequestsVersion = "1";
/// No longer line is given to a worker, so that all of it fits into a pipe, and writing never waits.
constexpr std::size_t LongestRequest = 1U << 14U;

bool startsWith(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

/// The code that OpenBLAS runs. It does not recognize newer processors, and falls back to code without vector instructions. Empty: it
/// chooses by itself.
std::string blasCore() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0) return "SkylakeX";
    if (__builtin_cpu_supports("avx2") != 0) return "Haswell";
#endif
    return {};
}

/// The environment of a worker: this process's own, with the threads of the libraries and the code of BLAS, which they read as they are
/// loaded.
std::vector<std::string> environmentFor(const Settings& settings) {
    const std::string threads = std::to_string(settings.threads);
    std::vector<std::string> chosen{"OMP_NUM_THREADS=" + threads, "OPENBLAS_NUM_THREADS=" + threads,
                                    "MKL_NUM_THREADS=" + threads};
    if (const std::string core = blasCore(); !core.empty()) chosen.push_back("OPENBLAS_CORETYPE=" + core);
    std::vector<std::string> all = chosen;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view given = *variable;
        const std::string_view name = given.substr(0, given.find('=') + 1);
        const bool isChosen =
            std::any_of(chosen.begin(), chosen.end(), [&](const std::string& each) { return startsWith(each, name); });
        if (!isChosen) all.emplace_back(given);
    }
    return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// A process that measures, with pipes to and from it.
class Process {
public:
    /// Throws std::system_error if it cannot be started.
    explicit Process(const Settings& settings) {
        std::vector<std::string> words{"mitos-measure", WorkerFlag};
        for (const std::string& flag : flagsOf(settings)) words.push_back(flag);
        std::vector<std::string> variables = environmentFor(settings);
        const std::vector<char*> arguments = pointersTo(words);
        const std::vector<char*> environment = pointersTo(variables);
        std::array<int, 2> in{-1, -1};
        std::array<int, 2> out{-1, -1};
        if (::pipe2(in.data(), O_CLOEXEC) != 0) fail();
        if (::pipe2(out.data(), O_CLOEXEC) != 0) {
            ::close(in[0]);
            ::close(in[1]);
            fail();
        }
        m_process = ::fork();
        if (m_process == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::signal(SIGPIPE, SIG_DFL);
            ::dup2(in[0], STDIN_FILENO);
            ::dup2(out[1], STDOUT_FILENO);
            ::execve("/proc/self/exe", arguments.data(), environment.data());
            ::perror("mitos-measure: the measuring process cannot be started");
            ::_exit(EXIT_FAILURE);
        }
        const int failed = errno;
        ::close(in[0]);
        ::close(out[1]);
        m_in = in[1];
        m_out = out[0];
        if (m_process >= 0) return;
        ::close(m_in);
        ::close(m_out);
        errno = failed;
        fail();
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        if (!m_status) kill();
        closeInput();
        ::close(m_out);
    }

    void write(const std::string& line) const {
        const std::string text = line + "\n";
        std::string_view rest = text;
        while (!rest.empty()) {
            const ssize_t count = ::write(m_in, rest.data(), rest.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return;  // it has ended, which reading shows
            rest.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    void closeInput() {
        if (m_in >= 0) ::close(m_in);
        m_in = -1;
    }

    /// The next line; none if it ended, or printed none for so long and was killed.
    std::optional<std::string> read(double seconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (true) {
            if (const std::size_t line = m_text.find('\n'); line != std::string::npos) {
                std::string text = m_text.substr(0, line);
                m_text.erase(0, line + 1);
                return text;
            }
            const double left = std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
            if (left <= 0.0) {
                kill();
                m_wasSilent = true;
                return std::nullopt;
            }
            constexpr double MostMilliseconds = 60'000.0;
            constexpr double PerSecond = 1000.0;
            pollfd waiting{m_out, POLLIN, 0};
            const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(PerSecond * left + 1.0, MostMilliseconds)));
            if (ready <= 0) continue;
            std::array<char, 1U << 12U> buffer{};
            const ssize_t count = ::read(m_out, buffer.data(), buffer.size());
            if (count > 0) {
                m_text.append(buffer.data(), static_cast<std::size_t>(count));
            } else if (count == 0 || errno != EINTR) {
                wait();
                return std::nullopt;
            }
        }
    }

    /// How it ended, after "the measuring process".
    [[nodiscard]] std::string howItEnded() const {
        if (m_wasSilent) return "gave no answer in time";
        const int status = m_status.value_or(0);
        if (!WIFSIGNALED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
        const char* const name = ::strsignal(WTERMSIG(status));
        return "ended by signal " + std::to_string(WTERMSIG(status)) +
               (name == nullptr ? std::string() : " (" + std::string(name) + ")");
    }
    /// The status with which it ended by itself after a failure, whose reason it has printed.
    [[nodiscard]] std::optional<int> failure() const {
        if (m_wasSilent || !m_status || !WIFEXITED(*m_status) || WEXITSTATUS(*m_status) == 0) return std::nullopt;
        return WEXITSTATUS(*m_status);
    }

private:
    [[noreturn]] static void fail() {
        throw std::system_error(errno, std::generic_category(), "the measuring process cannot be started");
    }
    void kill() {
        ::kill(m_process, SIGKILL);
        wait();
    }
    void wait() {
        int status = 0;
        while (::waitpid(m_process, &status, 0) < 0 && errno == EINTR) {
        }
        m_status = status;
    }

    pid_t m_process = -1;
    int m_in = -1;
    int m_out = -1;
    std::string m_text;  ///< that was read and has no whole line
    std::optional<int> m_status;
    bool m_wasSilent = false;
};

void printLine(std::string_view line) { std::cout << line << '\n' << std::flush; }

class Supervisor {
public:
    explicit Supervisor(const Settings& settings) : m_settings(settings) {}

    int run(const std::vector<std::string>& requests) {
        printLine("mitos-measure\t1");
        if (!ensureProcess()) return m_failed;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const std::string answer = this->answer(requests[i]);
            if (answer.empty()) return m_failed;
            // The kind of the answer, the number of the operation, and the rest.
            const std::size_t tab = answer.find('\t');
            if (startsWith(requests[i], "operation\t")) printLine(requests[i]);
            printLine(answer.substr(0, tab) + "\t" + std::to_string(i + 1) + answer.substr(tab));
            if (!std::cout) return EXIT_FAILURE;
        }
        finish();
        printLine("end\t" + std::to_string(requests.size()));
        return std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
    }

private:
    /// Starts a process if there is none. Returns whether there is one, which measures in the same way as those before; m_failed is the
    /// exit status if not.
    bool ensureProcess() {
        if (m_process != nullptr) return true;
        m_process = std::make_unique<Process>(m_settings);
        const std::optional<std::string> setup = m_process->read(m_settings.patienceSeconds);
        if (!setup) {
            const std::optional<int> failure = m_process->failure();
            if (!failure) std::cerr << "mitos-measure: the measuring process " << m_process->howItEnded() << '\n';
            m_failed = failure.value_or(EXIT_FAILURE);
            return false;
        }
        if (m_setup.empty()) {
            m_setup = *setup;
            printLine(m_setup);
        }
        if (*setup == m_setup) return true;
        std::cerr << "mitos-measure: the machine has changed meanwhile\n";
        m_failed = EXIT_FAILURE;
        return false;
    }

    /// The answer to a request, without its number; empty if no process can be started any more.
    std::string answer(const std::string& request) {
        if (request.size() > LongestRequest) return "refused\tthe line is too long";
        if (request.find('\0') != std::string::npos) return "refused\tthe line states no operation";
        if (!ensureProcess()) return {};
        m_process->write(request);
        bool isRetiring = false;
        while (const std::optional<std::string> line = m_process->read(m_settings.patienceSeconds)) {
            if (startsWith(*line, "time\t") || startsWith(*line, "refused\t")) {
                if (isRetiring) m_process.reset();
                return *line;
            }
            if (startsWith(*line, "calibration\t") || startsWith(*line, "when\t")) printLine(*line);
            if (*line == "retire") isRetiring = true;
        }
        const std::string how = m_process->howItEnded();
        m_process.reset();
        return "refused\tthe measuring process " + how;
    }

    /// Lets the last process calibrate once more.
    void finish() {
        if (m_process == nullptr) return;
        m_process->closeInput();
        while (const std::optional<std::string> line = m_process->read(m_settings.patienceSeconds)) {
            if (startsWith(*line, "calibration\t") || startsWith(*line, "when\t")) printLine(*line);
        }
    }

    Settings m_settings;
    std::unique_ptr<Process> m_process;
    std::string m_setup;
    int m_failed = EXIT_FAILURE;
};

std::optional<std::size_t> countFrom(std::string_view text) {
    std::size_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Reads the first line of requests. Returns how many there are.
std::size_t readHead(std::string_view line, Settings& settings) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() < 2 || fields[1] != RequestsVersion) {
        throw BadRequests(
            "the requests are of another version; build mitos-measure from the sources of that mitos-cli");
    }
    std::optional<std::size_t> count;
    for (std::size_t i = 2; i < fields.size(); ++i) {
        const std::size_t equals = fields[i].find('=');
        const std::string_view name = fields[i].substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : fields[i].substr(equals + 1);
        if (name == "operations") {
            count = countFrom(value);
        } else if (!set(settings, name, value)) {
            throw BadRequests("the requests have an unknown setting: " + std::string(fields[i]));
        }
    }
    if (!count) throw BadRequests("the first line of the requests does not state how many there are");
    return *count;
}

}  // namespace

std::vector<std::string> readRequests(std::istream& input, Settings& settings) {
    std::vector<std::string> requests;
    std::optional<std::size_t> count;
    bool isFirst = true;
    for (std::string line; std::getline(input, line); isFirst = false) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (isFirst && startsWith(line, FirstField)) {
            count = readHead(line, settings);
        } else {
            requests.push_back(line);
        }
    }
    if (count && *count != requests.size()) {
        throw BadRequests("there are " + std::to_string(requests.size()) + " requests, but the first line states " +
                          std::to_string(*count) + "; was the file cut off?");
    }
    return requests;
}

int supervise(const Settings& settings, const std::vector<std::string>& requests) {
    ::signal(SIGPIPE, SIG_IGN);
    return Supervisor(settings).run(requests);
}

}  // namespace mitos::measure
