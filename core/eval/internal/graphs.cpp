// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/internal/graphs.h"

#include "core/base/time_limit.h"
#include "core/eval/internal/array_difference.h"
#include "core/eval/internal/finite.h"
#include "core/eval/internal/graph_effort.h"
#include "core/eval/samples.h"
#include "core/ir/shared.h"
#include "core/tensor/element_range.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/model.h"
#include "core/tensor/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mitos::eval {

using ir::TermId;

namespace {

/// The limit on the operations of a comparison in all: some seconds.
constexpr double MostFlops = 4e9;
constexpr std::uint64_t SampleSeed = 1;  ///< gives the same numbers for the same name and type

std::vector<tensor::ArrayPtr> arraysOf(const Value& value) {
    if (!value.isTuple()) return {value.arrayPtr()};
    std::vector<tensor::ArrayPtr> arrays;
    for (const Value& element : value.asTuple().elements) arrays.push_back(element.arrayPtr());
    return arrays;
}

double largestOf(const Inputs& inputs) {
    double largest = 1.0;
    for (const Value& argument : inputs.arguments)
        largest = std::max(largest, tensor::largestMagnitude(argument.asArray().elements));
    return largest;
}

/// The inputs with each element of floating-point arrays slightly changed. Empty if there is no such element.
std::optional<Inputs> perturbed(const Inputs& inputs, Random& random) {
    constexpr double Relative = 1e-4;
    Inputs changed{.arguments = {}, .extraSizes = inputs.extraSizes, .weights = inputs.weights};
    bool any = false;
    for (const Value& argument : inputs.arguments) {
        tensor::Array array = argument.asArray();
        if (ir::isFloating(array.dtype)) {
            any = any || !array.elements.empty();
            for (double& element : array.elements)
                element += Relative * (random.uniform() - 0.5) * (1.0 + std::abs(element));
        }
        changed.arguments.emplace_back(std::make_shared<const tensor::Array>(std::move(array)));
    }
    return any ? std::optional(std::move(changed)) : std::nullopt;
}

/// See Equivalence::isTelling. True if this cannot be determined.
bool respondsTo(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs, const Value& value,
                double tolerance, const Limits& limits) {
    Random random(1);
    const std::optional<Inputs> changed = perturbed(inputs, random);
    if (!changed) return true;
    const Result<Evaluation> found = evaluateGraph(bank, program, *changed, limits);
    return !found || deviation(value, found->value) > tolerance;
}

/// Programs that are compared on at least this many inputs are also compared on numbers outside of -1 to 1.
constexpr int LeastVaried = 8;

/// Leaves every second input as it is; in the others all Floats become negative, zero, or a hundred times as large.
void varied(Inputs& inputs, int number) {
    if (number % 2 == 0) return;
    for (Value& argument : inputs.arguments) {
        if (!argument.isArray() || !ir::isFloating(argument.asArray().dtype)) continue;
        tensor::Array changed = argument.asArray();
        for (double& element : changed.elements) {
            element = number % 6 == 1 ? -std::abs(element) : number % 6 == 3 ? 100.0 * element : 0.0;
        }
        argument = Value(std::make_shared<const tensor::Array>(std::move(changed)));
    }
}

/// The inputs in the order of the parameters.
Result<Inputs> fromTensor(const ir::TermBank& bank, const ir::Function& function, const tensor::Inputs& given) {
    Inputs inputs;
    for (const ir::Parameter& parameter : function.parameters) {
        const auto found = given.find(bank.text(parameter.name));
        inputs.arguments.emplace_back(found->second);
    }
    return inputs;
}

}  // namespace

Result<tensor::Weights> weightsFor(const ir::TermBank& bank, TermId root, const tensor::Weights* given,
                                   bool sampleFills) {
    tensor::Weights weights = given == nullptr ? tensor::Weights() : *given;
    for (const TermId node : ir::SharedNodes(bank, root)) {
        if (bank.opName(node) != tensor::WeightName) continue;
        const std::string name(bank.text(bank.payload(node).asSymbol()));
        const tensor::WeightData* const known = weights.find(name);
        const bool isFill = known != nullptr && known->fill() && ir::isFloating(known->dtype());
        if (known != nullptr && !(sampleFills && isFill)) continue;
        const tensor::ArrayType type = tensor::arrayType(bank.types(), bank.type(node));
        if (!type.isStatic()) {
            return Error{ErrorCode::InvalidInput, fmt::format("the weight {} has no known size", name)};
        }
        weights.set(name, tensor::sampledWeight(type, SampleSeed, name));
    }
    return weights;
}

bool isRepeatableGraph(const ir::TermBank& bank, TermId root) {
    return std::ranges::none_of(ir::SharedNodes(bank, root),
                                [&](TermId node) { return bank.registry().info(bank.op(node)).traits.effectful; });
}

