// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measure/machine.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <sys/resource.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <array>
#include <dlfcn.h>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace mitos::measure {

namespace {

/// The vector instructions that libraries choose their code by.
constexpr std::array<const char*, 12> Features{"sse4_2",      "avx",         "f16c",     "fma",
                                               "avx2",        "avx512f",     "avx512bw", "avx512vl",
                                               "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8"};

/// A field of the first processor in /proc/cpuinfo; empty if there is none.
std::string processorField(const std::string& name) {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        std::string key = line.substr(0, colon);
        key.erase(key.find_last_not_of(" \t") + 1);
        if (key == name) return line.substr(std::min(line.size(), colon + 2));
    }
    return {};
}

std::string features() {
    std::istringstream words(processorField("flags"));
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    std::string found;
    for (const char* feature : Features) {
        if (flags.count(feature) > 0) found += (found.empty() ? "" : " ") + std::string(feature);
    }
    return found;
}

template <typename Function>
Function symbol(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));
}

/// The name and version of the BLAS that LibTorch calls, with the code that it chose; empty if it is inside LibTorch.
std::string blas() {
    using Text = char* (*)();
    const auto config = symbol<Text>(RTLD_DEFAULT, "openblas_get_config");
    const auto core = symbol<Text>(RTLD_DEFAULT, "openblas_get_corename");
    if (config != nullptr && core != nullptr) {
        std::istringstream words(config());
        std::string name;
        std::string version;
        words >> name >> version;
        return name + " " + version + " " + core();
    }
    Dl_info info{};
    void* const product = ::dlsym(RTLD_DEFAULT, "sgemm_");
    if (product == nullptr || ::dladdr(product, &info) == 0 || info.dli_fname == nullptr) return {};
    const std::string path = info.dli_fname;
    const std::string file = path.substr(path.rfind('/') + 1);
    return file.rfind("libtorch", 0) == 0 ? std::string() : file;
}

struct Gpu {
    std::string name;
    std::string capability;
};

/// The name of the first GPU, asked of the driver, since a LibTorch without CUDA has no headers for it.
Gpu gpu() {
    void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return {"unknown GPU", ""};
    using Name = int (*)(char*, int, int);
    using Attribute = int (*)(int*, int, int);
    const auto nameOf = symbol<Name>(driver, "cuDeviceGetName");
    const auto attribute = symbol<Attribute>(driver, "cuDeviceGetAttribute");
    std::array<char, 256> name{};
    int major = 0;
    int minor = 0;
    constexpr int CapabilityMajor = 75;
    constexpr int CapabilityMinor = 76;
    if (nameOf == nullptr || attribute == nullptr || nameOf(name.data(), static_cast<int>(name.size()), 0) != 0 ||
        attribute(&major, CapabilityMajor, 0) != 0 || attribute(&minor, CapabilityMinor, 0) != 0) {
        return {"unknown GPU", ""};
    }
    return {name.data(), std::to_string(major) + "." + std::to_string(minor)};
}

/// Freed memory is kept for the next launch, as runtimes do: else each launch would pay for fresh pages.
void keepMemory() {
    ::mallopt(M_MMAP_MAX, 0);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

/// Allocations beyond the limit fail, and the operation is refused.
void limitMemory(double bytes) {
    std::ifstream status("/proc/self/statm");
    double pages = 0.0;
    status >> pages;
    const double now = pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
    const auto limit = static_cast<rlim_t>(now + bytes);
    rlimit both{};
    ::getrlimit(RLIMIT_AS, &both);
    both.rlim_cur = std::min(both.rlim_max, limit);
    ::setrlimit(RLIMIT_AS, &both);
}

}  // namespace

double defaultMemoryBytes() {
    return 0.5 * static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void setUp(const Settings& settings) {
    if (settings.isCuda && !torch::cuda::is_available()) {
        throw std::runtime_error("there is no CUDA GPU that this LibTorch (" TORCH_VERSION ") can use");
    }
    at::set_num_threads(static_cast<int>(settings.threads));
    at::set_num_interop_threads(1);
    at::globalContext().setBenchmarkCuDNN(true);
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    if (settings.isCuda) return;
    keepMemory();
    limitMemory(settings.memoryBytes);
}

std::string setupLine(const Settings& settings) {
    const Gpu device = settings.isCuda ? gpu() : Gpu{processorField("model name"), features()};
    std::string line = "setup";
    const auto add = [&line](const char* key, const std::string& value) {
        line += std::string("\t") + key + "=" + value;
    };
    add("protocol", "1");
    add("device", settings.isCuda ? "cuda" : "cpu");
    add("processor", device.name);
    add("features", device.capability);
    add("runtime", "LibTorch " TORCH_VERSION);
    add("blas", settings.isCuda ? std::string() : blas());
    add("threads", std::to_string(settings.threads));
    add("settings", settings.isCuda ? "TF32 off, cuDNN benchmark on" : "");
    return line;
}

}  // namespace mitos::measure
