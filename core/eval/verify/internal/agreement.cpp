// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/verify/internal/agreement.h"

#include "core/eval/internal/finite.h"
#include "core/eval/real_watch.h"

#include <algorithm>
#include <cmath>

namespace mitos::eval {

namespace {

constexpr std::uint64_t NoisyRuns = 4;
/// Differences up to this factor times the spread are attributed to rounding.
constexpr double SpreadFactor = 8.0;

Result<Evaluation> watched(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs, Limits limits,
                           RealWatch& watch) {
    limits.watch = &watch;
    return evaluate(bank, program, inputs, limits);
}

/// Deviation between two runs: 0 if neither has a value, infinity if only one has.
double apart(const Result<Evaluation>& a, const Result<Evaluation>& b) {
    const bool hasA = a.ok() && isFinite(a->value);
    const bool hasB = b.ok() && isFinite(b->value);
    if (!hasA || !hasB) return hasA == hasB ? 0.0 : HUGE_VAL;
    return deviation(a->value, b->value);
}

/// Bounds the effect of rounding on the program's value.
double spread(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs, const Limits& limits,
              const Result<Evaluation>& plain) {
    double largest = 0.0;
    for (std::uint64_t seed = 1; seed <= NoisyRuns; ++seed) {
        RealWatch noise(seed);
        largest = std::max(largest, apart(plain, watched(bank, program, inputs, limits, noise)));
    }
    return largest;
}

/// Whether some Float of the value, at any depth, is NaN.
bool hasNaN(const Value& value) {
    if (value.isFloat()) return std::isnan(value.asFloat());
    if (value.isTuple()) return std::ranges::any_of(value.asTuple().elements, hasNaN);
    return value.isTensor() && std::ranges::any_of(value.asTensor().elements, hasNaN);
}

Value withoutZeroSigns(const Value& value) {
    const auto all = [](std::vector<Value> parts) {
        for (Value& part : parts) part = withoutZeroSigns(part);
        return parts;
    };
    if (value.isFloat()) return Value(value.asFloat() + 0.0);
    if (value.isTuple()) return Value(TupleValue{all(value.asTuple().elements)});
    if (value.isTensor()) return Value(TensorValue{value.asTensor().dims, all(value.asTensor().elements)});
    return value;
}

}  // namespace

bool agreeWithoutZeroSigns(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b, const Inputs& inputs,
                           double tolerance, const Limits& limits) {
    Inputs unsignedInputs = inputs;
    for (Value& argument : unsignedInputs.arguments) argument = withoutZeroSigns(argument);
    RealWatch watch = RealWatch::withoutZeroSigns();
    const Result<Evaluation> first = watched(bank, a, unsignedInputs, limits, watch);
    const Result<Evaluation> second = watched(bank, b, unsignedInputs, limits, watch);
    if (!first || !second) return first.ok() == second.ok();
    return deviation(first->value, second->value) <= tolerance;
}

bool meetsNaN(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs, const Limits& limits) {
    RealWatch watch;
    static_cast<void>(watched(bank, program, inputs, limits, watch));
    return watch.metNaN() || std::ranges::any_of(inputs.arguments, hasNaN);
}

Result<Judged> judge(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b, const OneInput& on,
                     double tolerance, const Limits& limits) {
    const auto& [inputs, expected, found] = on;
    Judged judged;
    if (!found && found.error().code != ErrorCode::Evaluation) {
        if (found.error().code == ErrorCode::Cancelled) return found.error();
        return judged;  // slower, not different
    }
    const bool hasValue = found.ok() && isFinite(found->value);
    judged.deviation = found ? deviation(expected, found->value) : HUGE_VAL;
    if (judged.deviation <= tolerance) {
        judged.agreement = Agreement::Same;
        return judged;
    }
    judged.agreement = Agreement::RealOnly;
    RealWatch first;
    RealWatch second;
    const Result<Evaluation> before = watched(bank, a, inputs, limits, first);
    const Result<Evaluation> after = watched(bank, b, inputs, limits, second);
    judged.isUndefined = first.isUndefined();
    if (std::ranges::any_of(inputs.arguments, hasNaN)) {
        judged.agreement = Agreement::NotANumber;
        return judged;
    }
    const bool isReal = std::ranges::all_of(inputs.arguments, [](const Value& v) { return isFinite(v); });
    if (!isReal || first.leftRange() || second.leftRange()) return judged;
    const double rounding = std::max(spread(bank, a, inputs, limits, before), spread(bank, b, inputs, limits, after));
    if (judged.deviation <= SpreadFactor * rounding) return judged;
    if (agreeWithoutZeroSigns(bank, a, b, inputs, tolerance, limits)) {
        judged.agreement = Agreement::ZeroSign;
        return judged;
    }
    judged.agreement = hasValue ? Agreement::Different : Agreement::Domain;
    return judged;
}

}  // namespace mitos::eval
