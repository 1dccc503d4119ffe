// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/ranks.h"

#include "app/cli/mpi/mpi_module.h"
#include "core/base/loaded_module.h"
#include "core/base/number_text.h"
#include "search/parallel.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

constexpr const char* ModuleName = "mitos-mpi.so";
constexpr const char* HowToInstall =
    "install the packages libopenmpi-dev and openmpi-bin and build Mitos again, or start it without mpirun "
    "(MITOS_MPI=off: each process works alone)";

/// The number in a variable of the environment; 0 if there is none.
std::uint32_t countIn(const char* variable) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? 0 : numberFrom<std::uint32_t>(text).value_or(0);
}
bool isSet(const char* variable) { return std::getenv(variable) != nullptr; }

/// The environment's answer to how many processes were started together.
struct Launch {
    std::uint32_t size = 1;
    bool isCertain = true;  ///< false: by Slurm, which prepares every job step for MPI where its default is so
};

Launch launch() {
    const char* const wish = std::getenv("MITOS_MPI");
    if (wish != nullptr && std::string_view(wish) == "off") return {};
    if (const std::uint32_t size = countIn("OMPI_COMM_WORLD_SIZE"); size > 0) return {.size = size};
    const bool isSlurm = isSet("SLURM_JOB_ID");
    if (const std::uint32_t size = countIn("PMI_SIZE"); size > 0) return {.size = size, .isCertain = !isSlurm};
    // A job step without MPI has a number of tasks, too, but no rank by PMIx.
    if (isSlurm && isSet("PMIX_RANK")) {
        return {.size = std::max(1U, countIn("SLURM_STEP_NUM_TASKS")), .isCertain = false};
    }
    return {};
}

Error cannotJoin(std::uint32_t size, std::string_view why, const char* hint = HowToInstall) {
    return {ErrorCode::Unsupported,
            fmt::format("this process was started as one of {} that work together, but {}", size, why), std::nullopt,
            hint};
}

Result<const MpiModule*> load(std::uint32_t size) {
    // Open MPI's plugins look for its symbols among the global ones.
    auto module = loadModuleAs<MpiModule>(
        {.file = ModuleName, .library = "MPI", .function = GetMpiModuleName, .version = 0, .hasGlobalNames = true});
    if (!module) return cannotJoin(size, module.error().message);
    return module;
}

/// The first byte of each message.
enum class Tag : char { Work = 'w', Done = 'd', Failed = 'f' };

std::string messageOf(const Error& error) {
    const nlohmann::json json{
        {"code", static_cast<int>(error.code)}, {"message", error.oneLine()}, {"hint", error.hint}};
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Error errorOf(std::uint32_t rank, std::string_view message) {
    const auto json = nlohmann::json::parse(message, nullptr, false);
    Error error{ErrorCode::Evaluation, fmt::format("process {} has failed", rank)};
    if (!json.is_object()) return error;
    error.code = static_cast<ErrorCode>(json.value("code", static_cast<int>(error.code)));
    error.message = fmt::format("in process {}: {}", rank, json.value("message", std::string()));
    error.hint = json.value("hint", std::string());
    return error;
}

}  // namespace

class Ranks::Processes final : public random_keys::Team {
public:
    Processes(const MpiModule& module, std::uint32_t rank, std::uint32_t size)
        : m_module(module),
          m_rank(rank),
          m_size(size) {}

    [[nodiscard]] std::uint32_t rank() const override { return m_rank; }
    [[nodiscard]] std::uint32_t size() const override { return m_size; }
    [[nodiscard]] Result<std::vector<std::string>> allGather(std::string_view own) override {
        return exchange(Tag::Work, own);
    }

