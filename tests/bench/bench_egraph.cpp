// SPDX-License-Identifier: GPL-3.0-or-later
// Saturation: the counting workloads of egraph.md, a calculus, a multi-pattern rule, and the ks rules on GEMM; with and
// without reasons side by side, which is what explanations cost. For instruction counts run one under
// `valgrind --tool=callgrind mitos-cli saturate …` (or perf stat where counters are there).
#include "core/egraph/egraph_rule.h"
#include "core/egraph/runner.h"
#include "core/extract/pricing.h"
#include "core/extract/rule_gains.h"
#include "core/ir/transplant.h"
#include "core/rewrite/start_term.h"
#include "tests/bench/subject.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace mitos;
using egraph::EGraph;

const std::string AssociativeCommutative =
    "op f(x, y) -> 1\nrule commute: f(x, y) => f(y, x)\nrule associate: f(f(x, y), z) => f(x, f(y, z))\n";
const std::string Associative = "op f(x, y) -> 1\nrule associate: f(f(x, y), z) <=> f(x, f(y, z))\n";
const std::string TransitiveClosure =
    "op path(x, y) -> 1\nop fact(x) -> 1\nop yes() -> 1\n"
    "rule trans: path(x, y), path(y, z) => path(x, z), path(y, z)\n"
    "rule given: fact(x) => x\nrule holds: fact(x) => yes()\n";
const std::string Calculus =
    "op plus(x, y) -> 1\nop times(x, y) -> 1\nop power(x, y) -> 1\nop d(x, y) -> 1\nop integral(x, y) -> 1\n"
    "op zero() -> 1\nop one() -> 1\nop two() -> 1\nop minus_one() -> 1\nop sine(x) -> 1\nop cosine(x) -> 1\n"
    "rule plus_commutes: plus(a, b) => plus(b, a)\n"
    "rule times_commutes: times(a, b) => times(b, a)\n"
    "rule plus_associates: plus(plus(a, b), c) => plus(a, plus(b, c))\n"
    "rule times_associates: times(times(a, b), c) => times(a, times(b, c))\n"
    "rule plus_zero: plus(a, zero()) => a\n"
    "rule times_zero: times(a, zero()) => zero()\n"
    "rule times_one: times(a, one()) <=> a where a.op != \"one\"\n"
    "rule distribute: times(a, plus(b, c)) <=> plus(times(a, b), times(a, c))\n"
    "rule power_product: times(power(a, b), power(a, c)) => power(a, plus(b, c))\n"
    "rule power_one: power(x, one()) => x\n"
    "rule power_two: power(x, two()) => times(x, x)\n"
    "rule d_plus: d(x, plus(a, b)) => plus(d(x, a), d(x, b))\n"
    "rule d_times: d(x, times(a, b)) => plus(times(a, d(x, b)), times(b, d(x, a)))\n"
    "rule d_sine: d(x, sine(x)) => cosine(x)\n"
    "rule d_cosine: d(x, cosine(x)) => times(minus_one(), sine(x))\n"
    "rule d_self: d(x, x) => one()\n"
    "rule integral_cosine: integral(cosine(x), x) => sine(x)\n"
    "rule integral_plus: integral(plus(f, g), x) => plus(integral(f, x), integral(g, x))\n"
    "rule by_parts: integral(times(a, b), x) => plus(times(a, integral(b, x)), "
    "times(minus_one(), integral(times(d(x, a), integral(b, x)), x)))\n";

