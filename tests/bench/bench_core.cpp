// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the core is: terms, matches and successors a second.
#include "core/rewrite/successor_index.h"
#include "tests/bench/subject.h"

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

using namespace mitos;
using bench::perSecond;
using bench::Subject;

namespace {

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
            for (const auto& rule : bench::rules().directions()) {
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

/// For one program; nothing is cached.
void successors(benchmark::State& state, const char* sample) {
    Subject subject(sample);
    std::vector<rewrite::Successor> found;
    double count = 0;
    for (auto _ : state) {
        rewrite::SuccessorIndex index(subject.bank, bench::rules().directions());
        index.list(subject.program.root, found, [] { return true; });
        count += static_cast<double>(found.size());
    }
    perSecond(state, "successors", count);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::RegisterBenchmark("new_terms", newTerms)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("known_terms", knownTerms);
    bench::forEachSample("matches", matches);
    bench::forEachSample("successors", successors);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
