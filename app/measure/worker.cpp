// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measure/worker.h"

#include "app/measure/machine.h"
#include "app/measure/operators.h"
#include "app/measure/timing.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>

namespace mitos::measure {

namespace {

constexpr const char* TooLarge = "it needs more memory than measuring may use";

void say(const std::string& line) { std::cout << line << '\n' << std::flush; }

/// The first line of a message, without the tabs that separate fields.
std::string firstLine(const char* what) {
    std::string text = what;
    text.erase(std::min(text.size(), text.find('\n')));
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    return text.empty() ? "LibTorch gives no reason" : text;
}

/// Measures operations, and now and then a product of matrices that is always the same.
class Worker {
public:
    explicit Worker(const Settings& settings)
        : m_settings(settings),
          m_device(settings.isCuda ? at::kCUDA : at::kCPU),
          m_factor(at::randn({CalibrationSize, CalibrationSize}, at::TensorOptions().device(m_device))) {}

    void calibrateIfDue() {
        const auto now = std::chrono::steady_clock::now();
        if (m_isCalibrated && now - m_calibrated < std::chrono::seconds(2)) return;
        calibrate();
    }
    void calibrate() {
        constexpr double Seconds = 0.05;
        const Timing timing = time([this] { at::matmul(m_factor, m_factor); }, Seconds);
        const auto since1970 = std::chrono::system_clock::now().time_since_epoch();
        say("when\t" + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(since1970).count()));
        say("calibration\t" + numberText(timing.minimum));
        m_calibrated = std::chrono::steady_clock::now();
        m_isCalibrated = true;
    }

    [[nodiscard]] std::string answer(const Request& request) const {
        try {
            const Timing timing = time(prepare(request, m_device, m_settings.memoryBytes), m_settings.seconds);
            return "time\t" + numberText(timing.minimum) + "\t" + numberText(timing.median) + "\t" +
                   numberText(timing.spread) + "\t" + std::to_string(timing.launches) + "\t" +
                   std::to_string(timing.batches);
        } catch (const Refusal& refusal) {
            return std::string("refused\t") + refusal.what();
        } catch (const c10::Error& error) {
            const std::string why = firstLine(error.what_without_backtrace());
            const bool isMemory = why.find("can't allocate memory") != std::string::npos;
            return std::string("refused\t") + (isMemory ? TooLarge : why);
        } catch (const std::bad_alloc&) {
            return std::string("refused\t") + TooLarge;
        } catch (const std::exception& error) {
            return "refused\t" + firstLine(error.what());
        }
    }

    /// Whether an operation has left the device in a state in which nothing runs any more: in a process, CUDA keeps some errors.
    [[nodiscard]] bool isBroken() const {
        try {
            if (m_settings.isCuda) torch::cuda::synchronize();
            return false;
        } catch (const std::exception&) {
            return true;
        }
    }

private:
    static constexpr std::int64_t CalibrationSize = 256;

    [[nodiscard]] Timing time(const Run& run, double seconds) const {
        return timed(
            run,
            [this] {
                if (m_settings.isCuda) torch::cuda::synchronize();
            },
            m_settings.isCuda || m_settings.threads > 1 ? Clock::Wall : Clock::Processor, seconds);
    }

    Settings m_settings;
    at::Device m_device;
    at::Tensor m_factor;
    std::chrono::steady_clock::time_point m_calibrated;
    bool m_isCalibrated = false;
};

}  // namespace

void work(const Settings& wished) {
    Settings settings = wished;
    if (settings.memoryBytes <= 0.0) settings.memoryBytes = defaultMemoryBytes();
    setUp(settings);
    const c10::InferenceMode inference;
    say(setupLine(settings));
    Worker worker(settings);
    bool hasMeasured = false;
    for (std::string line; std::getline(std::cin, line);) {
        hasMeasured = true;
        worker.calibrateIfDue();
        const std::optional<Request> request = parseRequest(line);
        const std::string answer = request ? worker.answer(*request) : "refused\tthe line states no operation";
        const bool isBroken = worker.isBroken();
        if (isBroken) say("retire");
        say(answer);
        if (isBroken) return;
    }
    if (hasMeasured) worker.calibrate();
}

}  // namespace mitos::measure
