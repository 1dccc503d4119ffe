// SPDX-License-Identifier: GPL-3.0-or-later
// Extraction and the file format on graphs of a size that users bring.
#include "core/egraph/json.h"
#include "core/extract/extract.h"
#include "tests/extract/graphs.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

namespace {

using namespace mitos;

/// 57,800 nodes, as many as the largest published file has, each over two before it.
std::string largeFile() {
    std::string text = "{\"nodes\": {";
    for (int i = 0; i < 57'800; ++i) {
        text += fmt::format("{}\"node {}\": {{\"op\": \"f\", \"children\": [", i == 0 ? "" : ",\n", i);
        if (i > 1) text += fmt::format("\"node {}\", \"node {}\"", i - 1, i - 2);
        text += fmt::format("], \"eclass\": \"class {}\", \"cost\": {}.5}}", i, i % 5);
    }
    return text + "}, \"root_eclasses\": [\"class 57799\"]}";
}

void readLargeFile(benchmark::State& state) {
    const SourceText source("large.json", largeFile());
    for (auto _ : state) benchmark::DoNotOptimize(egraph::readJson(source).ok());
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * source.text().size()));
}
BENCHMARK(readLargeFile)->Unit(benchmark::kMillisecond);

void extractChain(benchmark::State& state, const char* method) {
    const extract::Problem problem = tests::chain(8'000);
    for (auto _ : state) benchmark::DoNotOptimize(extract::extract(problem, method)->cost);
}
BENCHMARK_CAPTURE(extractChain, tree, "tree")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(extractChain, paper, "paper")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(extractChain, dag, "dag")->Unit(benchmark::kMillisecond);

/// The published graph that is hardest to prove, and the largest one.
void extractFile(benchmark::State& state, const char* file, const char* method) {
    const std::optional<extract::Problem> problem = tests::referenceProblem(file);
    if (!problem) {
        state.SkipWithError("the reference e-graphs (../shared/data/egraphs) are not on this machine");
        return;
    }
    for (auto _ : state) benchmark::DoNotOptimize(extract::extract(*problem, method).ok());
}
BENCHMARK_CAPTURE(extractFile, box_filter_dag, "box_filter_3iteration_egraph.json", "dag")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(extractFile, box_filter_ilp, "box_filter_3iteration_egraph.json", "ilp")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(extractFile, resnet50_ilp, "resnet50_acyclic.json", "ilp")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(extractFile, nested_call_ilp, "nested_call.bril.json", "ilp")->Unit(benchmark::kMillisecond);

/// n matrix products of one input, any two of which may be joined, as in the e-graphs of recurrent networks: nothing to reduce, and each
/// joined product is shared. A search guided by exact prices makes hundreds of these.
void extractJoinedProducts(benchmark::State& state, std::uint64_t branchWork) {
    const auto n = static_cast<std::uint32_t>(state.range(0));
    std::vector<std::vector<tests::NodeSpec>> classes(n);
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < n; ++i) {
        roots.push_back(i);
        classes[i].push_back({5.35 + 0.01 * i, {}});
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t k = i + 1; k < n; ++k) {
            const auto joined = static_cast<std::uint32_t>(classes.size());
            classes.push_back({{6.7 + 0.001 * ((i * 7 + k * 3) % 5), {}}});
            classes[i].push_back({0.0, {joined}});
            classes[k].push_back({0.0, {joined}});
        }
    }
    const extract::Problem problem = tests::makeProblem(classes, roots);
    for (auto _ : state) benchmark::DoNotOptimize(extract::extract(problem, "ilp", {.branchWork = branchWork})->cost);
}
BENCHMARK_CAPTURE(extractJoinedProducts, branching, extract::Options{}.branchWork)
    ->Arg(8)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(extractJoinedProducts, solver, 0)->Arg(8)->Arg(16)->Unit(benchmark::kMillisecond);

/// A price of a tree search over the e-graphs of transformers and inception networks: layers of eight products, any two or three of which
/// may be joined.
void extractLayersOfProducts(benchmark::State& state) {
    const extract::Problem problem = tests::layersOfProducts(1, static_cast<std::uint32_t>(state.range(0)), 8);
    for (auto _ : state) benchmark::DoNotOptimize(extract::extract(problem, "ilp")->cost);
}
BENCHMARK(extractLayersOfProducts)->Arg(5)->Arg(20)->Unit(benchmark::kMillisecond);

}  // namespace