/// The rules of egg's tests (tests/math.rs), without those that ask for constants or variables.
const std::string Math =
    "op plus(x, y) -> 1\nop times(x, y) -> 1\nop minus(x, y) -> 1\nop over(x, y) -> 1\n"
    "op power(x, y) -> 1\nop d(x, y) -> 1\nop integral(x, y) -> 1\nop zero() -> 1\nop one() -> 1\n"
    "op two() -> 1\nop three() -> 1\nop seven() -> 1\nop five() -> 1\nop minus_one() -> 1\n"
    "op sine(x) -> 1\nop cosine(x) -> 1\nop ln(x) -> 1\nop root(x) -> 1\n"
    "rule plus_commutes: plus(a, b) => plus(b, a)\nrule times_commutes: times(a, b) => times(b, a)\n"
    "rule plus_associates: plus(a, plus(b, c)) => plus(plus(a, b), c)\n"
    "rule times_associates: times(a, times(b, c)) => times(times(a, b), c)\n"
    "rule sub_canon: minus(a, b) => plus(a, times(minus_one(), b))\nrule zero_add: plus(a, zero()) => a\n"
    "rule zero_mul: times(a, zero()) => zero()\nrule one_mul: times(a, one()) => a\n"
    "rule cancel_sub: minus(a, a) => zero()\n"
    "rule distribute: times(a, plus(b, c)) => plus(times(a, b), times(a, c))\n"
    "rule factor: plus(times(a, b), times(a, c)) => times(a, plus(b, c))\n"
    "rule pow_mul: times(power(a, b), power(a, c)) => power(a, plus(b, c))\n"
    "rule pow1: power(x, one()) => x\nrule pow2: power(x, two()) => times(x, x)\n"
    "rule d_plus: d(x, plus(a, b)) => plus(d(x, a), d(x, b))\n"
    "rule d_times: d(x, times(a, b)) => plus(times(a, d(x, b)), times(b, d(x, a)))\n"
    "rule d_sine: d(x, sine(x)) => cosine(x)\n"
    "rule d_cosine: d(x, cosine(x)) => times(minus_one(), sine(x))\nrule i_one: integral(one(), x) => x\n"
    "rule i_cos: integral(cosine(x), x) => sine(x)\n"
    "rule i_sin: integral(sine(x), x) => times(minus_one(), cosine(x))\n"
    "rule i_sum: integral(plus(f, g), x) => plus(integral(f, x), integral(g, x))\n"
    "rule i_dif: integral(minus(f, g), x) => minus(integral(f, x), integral(g, x))\n"
    "rule i_parts: integral(times(a, b), x) => minus(times(a, integral(b, x)), integral(times(d(x, a), integral(b, "
    "x)), x))\n";
const std::vector<std::string> MathTerms{
    "integral(ln(x), x)",
    "integral(plus(x, cosine(x)), x)",
    "integral(times(cosine(x), x), x)",
    "d(x, plus(one(), times(two(), x)))",
    "d(x, minus(power(x, three()), times(seven(), power(x, two()))))",
    "plus(times(y, plus(x, y)), minus(plus(x, two()), plus(x, x)))",
    "over(one(), minus(over(plus(one(), root(five())), two()), over(minus(one(), root(five())), two())))"};

std::string comb(int leaves) {
    std::string text;
    for (int i = 1; i < leaves; ++i) text += "f(a" + std::to_string(i) + ", ";
    text += "a" + std::to_string(leaves);
    return text.append(static_cast<std::size_t>(leaves) - 1, ')');
}

std::vector<std::string> edges(int count) {
    std::vector<std::string> terms;
    for (int i = 0; i < count; ++i) {
        terms.push_back("fact(path(a" + std::to_string(i) + ", a" + std::to_string(i + 1) + "))");
    }
    return terms;
}

struct Workload {
    std::shared_ptr<const ir::OperatorRegistry> registry;
    std::vector<std::shared_ptr<const egraph::EGraphRule>> rules;
    std::function<ir::TermId(ir::TermBank&, std::size_t)> start;  ///< invalid behind the last one
    egraph::SaturationOptions options;
};

Workload algebra(const std::string& rules, const std::vector<std::string>& terms, std::size_t nodes) {
    Result<rules::LoadedRules> loaded = rules::loadRules(SourceText("bench.rules", rules), ks::makeRegistry());
    if (!loaded) bench::fail(loaded.error());
    if (!loaded->errors.empty()) bench::fail(loaded->errors.front());
    Workload workload;
    workload.registry = loaded->registry;
    std::vector<std::shared_ptr<const rules::DirectedRule>> directions;
    for (const auto& rule : loaded->set.rules) {
        directions.insert(directions.end(), rule->directions.begin(), rule->directions.end());
    }
    auto prepared = egraph::prepareRules(directions);
    if (!prepared) bench::fail(prepared.error());
    workload.rules = *std::move(prepared);
    workload.start = [terms](ir::TermBank& bank, std::size_t i) {
        if (i >= terms.size()) return ir::TermId();
        const Result<ir::Program> program = rewrite::readStartTerm(bank, "bench", terms[i]);
        if (!program) bench::fail(program.error());
        return program->root;
    };
    workload.options.limits.nodes = nodes;
    return workload;
}

Workload gemm(std::size_t nodes) {
    Workload workload;
    workload.registry = bench::rules().registry();
    auto prepared = egraph::prepareRules(bench::rules().directions());
    if (!prepared) bench::fail(prepared.error());
    workload.rules = *std::move(prepared);
    const auto subject = std::make_shared<bench::Subject>("linear-algebra/gemm.ks");
    workload.start = [subject](ir::TermBank& bank, std::size_t i) {
        return i == 0 ? ir::Transplanter(subject->bank, bank).term(subject->program.root) : ir::TermId();
    };
    workload.options.limits.nodes = nodes;
    return workload;
}