    /// Fails, too, if a process sends another tag. Failed is sent at most once.
    Result<std::vector<std::string>> exchange(Tag tag, std::string_view own) {
        if (m_failure) return *m_failure;
        const std::string message = static_cast<char>(tag) + std::string(own);
        std::vector<std::string> all(m_size);
        const auto give = [](void* context, std::uint32_t rank, const char* part, std::size_t length) {
            (*static_cast<std::vector<std::string>*>(context))[rank].append(part, length);
        };
        if (!m_module.allGather(message.data(), message.size(), &all, give)) {
            return fail({ErrorCode::Io, "the processes have lost each other", std::nullopt,
                         "see what MPI reports, and start them again"});
        }
        const auto tagOf = [](const std::string& one) { return one.empty() ? Tag::Failed : static_cast<Tag>(one[0]); };
        for (std::uint32_t i = 0; i < m_size; ++i) {
            if (tagOf(all[i]) == Tag::Failed) return fail(errorOf(i, std::string_view(all[i]).substr(1)));
        }
        for (std::string& one : all) {
            if (tagOf(one) != tag) {
                return fail({ErrorCode::Incompatible, "the processes do not do the same", std::nullopt,
                             "start the same program on all of them, with the same arguments and files"});
            }
            one.erase(0, 1);
        }
        return all;
    }
    [[nodiscard]] const MpiModule& module() const { return m_module; }
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }

private:
    Error fail(Error error) {
        m_failure = std::move(error);
        return *m_failure;
    }

    const MpiModule& m_module;
    std::uint32_t m_rank;
    std::uint32_t m_size;
    std::optional<Error> m_failure;  ///< after it, nothing is exchanged any more
};

struct Ranks::Members {
    std::optional<Processes> processes = {};
    std::uint32_t processors = 1;  ///< for this process
    FILE* output = nullptr;        ///< those of the program, while what this process prints is dropped
    FILE* errors = nullptr;
    FILE* dropped = nullptr;

    Members() = default;
    Members(const Members&) = delete;
    Members& operator=(const Members&) = delete;
    ~Members() {
        if (dropped == nullptr) return;
        stdout = output;
        stderr = errors;
        std::fclose(dropped);
    }
    void dropOutput() {
        dropped = std::fopen("/dev/null", "we");
        if (dropped == nullptr) return;
        output = std::exchange(stdout, dropped);
        errors = std::exchange(stderr, dropped);
    }
};

Ranks::Ranks(std::unique_ptr<Members> members) : m_members(std::move(members)) {}
Ranks::~Ranks() = default;

Result<std::unique_ptr<Ranks>> Ranks::join() {
    auto members = std::make_unique<Members>();
    const Launch started = launch();
    const auto made = [&members] { return std::unique_ptr<Ranks>(new Ranks(std::move(members))); };
    if (started.size == 1) return made();
    const Result<const MpiModule*> module = load(started.size);
    if (!module && !started.isCertain) return made();
    if (!module) return module.error();
    std::uint32_t rank = 0;
    std::uint32_t size = 1;
    if (!(*module)->join(&rank, &size, &members->processors)) return cannotJoin(started.size, "MPI cannot be started");
    if (size == 1) {
        (*module)->finish();
        if (!started.isCertain) return made();
        return cannotJoin(
            started.size, "MPI sees only one: the launcher is that of another MPI",
            "start it with Open MPI's mpirun, or with MITOS_MPI=off in the environment: then each process works alone");
    }
    members->processes.emplace(**module, rank, size);
    if (rank != 0) members->dropOutput();
    return made();
}

random_keys::Team* Ranks::team() const { return m_members->processes ? &*m_members->processes : nullptr; }

bool Ranks::isFirst() const { return !m_members->processes || m_members->processes->isFirst(); }

bool Ranks::any(bool own) const {
    if (!m_members->processes) return own;
    const auto all = m_members->processes->allGather(own ? "1" : "0");
    return all && std::ranges::find(*all, "1") != all->end();
}

unsigned Ranks::defaultJobs() const { return m_members->processes ? m_members->processors : search::defaultJobs(); }

Result<int> Ranks::settle(Result<int> own) {
    if (!m_members->processes) return own;
    Processes& processes = *m_members->processes;
    const auto all = own ? processes.exchange(Tag::Done, {}) : processes.exchange(Tag::Failed, messageOf(own.error()));
    processes.module().finish();
    if (!processes.isFirst()) return 0;
    return own && !all ? Result<int>(all.error()) : std::move(own);
}

}  // namespace mitos::cli
