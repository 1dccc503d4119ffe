// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/torch.h"

#include "core/base/process_identity.h"
#include "core/cost/measuring/requests.h"
#include "core/cost/measuring/worker.h"

#include <fmt/format.h>

#include <cstdlib>

namespace mitos::cost {

namespace {

constexpr std::string_view Program = "mitos-measure";

/// Where libraries are, and which GPU is used, only the user's environment says. The program itself chooses its threads, and the code
/// that BLAS runs.
std::vector<std::string> environment() {
    std::vector<std::string> variables{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    for (const char* const name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}) {
        if (const char* const value = std::getenv(name)) variables.push_back(fmt::format("{}={}", name, value));
    }
    return variables;
}

std::vector<std::string> settingsOf(const TorchOptions& options) {
    return {fmt::format("device={}", options.device), fmt::format("threads={}", options.threads),
            fmt::format("seconds={}", options.secondsPerOperation)};
}

}  // namespace

std::unique_ptr<Measurer> torchMeasurer(const TorchOptions& options) {
    return workerMeasurer(
        {.runtime = "LibTorch",
         .command = {options.program.empty() ? besideThisProgram(Program) : options.program},
         .environment = environment(),
         .settings = settingsOf(options),
         .howToGet = "install the packages libtorch-dev and libopenblas0-pthread and build again; app/measure builds "
                     "alone against any other LibTorch, for measuring elsewhere (mitos-cli measure --requests)"});
}

std::string torchRequests(const TorchOptions& options, std::span<const Operation> operations) {
    return requestsText(settingsOf(options), operations);
}

}  // namespace mitos::cost
