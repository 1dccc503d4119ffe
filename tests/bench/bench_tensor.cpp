// SPDX-License-Identifier: GPL-3.0-or-later
// The reference evaluator on the layers of whole networks: what verifying one rewrite of them takes (twice that).
#include "core/base/random.h"
#include "core/tensor/evaluate.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace {

using namespace mitos;
using namespace mitos::tensor;

ArrayPtr random(Shape shape, double scale) {
    Random random(1);
    auto array = std::make_shared<Array>();
    array->elements.resize(static_cast<std::size_t>(elementCount(shape)));
    for (double& element : array->elements) element = scale * (random.uniform() - 0.5);
    array->shape = std::move(shape);
    return array;
}

ArrayPtr layer(std::string_view name, std::string_view attributes, const std::vector<ArrayPtr>& inputs) {
    const Operator& op = *findOperator(name);
    const Result<std::vector<ArrayPtr>> outputs = apply(op, *Attributes::read(op, attributes), inputs);
    if (!outputs) std::abort();
    return outputs->front();
}

ArrayPtr conv(const ArrayPtr& x, std::int64_t features, std::int64_t kernel, std::int64_t stride, std::int64_t group) {
    const std::int64_t channels = x->shape[1] / group;
    const ArrayPtr w = random({features, channels, kernel, kernel}, 1.0 / static_cast<double>(channels * kernel));
    const std::int64_t pad = kernel / 2;
    return layer("Conv", fmt::format("[{0},{0}]$[{1},{1},{1},{1}]$[1,1]${2}", stride, pad, group), {x, w});
}

ArrayPtr relu(const ArrayPtr& x) { return layer("Relu", "", {x}); }

void vgg19(benchmark::State& state) {
    for (auto _ : state) {
        ArrayPtr x = random({1, 3, 224, 224}, 1.0);
        for (const auto& [features, count] : {std::pair{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}}) {
            for (int i = 0; i < count; ++i) x = relu(conv(x, features, 3, 1, 1));
            x = layer("MaxPool", "[2,2]$[2,2]$[0,0,0,0]$[1,1]$false", {x});
        }
        x = layer("Reshape", "[1,25088]", {x});
        for (const std::int64_t size : {4096, 4096, 1000})
            x = layer("MatMul", "", {x, random({x->shape.back(), size}, 0.01)});
        benchmark::DoNotOptimize(x->elements.front());
    }
}
BENCHMARK(vgg19)->Unit(benchmark::kSecond)->Iterations(1);

/// ResNet-50 (group 1) and ResNeXt-50 (group 32), from the stem's output on.
void bottlenecks(benchmark::State& state) {
    const std::int64_t group = state.range(0);
    for (auto _ : state) {
        ArrayPtr x = random({1, 64, 56, 56}, 1.0);
        std::int64_t width = group == 1 ? 64 : 128;
        for (const int count : {3, 4, 6, 3}) {
            for (int i = 0; i < count; ++i) {
                const std::int64_t stride = i == 0 && count != 3 ? 2 : 1;
                const std::int64_t outputs = group == 1 ? 4 * width : 2 * width;
                ArrayPtr y = relu(conv(x, width, 1, 1, 1));
                y = conv(relu(conv(y, width, 3, stride, group)), outputs, 1, 1, 1);
                x = relu(layer("Add", "", {y, i == 0 ? conv(x, outputs, 1, stride, 1) : x}));
            }
            width *= 2;
        }
        benchmark::DoNotOptimize(x->elements.front());
    }
}
BENCHMARK(bottlenecks)->Arg(1)->Arg(32)->Unit(benchmark::kSecond)->Iterations(1);

void matMul(benchmark::State& state) {
    const std::int64_t size = state.range(0);
    const ArrayPtr a = random({size, size}, 1.0);
    for (auto _ : state) benchmark::DoNotOptimize(layer("MatMul", "", {a, a})->elements.front());
    const double flops = 2.0 * static_cast<double>(size * size * size);
    state.counters["flops"] =
        benchmark::Counter(flops * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(matMul)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
