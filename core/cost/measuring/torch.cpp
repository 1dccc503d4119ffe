// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/torch.h"

#include "core/base/process_identity.h"
#include "core/cost/measuring/worker.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace mitos::cost {

namespace {

constexpr std::string_view Program = "mitos-measure";

/// The code that OpenBLAS runs. It does not recognize newer processors, and falls back to code without vector instructions. Empty: it
/// chooses by itself.
std::string_view blasCore() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0) return "SkylakeX";
    if (__builtin_cpu_supports("avx2") != 0) return "Haswell";
#endif
    return {};
}

std::vector<std::string> environmentFor(std::int64_t threads) {
    std::vector<std::string> variables{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
    for (const char* const name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
        variables.push_back(fmt::format("{}={}", name, threads));
    }
    if (!blasCore().empty()) variables.push_back(fmt::format("OPENBLAS_CORETYPE={}", blasCore()));
    // Where libraries are, and which GPU is used, only the user's environment says.
    for (const char* const name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}) {
        if (const char* const value = std::getenv(name)) variables.push_back(fmt::format("{}={}", name, value));
    }
    return variables;
}

}  // namespace

std::unique_ptr<Measurer> torchMeasurer(const TorchOptions& options) {
    WorkerProgram program{.runtime = "LibTorch",
                          .command = {options.program.empty() ? besideThisProgram(Program) : options.program,
                                      "--device", options.device, "--threads", fmt::format("{}", options.threads),
                                      "--seconds", fmt::format("{}", options.secondsPerOperation)},
                          .environment = environmentFor(options.threads),
                          .howToGet =
                              "install the packages libtorch-dev and libopenblas0-pthread and build again; "
                              "app/measure builds alone against any other LibTorch"};
    return workerMeasurer(std::move(program));
}

}  // namespace mitos::cost
