// SPDX-License-Identifier: GPL-3.0-or-later
// All rules that come with the program against every node of a whole network: what listing the rewrites of a model takes, and
// what a search pays for its first state. And what growing the network's e-graph takes, and trying rules on it: the e-graph is restored by
// undoing, or another copy is made.
#include "core/dialects/dialects.h"
#include "core/egraph/rule_steps.h"
#include "core/egraph/runner.h"
#include "core/ir/shared.h"
#include "core/networks/networks.h"
#include "core/rewrite/successor_index.h"
#include "core/rules/rule.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace mitos;

[[noreturn]] void fail(const Error& error) {
    std::fputs(error.render().c_str(), stderr);
    std::exit(1);
}

const rules::RuleBook& shippedRules() {
    static const rules::RuleBook loadedOnce = [] {
        Result<rules::RuleBook> book = rules::RuleBook::load(
            fmt::format("{}", fmt::join(rules::shippedRuleSets(), ",")), dialects::makeRegistry());
        if (!book) fail(book.error());
        return *std::move(book);
    }();
    return loadedOnce;
}

/// A network in a bank of its own.
struct Subject {
    explicit Subject(const char* name, networks::Style style) : bank(shippedRules().registry()) {
        const Result<const networks::Network*> network = networks::findNetwork(name);
        if (!network) fail(network.error());
        const Result<tensor::Model> model = networks::build(bank, **network, style);
        if (!model) fail(model.error());
        program = model->program;
    }

    ir::TermBank bank;
    ir::Program program;
};

void count(benchmark::State& state, const Subject& subject, std::uint64_t found) {
    state.counters["nodes"] = static_cast<double>(ir::sharedSize(subject.bank, subject.program.root));
    state.counters["rules"] = static_cast<double>(shippedRules().directions().size());
    state.counters["found"] = static_cast<double>(found);
}

/// Left sides and conditions only, of rules with one root.
void match(benchmark::State& state, const char* name, networks::Style style) {
    Subject subject(name, style);
    const ir::SharedNodes nodes(subject.bank, subject.program.root);
    std::uint64_t found = 0;
    for (auto _ : state) {
        found = 0;
        for (const ir::TermId node : nodes) {
            for (const auto& rule : shippedRules().directions()) {
                rule->match(subject.bank, node, [&](const rules::Substitution&) {
                    ++found;
                    return true;
                });
            }
        }
    }
    count(state, subject, found);
}

/// With what takes the place of each match, and rules with several roots joined: all successors of the network, none built. A
/// new bank each time, as for a file that was just opened.
void list(benchmark::State& state, const char* name, networks::Style style) {
    std::unique_ptr<Subject> subject;
    std::uint64_t found = 0;
    for (auto _ : state) {
        state.PauseTiming();
        subject = std::make_unique<Subject>(name, style);
        rewrite::SuccessorIndex index(subject->bank, shippedRules().directions(), ir::Sharing::Graph);
        std::vector<rewrite::Successor> successors;
        state.ResumeTiming();
        found = index.list(subject->program.root, successors, [] { return true; }).value_or(0);
    }
    count(state, *subject, found);
}

/// The e-graph alone, as the strategies `tensat` and `saturation` grow it, nothing extracted.
void saturate(benchmark::State& state, const char* name, const char* scheduler) {
    const Result<rules::RuleBook> book = rules::RuleBook::load("tensor,tensor-multi", dialects::makeRegistry());
    if (!book) fail(book.error());
    const auto rules = egraph::prepareRules(book->directions());
    if (!rules) fail(rules.error());
    egraph::SaturationOptions options;
    options.scheduler = scheduler;
    options.cycles = egraph::CycleFilter::Efficient;
    options.roots = egraph::RootChoice::Apart;
    constexpr std::uint32_t Iterations = 15;
    constexpr std::uint64_t Nodes = 50'000;
    options.limits.iterations = Iterations;
    options.limits.nodes = Nodes;
    std::size_t nodes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        Subject subject(name, networks::Style::Paper);
        egraph::EGraph graph(subject.bank);
        graph.add(subject.program.root);
        state.ResumeTiming();
        const auto report = egraph::saturate(graph, *rules, options, {}, [](const auto&, auto&) { return true; });
        if (!report) fail(report.error());
        nodes = graph.nodeCount();
    }
    state.counters["nodes"] = static_cast<double>(nodes);
}

