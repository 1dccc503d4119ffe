// SPDX-License-Identifier: GPL-3.0-or-later
// The programs that are measured: one expression of the paper's Table 5, GEMM, reverse conv1d.
#pragma once

#include "core/base/source_text.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rules/rule.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace mitos::bench {

inline constexpr const char* Samples[] = {"arithmetic/table5-test-12.ks", "linear-algebra/gemm.ks",
                                          "convolution/rev_conv1d.ks"};

[[noreturn]] inline void fail(const Error& error) {
    std::fputs(error.render().c_str(), stderr);
    std::exit(1);
}

/// The paper's two rule sets, read once.
inline const rules::RuleBook& rules() {
    static const rules::RuleBook loadedOnce = [] {
        Result<rules::RuleBook> book = rules::RuleBook::load("ks-simple,ks-extended", ks::makeRegistry());
        if (!book) fail(book.error());
        return *std::move(book);
    }();
    return loadedOnce;
}

/// A sample in a bank of its own.
struct Subject {
    ir::TermBank bank{rules().registry()};
    ir::Program program;

    explicit Subject(const char* sample) {
        const Result<SourceText> text = readSourceFile(std::string(MITOS_SOURCE_DIR "/samples/") + sample);
        if (!text) fail(text.error());
        const Result<ir::Program> parsed = ks::parseProgram(bank, sample, std::string(text->text()));
        if (!parsed) fail(parsed.error());
        program = *parsed;
    }
};

inline void perSecond(benchmark::State& state, const char* what, double count) {
    state.counters[what] = benchmark::Counter(count, benchmark::Counter::kIsRate);
}

/// A benchmark for each sample, "name/sample".
template <typename Measure>
void forEachSample(const char* name, Measure measure) {
    for (const char* sample : Samples) {
        benchmark::RegisterBenchmark((std::string(name) + "/" + sample).c_str(), [=](benchmark::State& state) {
            measure(state, sample);
        })->Unit(benchmark::kMillisecond);
    }
}

}  // namespace mitos::bench
