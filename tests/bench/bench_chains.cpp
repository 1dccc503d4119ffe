// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that are as deep as they are large: reading, explaining costs and listing rewrites take linear time.
#include "core/cost/cost_model.h"
#include "core/cost/node_cost.h"
#include "core/dialects/dialects.h"
#include "core/rewrite/rewriter.h"
#include "core/tensor/dialect.h"
#include "core/tensor/text.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace {

using namespace mitos;

/// A sum of so many summands, one after the other.
SourceText chain(std::int64_t nodes) {
    std::string text = "graph chain(x: f32[8])\n  n0 = Relu(x)\n";
    for (std::int64_t i = 1; i < nodes; ++i) text += fmt::format("  n{} = Add(n{}, x)\n", i, i - 1);
    return {"chain", text + fmt::format("  return n{}\n", nodes - 1)};
}

struct Chain {
    rules::RuleBook book = *rules::RuleBook::load(tensor::dialect().defaultRules, dialects::makeRegistry());
    ir::TermBank bank{book.registry()};
    ir::Program program;

    explicit Chain(std::int64_t nodes) {
        const Result<ir::Program> parsed = tensor::parseListing(bank, chain(nodes));
        if (!parsed) std::abort();
        program = *parsed;
    }
};

void readChain(benchmark::State& state) {
    const SourceText text = chain(state.range(0));
    const auto registry = dialects::makeRegistry();
    for (auto _ : state) {
        ir::TermBank bank(registry);
        benchmark::DoNotOptimize(tensor::parseListing(bank, text).ok());
    }
    state.SetComplexityN(state.range(0));
}

void explainChain(benchmark::State& state) {
    const Chain subject(state.range(0));
    const auto model = *cost::findCostModel("", "tensor");
    for (auto _ : state) {
        const auto costs = model->evaluator(subject.bank, subject.program.function);
        benchmark::DoNotOptimize(costs->explainNodes(subject.program.root).ok());
    }
    state.SetComplexityN(state.range(0));
}

void listChain(benchmark::State& state) {
    std::size_t count = 0;
    for (auto _ : state) {
        state.PauseTiming();
        Chain subject(state.range(0));
        state.ResumeTiming();
        const rewrite::Rewriter rewriter(subject.bank, subject.book.directions(), ir::Sharing::Graph);
        rewriter.forEachApplicable(subject.program.root, [&](const rewrite::Applicable&) { return ++count > 0; });
    }
    state.SetComplexityN(state.range(0));
}

void lengths(benchmark::internal::Benchmark* of) {
    of->RangeMultiplier(4)->Range(1'000, 64'000)->Complexity(benchmark::oN)->Unit(benchmark::kMillisecond);
}

BENCHMARK(readChain)->Apply(lengths);
BENCHMARK(explainChain)->Apply(lengths);
BENCHMARK(listChain)->Apply(lengths);

}  // namespace

BENCHMARK_MAIN();
