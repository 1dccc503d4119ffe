// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/runtime.h"

#include "core/base/child_process.h"
#include "core/base/printable.h"
#include "core/base/read_file.h"
#include "core/base/source_text.h"
#include "core/base/write_file.h"
#include "core/onnx/internal/read_model.h"
#include "core/onnx/internal/runtime_worker.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;

/// How often the models of a comparison are opened anew.
constexpr std::size_t Blocks = 5;

/// Paths of binary models: ONNX Runtime does not read texts, so these are written into `folder`.
Result<std::vector<fs::path>> binaries(const std::vector<fs::path>& models, const fs::path& folder) {
    std::vector<fs::path> paths;
    for (const fs::path& model : models) {
        MITOS_TRY(paths.emplace_back(), binaryModel(model, folder / fmt::format("{}.onnx", paths.size())));
    }
    return paths;
}

/// The error of a model that ONNX Runtime refuses, if the answer reports one.
std::optional<Error> failureIn(const Json& answer, const std::vector<fs::path>& models) {
    const auto index = answer.find("failed");
    const auto message = answer.find("message");
    if (index == answer.end() || message == answer.end()) return std::nullopt;
    if (!index->is_number_unsigned() || index->get<std::size_t>() >= models.size() || !message->is_string()) {
        return std::nullopt;
    }
    return onnxError(ErrorCode::Unsupported,
                     fmt::format("ONNX Runtime cannot run {}: {}", models[index->get<std::size_t>()].string(),
                                 printable(message->get_ref<const std::string&>())));
}

/// The rounds of a comparison.
class Rounds {
public:
    Rounds(std::size_t models, double seconds, const std::function<void(double)>& progress)
        : m_launches(models, 1),
          m_times(models),
          m_seconds(seconds),
          m_progress(progress) {}

    /// Returns whether the answer is a possible one.
    bool take(const Json& answer) {
        if (const auto unused = answer.find("unused"); unused != answer.end()) return takeUnused(*unused);
        const auto block = answer.find("block");
        if (block == answer.end() || !block->is_number_unsigned()) return false;
        const auto number = block->get<std::size_t>();
        if (const auto launches = answer.find("launches"); launches != answer.end()) {
            const auto counts = launchesFrom(*launches, m_times.size());
            if (!counts || number != m_times[0].size() || number >= Blocks) return false;
            m_ofBlock = *counts;
            for (std::size_t i = 0; i < m_times.size(); ++i) {
                m_launches[i] = std::max(m_launches[i], (*counts)[i]);
                m_times[i].emplace_back();
            }
            return true;
        }
        const auto seconds = answer.find("seconds");
        if (seconds == answer.end() || number + 1 != m_times[0].size()) return false;
        const auto times = timesFrom(*seconds);
        if (!times || times->size() != m_times.size() || !answer.contains("elapsed")) return false;
        const auto elapsed = timesFrom(Json::array({answer["elapsed"]}));
        if (!elapsed) return false;
        for (std::size_t i = 0; i < m_times.size(); ++i) {
            m_times[i].back().push_back((*times)[i]);
            m_used += (*times)[i] * m_ofBlock[i];
        }
        m_elapsed += elapsed->front();
        ++m_count;
        if (m_progress) m_progress(std::min(1.0, m_elapsed / m_seconds));
        return true;
    }

    [[nodiscard]] bool isWhole(std::size_t rounds) const {
        return rounds == m_count && m_times[0].size() == Blocks &&
               std::ranges::none_of(m_times[0], [](const std::vector<double>& block) { return block.empty(); });
    }

    [[nodiscard]] TimedModels summary(RuntimeVersion version) const {
        TimedModels timed{.by = std::move(version), .models = {}, .ratios = {}, .blocks = Blocks, .rounds = m_count};
        timed.unusedSizes = m_unusedSizes;
        timed.elsewhere = std::clamp(1.0 - m_used / m_elapsed, 0.0, 1.0);
        for (std::size_t i = 0; i < m_times.size(); ++i) {
            std::vector<timing::PairedTimes> pairs;
            for (std::size_t b = 0; b < Blocks; ++b) pairs.push_back({m_times[0][b], m_times[i][b]});
            timed.models.push_back(timing::summaryOf(m_times[i], m_launches[i]));
            timed.ratios.push_back(timing::timeRatio(pairs));
        }
        return timed;
    }

private:
    bool takeUnused(const Json& names) {
        if (!names.is_array()) return false;
        for (const Json& name : names) {
            if (!name.is_string()) return false;
            m_unusedSizes.push_back(printable(name.get_ref<const std::string&>()));
        }
        return true;
    }

    std::vector<std::string> m_unusedSizes;
    std::vector<std::uint32_t> m_launches;
    std::vector<timing::Blocks> m_times;  ///< by model
    double m_seconds;
    const std::function<void(double)>& m_progress;
    std::vector<std::uint32_t> m_ofBlock;  ///< the launches of the present block
    double m_used = 0.0;                   ///< seconds of all batches
    double m_elapsed = 0.0;                ///< the same by the clock on the wall
    std::size_t m_count = 0;
};

Error contradiction(const RuntimeOptions& options) {
    return onnxError(ErrorCode::Io, fmt::format("{} ended without the times of all rounds", options.python));
}

}  // namespace

