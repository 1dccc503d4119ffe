// SPDX-License-Identifier: GPL-3.0-or-later
// Reads models with random mistakes for a given time: `fuzz_onnx SECONDS [SEED [FILE]]`. It ends with what it counted, or
// crashes; then FILE holds the model it read last.
#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "tests/onnx/model_bytes.h"
#include "tests/onnx/mutations.h"
#include "tests/onnx/onnx_models.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

using namespace mitos;
using namespace mitos::tests;

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: fuzz_onnx SECONDS [SEED [FILE]]\n");
        return 2;
    }
    const std::chrono::seconds time(std::atoi(argv[1]));
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::vector<std::string> models;
    for (const auto& path : conformanceModels()) models.push_back(fileBytes(path));
    if (std::filesystem::is_directory(networkFolder())) {
        for (const auto& entry : std::filesystem::directory_iterator(networkFolder())) {
            models.push_back(fileBytes(entry.path()));
        }
    }
    if (models.empty()) {
        fmt::print(stderr, "there are no models to begin with: install libonnx-testdata\n");
        return 2;
    }
    // Functions that call functions, some of which make nothing: the other models have none of their own.
    for (int i = 0; i < 20; ++i) {
        models.push_back(bytes::nestedFunctions(3, 2));
        models.push_back(bytes::functionWithAnEmptyNode(i % 2 == 0));
    }
    const auto registry = tensorRegistry();
    Random random(seed);
    std::size_t read = 0;
    std::size_t refused = 0;
    std::size_t written = 0;
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
        const std::string bytes = mutated(models[random.below(models.size())], random);
        if (argc > 3) std::ofstream(argv[3], std::ios::binary) << bytes;
        ir::TermBank bank(registry);
        const Result<tensor::Model> model = onnx::importBytes(bank, bytes);
        if (!model) {
            ++refused;
            continue;
        }
        ++read;
        if (onnx::exportBytes(bank, *model, {.foldWeights = false, .keepIdle = true})) ++written;
    }
    fmt::print("seed {}: {} models read, {} of them written, {} refused\n", seed, read, written, refused);
    return 0;
}