Result<Evaluation> evaluateGraph(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                                 const Limits& limits) {
    const ir::Function& function = bank.function(program.function);
    tensor::Inputs given;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        given.emplace(bank.text(function.parameters[i].name), inputs.arguments[i].arrayPtr());
    }
    MITOS_TRY(const tensor::Weights weights, weightsFor(bank, program.root, inputs.weights.get()));
    const auto most = static_cast<std::int64_t>(limits.bytes / sizeof(double));
    tensor::EvaluateOptions options{.stop = limits.stop, .maxElements = most};
    // The usual limit is one for each array: weights of large networks stand beside their transposed form.
    if (limits.bytes < Limits{}.bytes) options.maxHeld = most;
    MITOS_TRY(std::vector<tensor::ArrayPtr> values, tensor::evaluate(bank, program.root, given, weights, options));
    Evaluation result;
    result.steps = ir::sharedSize(bank, program.root);
    if (bank.types().isTuple(bank.type(program.root))) {
        TupleValue tuple;
        for (tensor::ArrayPtr& value : values) tuple.elements.emplace_back(std::move(value));
        result.value = Value(std::move(tuple));
    } else {
        result.value = Value(std::move(values.front()));
    }
    return result;
}

Result<Inputs> randomGraphInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                 const InputOptions& /*options*/) {
    MITOS_TRY(const tensor::Inputs made, tensor::randomInputs(bank, function, {}, random));
    return fromTensor(bank, function, made);
}

Result<Equivalence> compareGraphs(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                  const EquivalenceOptions& options) {
    Equivalence report;
    if (!isRepeatableGraph(bank, a.root) || !isRepeatableGraph(bank, b.root)) {
        report.note = "it draws random numbers, so that every run gives other values";
        return report;
    }
    const Effort first = effortOf(bank, a.root);
    const Effort second = effortOf(bank, b.root);
    if (first.flops + second.flops > options.flops) {
        report.note = fmt::format("one input takes {:.3g} GFLOP, and comparing may compute {:.3g}",
                                  (first.flops + second.flops) / 1e9, options.flops / 1e9);
        return report;
    }
    const int samples = std::clamp(
        static_cast<int>(std::min(1e6, MostFlops / std::max(1.0, first.flops + second.flops))), 1, options.samples);
    const double longest = std::max(first.longestReduction, second.longestReduction);
    const double tolerance = toleranceFor(options.tolerance, longest);
    report.note =
        fmt::format("in double precision, to {:.2g}: an element takes up to {:.3g} operations", tolerance, longest);
    Random random(options.seed);
    const ir::Function& function = bank.function(a.function);
    Result<tensor::Weights> weights = weightsFor(bank, a.root, options.weights.get(), true);
    if (weights) weights = weightsFor(bank, b.root, &*weights);
    if (!weights) return std::move(weights).error();
    const auto shared = std::make_shared<const tensor::Weights>(*std::move(weights));
    std::string lastError;
    const TimeLimit time(options.seconds, options.limits.stop);
    Limits limits = options.limits;
    limits.stop = time.token();
    /// Whether an evaluation ended because of the time limit.
    const auto timeEnded = [&](const Result<Evaluation>& value) {
        if (value || value.error().code != ErrorCode::Cancelled || !time.isOver()) return false;
        lastError = endOfTime(options.seconds, report.compared, static_cast<std::size_t>(samples));
        if (report.compared > 0) report.note += "; " + lastError;
        return true;
    };
    for (int i = 0; i < samples && report.counterexample.empty(); ++i) {
        MITOS_TRY(Inputs inputs, randomGraphInputs(bank, function, random));
        if (samples >= LeastVaried) varied(inputs, i);
        inputs.weights = shared;
        const Result<Evaluation> expected = evaluateGraph(bank, a, inputs, limits);
        if (timeEnded(expected)) break;
        if (!expected || !isFinite(expected->value)) {
            if (!expected && expected.error().code == ErrorCode::Cancelled) return expected.error();
            if (!expected) lastError = expected.error().message;
            ++report.skipped;
            continue;
        }
        const Result<Evaluation> found = evaluateGraph(bank, b, inputs, limits);
        if (timeEnded(found)) break;
        if (!found && found.error().code == ErrorCode::Cancelled) return found.error();
        if (!found && (found.error().code == ErrorCode::Limit || found.error().code == ErrorCode::Unsupported)) {
            lastError = found.error().message;
            ++report.skipped;
            continue;
        }
        ++report.compared;
        double apart = HUGE_VAL;
        if (found) {
            const double least = leastMagnitudeFor(longest, largestOf(inputs));
            apart = difference(arraysOf(expected->value), arraysOf(found->value), least, false).deviation;
        }
        report.maxDeviation = std::max(report.maxDeviation, apart);
        if (report.compared == 1) report.isTelling = respondsTo(bank, a, inputs, expected->value, tolerance, limits);
        if (apart <= tolerance) continue;
        report.counterexample =
            fmt::format("{}: the first gives {}, the second {}", describeInputs(bank, function, inputs),
                        toString(expected->value), found ? toString(found->value) : "fails: " + found.error().message);
    }
    report.equivalent = report.compared > 0 && report.counterexample.empty();
    if (report.compared == 0) {
        report.note = time.isOver() ? "no input could be compared"
                                    : "no input was found on which the first program has a finite value";
        if (!lastError.empty()) report.note += ": " + lastError;
    }
    return report;
}

}  // namespace mitos::eval
