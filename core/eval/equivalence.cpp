// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing two programs on random inputs.
#include "core/eval/agreement.h"
#include "core/eval/evaluator.h"
#include "core/eval/graphs.h"
#include "core/eval/samples.h"

#include <fmt/format.h>

#include <cmath>

namespace mitos::eval {

Result<Equivalence> compare(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                            const EquivalenceOptions& options) {
    const ir::Function& first = bank.function(a.function);
    const ir::Function& second = bank.function(b.function);
    if (first.argument != second.argument || bank.type(a.root) != bank.type(b.root)) {
        const auto signature = [&](const ir::Function& f, const ir::Program& p) {
            return fmt::format("{} -> {}", bank.types().toString(f.argument), bank.types().toString(bank.type(p.root)));
        };
        return Error{ErrorCode::InvalidInput,
                     fmt::format("programs of different signatures cannot be compared: {} and {}", signature(first, a),
                                 signature(second, b)),
                     std::nullopt,
                     {},
                     {}};
    }
    if (first.sharing == ir::Sharing::Graph) return compareGraphs(bank, a, b, options);
    if (!isRepeatable(bank, a) || !isRepeatable(bank, b)) {
        Equivalence untold;
        untold.note = NotRepeatable;
        return untold;
    }
    std::vector<double> numbers;
    addDecidingNumbers(bank, a.root, numbers);
    addDecidingNumbers(bank, b.root, numbers);
    Result<Samples> drawn = drawCoveringSamples(bank, a, options.samples, numbers, options.seed, options.limits);
    if (!drawn) return std::move(drawn).error();
    keepAssumed(bank, a.function, options.assumptions, options.limits, drawn->samples);
    Equivalence report;
    report.skipped = drawn->skipped;
    report.note = drawn->note;
    std::string lastError = drawn->lastError;
    for (const Sample& sample : drawn->samples) {
        const Result<Evaluation> value = evaluate(bank, b, sample.inputs, options.limits);
        const Result<Judged> judged =
            judge(bank, a, b, sample.inputs, sample.expected, value, options.tolerance, options.limits);
        if (!judged) return judged.error();
        if (judged->agreement == Agreement::Untold) {
            ++report.skipped;
            lastError = value.error().message;
            continue;
        }
        const auto example = [&] {
            return fmt::format("{}: the first gives {}, the second {}", describeInputs(bank, first, sample.inputs),
                               toString(sample.expected),
                               value ? toString(value->value) : "fails: " + value.error().message);
        };
        if (judged->agreement == Agreement::RealOnly) {
            if (report.realOnly++ == 0) report.realOnlyExample = example();
            continue;
        }
        ++report.compared;
        report.maxDeviation = std::max(report.maxDeviation, judged->deviation);
        if (judged->agreement == Agreement::Same) continue;
        report.counterexample = example();
        break;
    }
    if (report.realOnly > 0) {
        report.note +=
            fmt::format("{}equal over the reals only: on {} input{} rounding or the range of Floats makes a difference",
                        report.note.empty() ? "" : "; ", report.realOnly, report.realOnly == 1 ? "" : "s");
    }
    report.equivalent = report.compared > 0 && report.counterexample.empty();
    if (report.compared == 0) {
        report.note = report.realOnly > 0
                          ? "on every input rounding or the range of Floats makes a difference, which tells nothing"
                          : "no input was found on which the first program has a finite value";
        if (!lastError.empty()) report.note += ": " + lastError;
    }
    return report;
}

}  // namespace mitos::eval
