// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing two programs on random inputs.
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
    Result<Samples> drawn = drawSamples(bank, a, options.samples, options.seed, options.limits);
    if (!drawn) return std::move(drawn).error();
    Equivalence report;
    report.skipped = drawn->skipped;
    report.note = drawn->note;
    std::string lastError = drawn->lastError;
    for (const Sample& sample : drawn->samples) {
        const Result<Evaluation> value = evaluate(bank, b, sample.inputs, options.limits);
        if (!value && value.error().code == ErrorCode::Cancelled) return value.error();
        if (!value && value.error().code == ErrorCode::Limit) {
            ++report.skipped;  // slower is not different
            lastError = value.error().message;
            continue;
        }
        ++report.compared;
        const double apart = value ? deviation(sample.expected, value->value) : HUGE_VAL;
        report.maxDeviation = std::max(report.maxDeviation, apart);
        if (apart <= options.tolerance) continue;
        report.counterexample =
            fmt::format("{}: the first gives {}, the second {}", describeInputs(bank, first, sample.inputs),
                        toString(sample.expected), value ? toString(value->value) : "fails: " + value.error().message);
        break;
    }
    report.equivalent = report.compared > 0 && report.counterexample.empty();
    if (report.compared == 0) {
        report.note = "no input was found on which the first program has a finite value";
        if (!lastError.empty()) report.note += ": " + lastError;
    }
    return report;
}

}  // namespace mitos::eval