enum class Restored : std::uint8_t { Undone, Copied };

/// Each rule that changes an e-graph of up to 2,000 e-nodes (the paper's limit), applied to the e-graph by itself, without pricing.
void tryRules(benchmark::State& state, const char* name, Restored how) {
    const Result<rules::RuleBook> book = rules::RuleBook::load("tensor-default", dialects::makeRegistry());
    if (!book) fail(book.error());
    const auto rules = egraph::prepareRules(book->directions());
    if (!rules) fail(rules.error());
    egraph::SaturationOptions options;
    options.cycles = egraph::CycleFilter::Efficient;
    options.roots = egraph::RootChoice::Apart;
    constexpr std::uint64_t Nodes = 2000;
    options.limits.nodes = Nodes;
    Subject subject(name, networks::Style::Paper);
    egraph::EGraph graph(subject.bank);
    graph.add(subject.program.root);
    const auto report = egraph::saturate(graph, *rules, options, {}, [](const auto&, auto&) { return true; });
    if (!report) fail(report.error());
    options.limits.nodes = 2 * Nodes;
    const auto bank = subject.bank.copy();
    egraph::EGraph own(graph, *bank, false);
    egraph::RuleSteps steps(own, *rules, options, {});
    std::vector<std::uint32_t> changing;
    const auto undone = [&](std::uint32_t rule) {
        const egraph::EGraph::Mark mark = own.mark();
        const bool isChanged = steps.apply(rule) == egraph::RuleSteps::Outcome::Changed;
        own.undoTo(mark);
        return isChanged;
    };
    for (std::uint32_t rule = 0; rule < rules->size(); ++rule) {
        if (undone(rule)) changing.push_back(rule);
    }
    for (auto _ : state) {
        for (const std::uint32_t rule : changing) {
            if (how == Restored::Undone) {
                undone(rule);
                continue;
            }
            const auto copiedBank = subject.bank.copy();
            egraph::EGraph copy(graph, *copiedBank, false);
            egraph::RuleSteps copySteps(copy, *rules, options, {});
            benchmark::DoNotOptimize(copySteps.apply(rule));
        }
    }
    state.counters["nodes"] = static_cast<double>(graph.nodeCount());
    state.counters["rules"] = static_cast<double>(changing.size());
}

}  // namespace

int main(int argc, char** argv) {
    for (const char* name : {"resnet-50", "bert", "nasnet-a"}) {
        for (const networks::Style style : {networks::Style::Paper, networks::Style::Realistic}) {
            const std::string network =
                fmt::format("{}{}", name, style == networks::Style::Paper ? "" : " (realistic)");
            const auto add = [&](const char* what, auto* measure) {
                benchmark::RegisterBenchmark(fmt::format("{}/{}", what, network).c_str(), [=](benchmark::State& state) {
                    measure(state, name, style);
                })->Unit(benchmark::kMillisecond);
            };
            add("match", match);
            add("list", list);
        }
    }
    for (const char* name : {"resnet-50", "bert", "nasrnn", "squeezenet", "inception-v3", "nasnet-a"}) {
        for (const char* scheduler : {"sequential", "backoff"}) {
            benchmark::RegisterBenchmark(fmt::format("saturate/{} ({})", name, scheduler).c_str(),
                                         [=](benchmark::State& state) { saturate(state, name, scheduler); })
                ->Unit(benchmark::kMillisecond);
        }
    }
    for (const char* name : {"bert", "nasrnn", "squeezenet"}) {
        for (const Restored how : {Restored::Undone, Restored::Copied}) {
            const char* const text = how == Restored::Undone ? "undone" : "copied";
            benchmark::RegisterBenchmark(fmt::format("try/{} ({})", name, text).c_str(), [=](benchmark::State& state) {
                tryRules(state, name, how);
            })->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
