// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/measure_operators.h"

#include "core/base/child_process.h"
#include "core/base/printable.h"
#include "core/base/spread.h"
#include "core/onnx/export.h"
#include "core/onnx/internal/one_node.h"
#include "core/onnx/internal/proto.h"
#include "core/onnx/internal/runtime_worker.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t FewestBatches = 15;
/// The most that one process measures, and the size of its files from which on it gets no more.
constexpr std::size_t MostOperations = 64;
constexpr std::uintmax_t LargeFiles = 512U << 20U;

/// Operators whose output is their input under another type. All others copy, also where they could do without (Split, Slice).
constexpr std::array<std::string_view, 6> Views{"Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"};

/// Models that show what running costs besides the operators' work: the first two by the difference of their nodes, the third by the
/// change of its time.
constexpr int LongChain = 65;
constexpr std::int64_t SmallArray = 1;
constexpr std::int64_t LargeArray = 1 << 18U;
constexpr std::size_t Calibrations = 3;

/// The time of the batches of a model.
struct Batches {
    Spread seconds;
    std::uint32_t launches = 1;
    std::uint32_t count = 0;
};

/// What one process measures: the calibrations, then some operations.
struct Portion {
    std::vector<fs::path> models;
    std::vector<const cost::Operation*> operations;
    std::uintmax_t bytes = 0;

    [[nodiscard]] bool isFull() const { return operations.size() >= MostOperations || bytes >= LargeFiles; }
};

/// One call of measure().
class Measuring {
public:
    Measuring(const std::shared_ptr<const ir::OperatorRegistry>& registry, const RuntimeOptions& options,
              double secondsPerOperation, const cost::MeasureObserver& observer)
        : m_registry(registry),
          m_options(options),
          m_seconds(secondsPerOperation),
          m_observer(observer) {}

    Status run(std::span<const cost::Operation> operations) {
        std::size_t next = 0;
        while (next < operations.size()) {
            MITOS_TRY(const TemporaryFolder folder, TemporaryFolder::make());
            Portion portion;
            MITOS_REQUIRE(writeCalibrations(portion, folder.path()));
            for (; next < operations.size() && !portion.isFull(); ++next) {
                if (m_options.stop.stop_requested()) return cancelled();
                write(portion, operations[next], folder.path());
            }
            MITOS_REQUIRE(measure(portion));
        }
        return Success{};
    }

    [[nodiscard]] cost::CostProfile take() {
        if (!m_drifts.empty()) {
            const auto [fastest, slowest] = std::ranges::minmax_element(m_drifts);
            m_profile.drift = *slowest / *fastest - 1.0;
        }
        return std::move(m_profile);
    }

private:
    static Error cancelled() { return Error{ErrorCode::Cancelled, "the measuring was stopped"}; }

    [[nodiscard]] fs::path fileIn(const Portion& portion, const fs::path& folder) const {
        return folder / fmt::format("{}.onnx", portion.models.size());
    }
    Result<ExportReport> writeModel(const ir::TermBank& bank, const tensor::Model& model, const fs::path& path) const {
        return exportFile(bank, model, path, {.foldWeights = false, .keepIdle = true});
    }

    Status writeCalibrations(Portion& portion, const fs::path& folder) {
        for (const auto& [elements, nodes] :
             {std::pair(SmallArray, 1), {SmallArray, LongChain}, {LargeArray, LongChain}}) {
            ir::TermBank bank(m_registry);
            MITOS_REQUIRE(writeModel(bank, chainModel(bank, elements, nodes), fileIn(portion, folder)));
            portion.models.push_back(fileIn(portion, folder));
        }
        return Success{};
    }

    void write(Portion& portion, const cost::Operation& operation, const fs::path& folder) {
        ir::TermBank bank(m_registry);
        const fs::path path = fileIn(portion, folder);
        const Result<ExportReport> written = oneNodeModel(bank, operation).andThen([&](const tensor::Model& model) {
            return writeModel(bank, model, path);
        });
        if (!written) return refuse(operation, written.error().message);
        portion.models.push_back(path);
        portion.operations.push_back(&operation);
        portion.bytes += written->bytes;
    }

    Status measure(const Portion& portion) {
        Json job = workerJob("operators", portion.models, m_options);
        job["seconds"] = m_seconds;
        job["batches"] = FewestBatches;
        m_next = 0;
        const Result<WorkerEnd> end =
            runWorker(job, m_options, [&](const Json& answer) { return take(portion, answer); });
        if (!end) return end.error();
        if (end->done == portion.models.size() && m_next == end->done) return Success{};
        return onnxError(ErrorCode::Io, fmt::format("{} ended without the times of all operators", m_options.python));
    }