void measure(benchmark::State& state, const Workload& workload, bool explains) {
    std::size_t nodes = 0;
    std::size_t bytes = 0;
    std::size_t ids = 0;
    for (auto _ : state) {
        ir::TermBank bank(workload.registry);
        EGraph graph(bank, explains);
        for (std::size_t i = 0;; ++i) {
            const ir::TermId term = workload.start(bank, i);
            if (!term.isValid()) break;
            graph.add(term);
        }
        const auto report =
            egraph::saturate(graph, workload.rules, workload.options, {}, [](const auto&, EGraph&) { return true; });
        if (!report) bench::fail(report.error());
        nodes = graph.nodeCount();
        ids = graph.idCount();
        bytes = graph.bytes() + bank.bytes();
    }
    state.counters["nodes"] = static_cast<double>(nodes);
    state.counters["ids"] = static_cast<double>(ids);
    state.counters["bytes/node"] = static_cast<double>(bytes) / static_cast<double>(nodes);
    bench::perSecond(state, "nodes/s", static_cast<double>(nodes * state.iterations()));
}

/// Saturating with the cheapest program known after each iteration, and with the gains of the rules.
void measureGains(benchmark::State& state, std::size_t nodes, bool withGains) {
    bench::Subject subject("linear-algebra/gemm.ks");
    const Workload workload = gemm(nodes);
    const auto model = cost::findCostModel("ks-2021");
    if (!model) bench::fail(model.error());
    std::size_t bytes = 0;
    for (auto _ : state) {
        ir::TermBank bank(workload.registry);
        const ir::Program program = ir::Transplanter(subject.bank, bank).program(subject.program);
        EGraph graph(bank);
        graph.add(program.root);
        graph.rebuild();
        const auto costs = (*model)->evaluator(bank, program.function);
        const auto always = [] { return true; };
        const std::unique_ptr<extract::Pricing> pricing = extract::makePricing(graph, *costs, ir::Sharing::Tree);
        const auto least = [&](egraph::ENodeId node) { return pricing->least(node); };
        pricing->update(always);
        extract::RuleGains gains(graph, *costs, workload.rules, {program}, least);
        const auto report = egraph::saturate(graph, workload.rules, workload.options, {}, [&](auto& soFar, EGraph&) {
            pricing->update(always);
            if (withGains) gains.record(least, soFar, always);
            return true;
        });
        if (!report) bench::fail(report.error());
        bytes = bank.bytes();
    }
    state.counters["bank"] = static_cast<double>(bytes);
}

void copyGraph(benchmark::State& state) {
    const Workload workload = algebra(AssociativeCommutative, {comb(8)}, 100'000);
    ir::TermBank bank(workload.registry);
    EGraph graph(bank);
    graph.add(workload.start(bank, 0));
    if (!egraph::saturate(graph, workload.rules, workload.options, {}, [](const auto&, EGraph&) { return true; }))
        return;
    for (auto _ : state) {
        auto copy = std::make_unique<EGraph>(graph);
        benchmark::DoNotOptimize(copy);
    }
    state.counters["nodes"] = static_cast<double>(graph.nodeCount());
}

const int Registered = [] {
    const auto add = [](const std::string& name, const std::function<Workload()>& make) {
        for (const bool explains : {false, true}) {
            const std::string full = "saturate/" + name + (explains ? "/with reasons" : "");
            benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
                measure(state, make(), explains);
            })->Unit(benchmark::kMillisecond);
        }
    };
    add("AC-7", [] { return algebra(AssociativeCommutative, {comb(7)}, 1'000'000); });
    add("AC-9", [] { return algebra(AssociativeCommutative, {comb(9)}, 1'000'000); });
    add("AC-10", [] { return algebra(AssociativeCommutative, {comb(10)}, 1'000'000); });
    add("ASSOC-30", [] { return algebra(Associative, {comb(30)}, 1'000'000); });
    add("ASSOC-64", [] { return algebra(Associative, {comb(64)}, 1'000'000); });
    add("MATH7-10", [] {
        Workload workload = algebra(Math, MathTerms, 1'000'000);
        workload.options.limits.iterations = 10;
        return workload;
    });
    add("calculus", [] {
        return algebra(Calculus, {"integral(times(x, cosine(x)), x)", "d(x, plus(one(), times(two(), sine(x))))"},
                       50'000);
    });
    add("TC-60", [] { return algebra(TransitiveClosure, edges(60), 1'000'000); });
    add("gemm", [] { return gemm(20'000); });
    for (const bool withGains : {false, true}) {
        benchmark::RegisterBenchmark(withGains ? "cheapest/gemm/gains" : "cheapest/gemm", [=](benchmark::State& state) {
            measureGains(state, 20'000, withGains);
        })->Unit(benchmark::kMillisecond);
    }
    benchmark::RegisterBenchmark("copy/AC-8", copyGraph)->Unit(benchmark::kMicrosecond);
    return 0;
}();

}  // namespace
