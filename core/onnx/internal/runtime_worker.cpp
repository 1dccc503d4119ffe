// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/runtime_worker.h"

#include "core/base/child_process.h"
#include "core/base/printable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace mitos::onnx {

namespace {

constexpr const char* HowToGet =
    "`python3 -m venv DIR` and `DIR/bin/pip install onnxruntime` install it; then name DIR/bin/python (--onnxruntime, "
    "or in the "
    "preferences)";
constexpr std::size_t LongestShown = 300;
constexpr std::size_t LongestName = 200;

Error runtimeError(std::string message, std::string hint = {}) {
    return Error{ErrorCode::Io, std::move(message), std::nullopt, std::move(hint)};
}

std::string shortened(std::string_view text) {
    std::string shown = printable(text.substr(0, LongestShown));
    std::ranges::replace(shown, '\n', ' ');
    return text.size() > LongestShown ? shown + "…" : shown;
}

/// The text at that key if it is a short one; empty otherwise.
std::string shortText(const Json& answer, const char* key) {
    const auto found = answer.find(key);
    if (found == answer.end() || !found->is_string()) return {};
    const auto& text = found->get_ref<const std::string&>();
    return text.size() <= LongestName ? printable(text) : std::string();
}

/// The environment of the interpreter: what it needs to find itself, and nothing that makes it or its libraries load or start more.
std::vector<std::string> workerEnvironment() {
    std::vector<std::string> variables{"LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"};
    for (const char* const name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
        if (const char* const value = std::getenv(name); value != nullptr) {
            variables.push_back(fmt::format("{}={}", name, value));
        }
    }
    return variables;
}

/// Judges the answers of one job as they come.
class Conversation {
public:
    Conversation(const RuntimeOptions& options, absl::FunctionRef<bool(const Json&)> take)
        : m_options(options),
          m_take(take) {}

    Status hear(std::string_view line) {
        Status status = judge(line);
        m_isRefused = !status.ok();
        return status;
    }
    /// Whether the interpreter has ONNX Runtime.
    [[nodiscard]] bool hasBegun() const { return m_version.has_value(); }
    /// Whether the last answer was refused, which ends the conversation.
    [[nodiscard]] bool isRefused() const { return m_isRefused; }

    Result<WorkerEnd> end(const ChildOutput& child) const {
        const std::string& python = m_options.python;
        const std::string last = lastLine(child.errors);
        const std::string why = last.empty() ? "" : ": " + last;
        if (!m_version) {
            return runtimeError(fmt::format("{} is not a Python interpreter that runs ONNX Runtime (it ended with "
                                            "status {}{})",
                                            python, child.exitStatus, why),
                                HowToGet);
        }
        if (child.exitStatus != 0 || !m_done) {
            constexpr int Killed = 137;
            return runtimeError(
                fmt::format("{} ended with status {} before the end of its work{}", python, child.exitStatus, why),
                child.exitStatus == Killed ? "it may have needed too much memory" : "");
        }
        if (!child.output.empty()) return wrong(child.output).error();
        return WorkerEnd{*m_version, *m_done};
    }

private:
    Status judge(std::string_view line) {
        const Json answer = Json::parse(line, nullptr, false);
        if (!answer.is_object() || m_done) return wrong(line);
        if (answer.contains("missing")) return missing(answer);
        if (!m_version) {
            RuntimeVersion version{shortText(answer, "onnxruntime"), shortText(answer, "python"),
                                   shortText(answer, "processor"), shortText(answer, "features")};
            if (version.runtime.empty() || version.python.empty()) return wrong(line);
            m_version = std::move(version);
            return Success{};
        }
        if (const auto done = answer.find("done"); done != answer.end()) {
            if (!done->is_number_unsigned()) return wrong(line);
            m_done = done->get<std::size_t>();
            return Success{};
        }
        return m_take(answer) ? Status(Success{}) : wrong(line);
    }

    Status wrong(std::string_view line) const {
        return runtimeError(fmt::format("{} gave an answer that cannot be: {}", m_options.python, shortened(line)),
                            m_version ? "" : HowToGet);
    }

    Status missing(const Json& answer) const {
        const std::string module = shortText(answer, "missing");
        const std::string version = shortText(answer, "python");
        const auto message = answer.find("message");
        const std::string why = message != answer.end() && message->is_string()
                                    ? lastLine(message->get_ref<const std::string&>())
                                    : std::string();
        return runtimeError(
            fmt::format("{} (Python {}) has no module {} that works: {}", m_options.python, version, module, why),
            HowToGet);
    }

    const RuntimeOptions& m_options;
    absl::FunctionRef<bool(const Json&)> m_take;
    std::optional<RuntimeVersion> m_version;
    bool m_isRefused = false;
    std::optional<std::size_t> m_done;
};

}  // namespace

std::string lastLine(const std::string& text) {
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    }
    return shortened(last);
}

Json workerJob(std::string_view name, const std::vector<std::filesystem::path>& models, const RuntimeOptions& options) {
    Json job{{"job", name},
             {"models", Json::array()},
             {"level", toString(options.level)},
             {"threads", options.threads},
             {"seed", 1},
             {"sizes", {{"otherwise", 1}, {"named", Json::object()}}}};
    for (const std::filesystem::path& model : models) {
        job["models"].push_back(std::filesystem::absolute(model).string());
    }
    return job;
}

Result<WorkerEnd> runWorker(const Json& job, const RuntimeOptions& options, absl::FunctionRef<bool(const Json&)> take) {
    if (options.python.empty()) return runtimeError("no Python interpreter is named", HowToGet);
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    // A relative path of an interpreter is one from the folder of this process.
    std::string python = options.python;
    if (python.find('/') != std::string::npos) python = std::filesystem::absolute(python).string();
    Conversation conversation(options, take);
    const Result<ChildOutput> child =
        runChild({python, "-c", std::string(workerText())},
                 {.input = job.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n",
                  .seconds = options.limitSeconds,
                  .folder = folder.path(),
                  .stop = options.stop,
                  .environment = workerEnvironment(),
                  .onLine = [&](std::string_view line) { return conversation.hear(line); },
                  .silentSeconds = options.silentSeconds,
                  .firstLineSeconds = options.startSeconds});
    if (child) return conversation.end(*child);
    Error error = child.error();
    const bool couldNotBegin = error.code != ErrorCode::Cancelled && !conversation.hasBegun();
    if (couldNotBegin && !conversation.isRefused()) error.hint = HowToGet;
    return error;
}

std::optional<std::vector<double>> timesFrom(const Json& list) {
    if (!list.is_array() || list.empty()) return std::nullopt;
    std::vector<double> times;
    for (const Json& one : list) {
        if (!one.is_number()) return std::nullopt;
        times.push_back(one.get<double>());
        if (!std::isfinite(times.back()) || times.back() <= 0.0) return std::nullopt;
    }
    return times;
}

std::optional<std::vector<std::uint32_t>> launchesFrom(const Json& list, std::size_t count) {
    if (!list.is_array() || list.size() != count) return std::nullopt;
    std::vector<std::uint32_t> launches;
    for (const Json& one : list) {
        if (!one.is_number_unsigned()) return std::nullopt;
        const auto number = one.get<std::uint64_t>();
        if (number == 0 || number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
        launches.push_back(static_cast<std::uint32_t>(number));
    }
    return launches;
}

}  // namespace mitos::onnx
