// SPDX-License-Identifier: GPL-3.0-or-later
// mitos-measure: times operations through LibTorch. It reads operations from standard input, one a line, and answers each with a line
// on standard output (README.md). It opens no file that its input names.
#include "app/measure/machine.h"
#include "app/measure/operators.h"
#include "app/measure/timing.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>
#include <torch/cuda.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

namespace {

using namespace mitos::measure;

constexpr int BadUsage = 2;
constexpr const char* Usage = "usage: mitos-measure [--device cpu|cuda] [--threads N] [--seconds S] [--memory BYTES]\n";

constexpr const char* TooLarge = "it needs more memory than measuring may use";

template <typename Number>
bool readNumber(std::string_view text, Number& value, Number least) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size() && value >= least;
}

bool readSettings(int count, char** words, Settings& settings) {
    settings.memoryBytes = defaultMemoryBytes();
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string_view name = words[i];
        const std::string_view value = words[i + 1];
        if (name == "--device") {
            if (value != "cpu" && value != "cuda") return false;
            settings.isCuda = value == "cuda";
        } else if (name == "--threads") {
            if (!readNumber<std::int64_t>(value, settings.threads, 1)) return false;
        } else if (name == "--seconds") {
            if (!readNumber<double>(value, settings.seconds, 0.0)) return false;
        } else if (name == "--memory") {
            if (!readNumber<double>(value, settings.memoryBytes, 0.0)) return false;
        } else {
            return false;
        }
    }
    return count % 2 == 1;
}

void printLine(const std::string& line) { std::cout << line << '\n' << std::flush; }

std::string numberText(double value) {
    std::array<char, 32> text{};
    const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() ? std::string(text.data(), end) : "0";
}

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
        printLine("calibration\t" + numberText(timing.minimum));
        m_calibrated = std::chrono::steady_clock::now();
        m_isCalibrated = true;
    }

    /// The answer to an operation, without its number.
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

int serve(const Settings& settings) {
    setUp(settings);
    const c10::InferenceMode inference;
    printLine("mitos-measure\t1");
    printLine(setupLine(settings));
    Worker worker(settings);
    std::size_t number = 0;
    for (std::string line; std::getline(std::cin, line);) {
        ++number;
        worker.calibrateIfDue();
        const std::optional<Request> request = parseRequest(line);
        const std::string answer = request ? worker.answer(*request) : "refused\tthe line states no operation";
        // The kind of the answer, the number of the operation, and the rest.
        const std::size_t tab = answer.find('\t');
        printLine(answer.substr(0, tab) + "\t" + std::to_string(number) + answer.substr(tab));
    }
    if (number > 0) worker.calibrate();
    return EXIT_SUCCESS;
}

}  // namespace

int main(int count, char** words) {
    Settings settings;
    if (!readSettings(count, words, settings)) {
        std::cerr << Usage;
        return BadUsage;
    }
    try {
        return serve(settings);
    } catch (const std::exception& error) {
        std::cerr << "mitos-measure: " << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