    /// Returns whether the answer is about the model whose turn it is, and possible.
    bool take(const Portion& portion, const Json& answer) {
        const bool isFailure = answer.contains("failed");
        const auto index = answer.find(isFailure ? "failed" : "model");
        if (index == answer.end() || !index->is_number_unsigned() || m_next >= portion.models.size()) return false;
        if (index->get<std::size_t>() != m_next) return false;
        const std::size_t turn = m_next++;
        if (isFailure) {
            const auto message = answer.find("message");
            if (turn < Calibrations || message == answer.end() || !message->is_string()) return false;
            constexpr std::size_t Longest = 300;
            refuse(*portion.operations[turn - Calibrations],
                   printable(message->get_ref<const std::string&>().substr(0, Longest)));
            return true;
        }
        if (!answer.contains("launches") || !answer.contains("batches")) return false;
        const auto launches = launchesFrom(Json::array({answer["launches"]}), 1);
        const auto times = timesFrom(answer["batches"]);
        if (!launches || !times || times->size() < FewestBatches) return false;
        const Batches batches{spreadOf(*times), launches->front(), static_cast<std::uint32_t>(times->size())};
        if (turn < Calibrations) return calibrate(turn, batches);
        add(*portion.operations[turn - Calibrations], batches);
        return true;
    }

    bool calibrate(std::size_t turn, const Batches& batches) {
        const double seconds = batches.seconds.least;
        if (turn == 0) m_shortest = seconds;
        if (turn == 1) {
            m_node = std::max((seconds - m_shortest) / (LongChain - 1), 1e-9);
            m_call = std::max(0.0, m_shortest - m_node);
        }
        if (turn == 2) m_drifts.push_back(seconds);
        return true;
    }

    void add(const cost::Operation& operation, const Batches& batches) {
        const auto less = [this](double seconds) { return std::max(m_node, seconds - m_call); };
        finish(operation, {less(batches.seconds.least), less(batches.seconds.median), batches.seconds.width(),
                           batches.launches, batches.count, cost::secondsNow()});
    }

    void finish(const cost::Operation& operation, const cost::Measurement& time) {
        m_profile.times.insert_or_assign(operation, time);
        if (m_observer) m_observer({operation, time, {}});
    }
    void refuse(const cost::Operation& operation, std::string reason) {
        if (m_observer) m_observer({operation, std::nullopt, reason});
        m_profile.refused.insert_or_assign(operation, std::move(reason));
    }

    const std::shared_ptr<const ir::OperatorRegistry>& m_registry;
    const RuntimeOptions& m_options;
    double m_seconds;
    const cost::MeasureObserver& m_observer;
    std::size_t m_next = 0;   ///< the model whose turn it is
    double m_shortest = 0.0;  ///< seconds of a model of one small node
    double m_node = 0.0;      ///< seconds of a small node
    double m_call = 0.0;      ///< seconds of a call without its nodes
    std::vector<double> m_drifts;
    cost::CostProfile m_profile;
};

class RuntimeMeasurer final : public cost::Measurer {
public:
    RuntimeMeasurer(std::shared_ptr<const ir::OperatorRegistry> registry, RuntimeOptions options, double seconds)
        : m_registry(std::move(registry)),
          m_options(std::move(options)),
          m_seconds(seconds) {}

    Result<cost::MeasuringSetup> setup(const std::stop_token& stop) override {
        RuntimeOptions options = m_options;
        options.stop = stop;
        MITOS_TRY(const RuntimeVersion version, checkRuntime(options));
        return cost::MeasuringSetup{.protocol = cost::MeasuringProtocol,
                                    .device = "cpu",
                                    .processor = version.processor,
                                    .features = version.features,
                                    .runtime = fmt::format("ONNX Runtime {}", version.runtime),
                                    .blas = {},
                                    .threads = m_options.threads,
                                    .settings = fmt::format("level {}", toString(m_options.level))};
    }

    bool isFree(const cost::Operation& operation) const override {
        return std::ranges::find(Views, operation.op) != Views.end();
    }

    cost::MeasuredProfile measure(std::span<const cost::Operation> operations, const cost::MeasureObserver& observer,
                                  const std::stop_token& stop) override {
        RuntimeOptions options = m_options;
        options.stop = stop;
        cost::MeasuredProfile measured;
        const Result<cost::MeasuringSetup> setup = this->setup(stop);
        if (!setup) {
            measured.ended = setup.error();
            return measured;
        }
        Measuring measuring(m_registry, options, m_seconds, observer);
        if (const Status status = measuring.run(operations); !status) measured.ended = status.error();
        measured.profile = measuring.take();
        measured.profile.setup = *setup;
        return measured;
    }

private:
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
    RuntimeOptions m_options;
    double m_seconds;
};

}  // namespace

std::unique_ptr<cost::Measurer> runtimeMeasurer(std::shared_ptr<const ir::OperatorRegistry> registry,
                                                RuntimeOptions options, double secondsPerOperation) {
    return std::make_unique<RuntimeMeasurer>(std::move(registry), std::move(options), secondsPerOperation);
}

}  // namespace mitos::onnx