const std::vector<std::string>& optimizationLevels() {
    static const std::vector<std::string> names{"disabled", "basic", "extended", "all"};
    return names;
}

std::string_view toString(OptimizationLevel level) { return optimizationLevels()[static_cast<std::size_t>(level)]; }

std::optional<OptimizationLevel> optimizationLevel(std::string_view name) {
    const auto found = std::ranges::find(optimizationLevels(), name);
    if (found == optimizationLevels().end()) return std::nullopt;
    return static_cast<OptimizationLevel>(found - optimizationLevels().begin());
}

std::string RuntimeVersion::text() const { return fmt::format("ONNX Runtime {}, Python {}", runtime, python); }

int RuntimeVersion::newestOpset() const {
    constexpr int Usual = 17;
    constexpr int WithAttention = 23;
    constexpr int FirstMinor = 23;  // ONNX Runtime 1.23
    int major = 0;
    int minor = 0;
    const char* const end = runtime.data() + runtime.size();
    const auto [dot, wrong] = std::from_chars(runtime.data(), end, major);
    if (wrong != std::errc() || dot == end || std::from_chars(dot + 1, end, minor).ec != std::errc()) return Usual;
    return major > 1 || (major == 1 && minor >= FirstMinor) ? WithAttention : Usual;
}

Result<RuntimeVersion> checkRuntime(const RuntimeOptions& options) {
    MITOS_TRY(const WorkerEnd end,
              runWorker(workerJob("check", {}, options), options, [](const Json&) { return false; }));
    return end.version;
}

Result<TimedModels> timeModels(const std::vector<fs::path>& models, const RuntimeOptions& options,
                               const TimingOptions& timing) {
    if (models.empty()) return inputError("there is no model to time", "name one");
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    MITOS_TRY(const std::vector<fs::path> files, binaries(models, folder.path()));
    Json job = workerJob("time", files, options);
    job["seconds"] = timing.seconds;
    job["blocks"] = Blocks;
    job["seed"] = timing.seed;
    job["sizes"] = {{"otherwise", timing.sizes.otherwise}, {"named", timing.sizes.named}};
    Rounds rounds(models.size(), timing.seconds, timing.progress);
    std::optional<Error> failure;
    const Result<WorkerEnd> end = runWorker(job, options, [&](const Json& answer) {
        if (failure) return false;
        failure = failureIn(answer, models);
        return failure.has_value() || rounds.take(answer);
    });
    if (failure) return *failure;
    if (!end) return end.error();
    if (!rounds.isWhole(end->done)) return contradiction(options);
    return rounds.summary(end->version);
}

Result<RuntimeMemory> measureMemory(const std::vector<fs::path>& models, const RuntimeOptions& options,
                                    const MemoryOptions& memory) {
    constexpr int Runs = 5;
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    MITOS_TRY(const std::vector<fs::path> files, binaries(models, folder.path()));
    Json job = workerJob("memory", files, options);
    job["runs"] = Runs;
    job["keeps_order"] = memory.keepsOrder;
    job["seed"] = memory.seed;
    job["sizes"] = {{"otherwise", memory.sizes.otherwise}, {"named", memory.sizes.named}};
    RuntimeMemory measured;
    std::optional<Error> failure;
    const Result<WorkerEnd> end = runWorker(job, options, [&](const Json& answer) {
        if (failure) return false;
        failure = failureIn(answer, models);
        if (failure) return true;
        const auto model = answer.find("model");
        const auto peaks = answer.find("peaks");
        const bool isNext = model != answer.end() && *model == measured.peaks.size() && peaks != answer.end() &&
                            peaks->is_array() && peaks->size() == Runs;
        if (!isNext || !std::ranges::all_of(*peaks, [](const Json& peak) { return peak.is_number_unsigned(); }))
            return false;
        auto sorted = peaks->get<std::vector<std::uint64_t>>();
        std::ranges::sort(sorted);
        measured.peaks.push_back(sorted[Runs / 2]);
        return true;
    });
    if (failure) return *failure;
    if (!end) return end.error();
    if (measured.peaks.size() != models.size())
        return onnxError(ErrorCode::Io, fmt::format("{} ended without the memory of all models", options.python));
    measured.by = end->version;
    return measured;
}

Result<RuntimeVersion> writeOptimized(const fs::path& model, const fs::path& output, const RuntimeOptions& options) {
    MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    MITOS_TRY(const std::vector<fs::path> files, binaries({model}, folder.path()));
    const fs::path made = fs::path(folder.path()) / "optimized.onnx";
    Json job = workerJob("optimize", files, options);
    job["output"] = made.string();
    std::optional<Error> failure;
    const Result<WorkerEnd> end = runWorker(job, options, [&](const Json& answer) {
        failure = failureIn(answer, {model});
        return failure.has_value();
    });
    if (failure) return *failure;
    if (!end) return end.error();
    MITOS_REQUIRE(readModelFile(made));
    MITOS_TRY(std::ifstream file, openFile(made.string()));
    const Status written = writeFileWith(output.string(), [&file](std::ostream& out) -> Status {
        out << file.rdbuf();
        return Success{};
    });
    if (!written) return written.error();
    return end->version;
}

}  // namespace mitos::onnx
