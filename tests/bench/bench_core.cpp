// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the core is: terms, matches, successors, states and costs a second; bytes a state.
#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/rewriter.h"

#include <absl/container/flat_hash_set.h>
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace mitos;

namespace {

constexpr const char* Samples[] = {"arithmetic/table5-test-12.ks", "linear-algebra/gemm.ks",
                                   "convolution/rev_conv1d.ks"};
constexpr std::size_t StatesToReach = 5'000;

/// A sample in a bank of its own, with all shipped rules.
struct Subject {
    rules::RuleBook rules;
    ir::TermBank bank;
    ir::Program program;

    explicit Subject(const char* sample) : rules(load()), bank(rules.registry()) {
        const Result<SourceText> text = readSourceFile(std::string(MITOS_SOURCE_DIR "/samples/") + sample);
        if (!text) fail(text.error());
        const Result<ir::Program> parsed = ks::parseProgram(bank, sample, std::string(text->text()));
        if (!parsed) fail(parsed.error());
        program = *parsed;
    }

private:
    static rules::RuleBook load() {
        Result<rules::RuleBook> book = rules::RuleBook::load("ks-simple,ks-extended", ks::makeRegistry());
        if (!book) fail(book.error());
        return *std::move(book);
    }
    [[noreturn]] static void fail(const Error& error) {
        std::fputs(error.render().c_str(), stderr);
        std::exit(1);
    }
};

/// Breadth first, up to StatesToReach distinct states, the start included.
std::vector<ir::TermId> reach(Subject& subject, rewrite::Rewriter& rewriter) {
    std::vector<ir::TermId> states{subject.program.root};
    absl::flat_hash_set<ir::TermId> seen{subject.program.root};
    for (std::size_t next = 0; next < states.size() && states.size() < StatesToReach; ++next) {
        rewriter.forEach(states[next], [&](const rewrite::Rewrite& r) {
            if (seen.insert(r.result).second) states.push_back(r.result);
            return states.size() < StatesToReach;
        });
    }
    return states;
}

void perSecond(benchmark::State& state, const char* what, double count) {
    state.counters[what] = benchmark::Counter(count, benchmark::Counter::kIsRate);
}

void newTerms(benchmark::State& state) {
    const auto registry = ks::makeRegistry();
    double made = 0;
    for (auto _ : state) {
        ir::TermBank bank(registry);
        ir::TermId sum = bank.floating(0.0);
        for (int i = 1; i <= 100'000; ++i) {
            const std::array children{sum, bank.floating(i)};
            sum = *bank.make(ks::opId(ks::Op::Add), children);
        }
        made += 200'000;
        benchmark::DoNotOptimize(sum);
    }
    perSecond(state, "terms", made);
}

void knownTerms(benchmark::State& state) {
    ir::TermBank bank(ks::makeRegistry());
    const std::array children{bank.floating(1.0), bank.floating(2.0)};
    double made = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(bank.make(ks::opId(ks::Op::Add), children));
        ++made;
    }
    perSecond(state, "terms", made);
}

void matches(benchmark::State& state, const char* sample) {
    Subject subject(sample);
    std::vector<ir::TermId> terms;
    ir::forEachSubterm(subject.bank, subject.program.root, [&](const ir::Path&, ir::TermId term) {
        terms.push_back(term);
        return true;
    });
    double asked = 0;
    double found = 0;
    for (auto _ : state) {
        for (const ir::TermId term : terms) {
            for (const auto& rule : subject.rules.directions()) {
                rule->match(subject.bank, term, [&](const rules::Substitution&) {
                    ++found;
                    return true;
                });
                ++asked;
            }
        }
    }
    perSecond(state, "attempts", asked);
    perSecond(state, "matches", found);
}

void successors(benchmark::State& state, const char* sample) {
    Subject subject(sample);
    double found = 0;
    for (auto _ : state) {
        rewrite::Rewriter rewriter(subject.bank, subject.rules.directions());  // remembers nothing yet
        found += static_cast<double>(rewriter.successors(subject.program.root).size());
    }
    perSecond(state, "successors", found);
}

void states(benchmark::State& state, const char* sample) {
    double reached = 0;
    double bytes = 0;
    for (auto _ : state) {
        Subject subject(sample);
        rewrite::Rewriter rewriter(subject.bank, subject.rules.directions());
        reached += static_cast<double>(reach(subject, rewriter).size());
        bytes += static_cast<double>(subject.bank.bytes());
    }
    perSecond(state, "states", reached);
    state.counters["bytes_per_state"] = bytes / reached;
}

void costs(benchmark::State& state, const char* sample, const char* model) {
    Subject subject(sample);
    rewrite::Rewriter rewriter(subject.bank, subject.rules.directions());
    const std::vector<ir::TermId> roots = reach(subject, rewriter);
    const auto chosen = *cost::findCostModel(model);
    double costed = 0;
    for (auto _ : state) {
        const auto evaluator = chosen->evaluator(subject.bank, subject.program.function);
        for (const ir::TermId root : roots) benchmark::DoNotOptimize(evaluator->cost(root));
        costed += static_cast<double>(roots.size());
    }
    perSecond(state, "states", costed);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::RegisterBenchmark("new_terms", newTerms)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("known_terms", knownTerms);
    for (const char* sample : Samples) {
        const std::string name(sample);
        benchmark::RegisterBenchmark(("matches/" + name).c_str(), matches, sample)->Unit(benchmark::kMillisecond);
        benchmark::RegisterBenchmark(("successors/" + name).c_str(), successors, sample)->Unit(benchmark::kMillisecond);
        benchmark::RegisterBenchmark(("states/" + name).c_str(), states, sample)->Unit(benchmark::kMillisecond);
        for (const char* model : {"ks-2021", "ks-sized"}) {
            benchmark::RegisterBenchmark(("costs/" + std::string(model) + "/" + name).c_str(), costs, sample, model)
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
