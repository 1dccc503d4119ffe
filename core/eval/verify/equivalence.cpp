// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two programs on random inputs.
#include "core/base/time_limit.h"
#include "core/eval/internal/graphs.h"
#include "core/eval/internal/scalars.h"
#include "core/eval/samples.h"
#include "core/eval/verify/internal/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::eval {

namespace {

std::optional<ValueException::Kind> exceptionOf(Agreement agreement) {
    if (agreement == Agreement::ZeroSign) return ValueException::Kind::ZeroSign;
    if (agreement == Agreement::NotANumber) return ValueException::Kind::NotANumber;
    return std::nullopt;
}

}  // namespace

const char* toString(ValueException::Kind kind) {
    switch (kind) {
        case ValueException::Kind::ZeroSign: return "the sign of zero";
        case ValueException::Kind::NotANumber: return "NaN";
    }
    return "";
}

void Equivalence::addException(ValueException::Kind kind, std::string inputsAndValues) {
    const auto known = std::ranges::find(exceptions, kind, &ValueException::kind);
    if (known != exceptions.end()) {
        ++known->inputs;
    } else {
        exceptions.push_back({.kind = kind, .inputs = 1, .example = std::move(inputsAndValues)});
    }
}

std::string endOfTime(double seconds, int compared, std::size_t wanted) {
    return fmt::format("the {:g} s that comparing may take ended after {} of {} inputs", seconds, compared, wanted);
}

/// Half of the time limit is for the search for inputs, which evaluates the first program; the rest is for the second program.
Result<Equivalence> compareTrees(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                 const EquivalenceOptions& options) {
    if (!isRepeatable(bank, a) || !isRepeatable(bank, b)) {
        Equivalence undecided;
        undecided.note = NotRepeatable;
        return undecided;
    }
    const TimeLimit whole(options.seconds, options.limits.stop);
    const TimeLimit drawing(options.seconds / 2.0, whole.token());
    Limits limits = options.limits;
    limits.stop = drawing.token();
    Equivalence report;
    DecidingNumbers numbers;
    addDecidingNumbers(bank, a.root, numbers);
    addDecidingNumbers(bank, b.root, numbers);
    Result<Samples> drawn = drawCoveringSamples(bank, a, options.samples, options.seed, limits, {.numbers = numbers});
    if (!drawn) {
        if (!drawing.isOver()) return std::move(drawn).error();
        report.note = endOfTime(options.seconds, 0, static_cast<std::size_t>(options.samples));
        return report;
    }
    limits.stop = whole.token();
    keepAssumed(bank, a.function, options.assumptions, limits, drawn->samples);
    report.skipped = drawn->skipped;
    report.note = drawn->note;
    const auto addNote = [&report](const std::string& text) {
        report.note += (report.note.empty() ? "" : "; ") + text;
    };
    if (drawing.isOver()) addNote(fmt::format("finding inputs took more than {:g} s", options.seconds / 2.0));
    std::string lastError = drawn->lastError;
    for (const Sample& sample : drawn->samples) {
        Limits own = limits;
        if (sample.isWide) own.steps = std::min(own.steps, MostStepsOfWide);
        const Result<Evaluation> value = evaluate(bank, b, sample.inputs, own);
        const Result<Judged> judged =
            judge(bank, a, b, {sample.inputs, sample.expected, value}, options.tolerance, own);
        if (!judged) {
            if (!whole.isOver()) return judged.error();
            lastError = endOfTime(options.seconds, report.compared, drawn->samples.size());
            if (report.compared > 0) addNote(lastError);
            break;
        }
        if (judged->agreement == Agreement::Undecided) {
            ++report.skipped;
            lastError = value.error().message;
            continue;
        }
        const auto example = [&] {
            return fmt::format(
                "{}: the first gives {}, the second {}", describeInputs(bank, bank.function(a.function), sample.inputs),
                toString(sample.expected), value ? toString(value->value) : "fails: " + value.error().message);
        };
        if (const std::optional<ValueException::Kind> kind = exceptionOf(judged->agreement)) {
            report.addException(*kind, example());
            continue;
        }
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
        addNote(
            fmt::format("equal over the reals only: on {} input{} rounding or the range of Floats makes a difference",
                        report.realOnly, report.realOnly == 1 ? "" : "s"));
    }
    if (report.counterexample.empty() && report.realOnly > report.compared) report.compared = 0;  // inconclusive
    report.equivalent = report.compared > 0 && report.counterexample.empty();
    if (report.compared == 0) {
        report.note = "no input was found on which the first program has a finite value";
        if (!drawn->samples.empty()) report.note = "no input could be compared";
        if (report.realOnly > 0) {
            report.note =
                "on most inputs, rounding or the range of Floats makes a difference, so the comparison decides nothing";
        }
        if (!lastError.empty()) report.note += ": " + lastError;
    }
    return report;
}

}  // namespace mitos::eval
