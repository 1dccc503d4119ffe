// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two tensor programs on random inputs.
#include "core/base/time_limit.h"
#include "core/eval/internal/array_difference.h"
#include "core/eval/internal/finite.h"
#include "core/eval/internal/graph_effort.h"
#include "core/eval/internal/graphs.h"
#include "core/eval/samples.h"
#include "core/ir/abstract_value.h"
#include "core/tensor/element_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::eval {

namespace {

/// The limit on the operations of a comparison in all: some seconds.
constexpr double MostFlops = 4e9;

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

/// Inputs beyond numbers between -1 and 1: zeros of both signs, or NaN, in one input; whole numbers of the whole range of their type.
struct Special {
    enum class Kind : std::uint8_t { Zeros, NotANumber, Wide };
    Kind kind = Kind::Zeros;
    std::optional<std::size_t> parameter = {};  ///< only this one has such numbers
};

std::vector<Special> specialsFor(const ir::Function& function) {
    constexpr std::size_t MostParameters = 4;
    std::vector<Special> specials(3, {Special::Kind::Wide});
    for (std::size_t i = 0; i < std::min(function.parameters.size(), MostParameters); ++i) {
        specials.push_back({Special::Kind::Zeros, i});
        specials.push_back({Special::Kind::NotANumber, i});
    }
    return specials;
}

double wideElement(const ir::ValueRange& range, Random& random) {
    switch (random.below(4)) {
        case 0: return range.low;
        case 1: return range.high;
        case 2: return std::clamp(static_cast<double>(random.integer(-2, 2)), range.low, range.high);
        default: return std::floor(random.uniform(range.low, range.high));
    }
}

/// The whole numbers of an array's type that are drawn: beyond 2^53, arithmetic is not exact in double precision.
ir::ValueRange wideRange(const ir::TermBank& bank, ir::TypeId type) {
    constexpr ir::ValueRange Most{-0x1p40, 0x1p40};
    const std::optional<ir::WholeLimits> limits = ir::AbstractValues::wholeLimits(bank.types(), type);
    return limits ? meet(limits->range(), Most) : Most;
}

/// Returns whether the inputs have numbers of that kind.
bool makeSpecial(const ir::TermBank& bank, const ir::Function& function, Inputs& inputs, const Special& special,
                 Random& random) {
    bool isChanged = false;
    for (std::size_t i = 0; i < inputs.arguments.size(); ++i) {
        Value& argument = inputs.arguments[i];
        if (!argument.isArray() || special.parameter.value_or(i) != i) continue;
        tensor::Array changed = argument.asArray();
        const bool isWide = special.kind == Special::Kind::Wide;
        const bool isOther = ir::isFloating(changed.dtype) == isWide || changed.dtype == ir::Dtype::Bool;
        if (isOther || changed.elements.empty()) continue;
        const ir::ValueRange range = isWide ? wideRange(bank, function.parameters[i].type) : ir::ValueRange();
        for (double& element : changed.elements) {
            if (isWide) element = wideElement(range, random);
            if (special.kind == Special::Kind::Zeros && random.chance(0.7)) element = random.chance(0.5) ? 0.0 : -0.0;
        }
        if (special.kind == Special::Kind::NotANumber) {
            changed.elements[random.below(changed.elements.size())] = std::numeric_limits<double>::quiet_NaN();
        }
        isChanged = true;
        argument = Value(std::make_shared<const tensor::Array>(std::move(changed)));
    }
    return isChanged;
}

/// The inputs with 0 in place of every -0.
Inputs withoutZeroSigns(Inputs inputs) {
    for (Value& argument : inputs.arguments) {
        if (!argument.isArray()) continue;
        tensor::Array changed = argument.asArray();
        for (double& element : changed.elements) element += 0.0;
        argument = Value(std::make_shared<const tensor::Array>(std::move(changed)));
    }
    return inputs;
}

/// One comparison of two programs of one signature.
class GraphComparison {
public:
    GraphComparison(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                    const EquivalenceOptions& options)
        : m_bank(bank),
          m_a(a),
          m_b(b),
          m_function(bank.function(a.function)),
          m_options(options),
          m_random(options.seed),
          m_time(options.seconds, options.limits.stop),
          m_limits(options.limits) {
        m_limits.stop = m_time.token();
    }

    Result<Equivalence> run() {
        if (!isRepeatableGraph(m_bank, m_a.root) || !isRepeatableGraph(m_bank, m_b.root)) {
            m_report.note = "it draws random numbers, so that every run gives other values";
            return m_report;
        }
        const Effort first = effortOf(m_bank, m_a.root);
        const Effort second = effortOf(m_bank, m_b.root);
        const double flops = first.flops + second.flops;
        if (flops > m_options.flops) {
            m_report.note = fmt::format("one input takes {:.3g} GFLOP, and comparing may compute {:.3g}", flops / 1e9,
                                        m_options.flops / 1e9);
            return m_report;
        }
        m_samples = std::clamp(static_cast<int>(std::min(1e6, MostFlops / std::max(1.0, flops))), 1, m_options.samples);
        m_longest = std::max(first.longestReduction, second.longestReduction);
        m_tolerance = toleranceFor(m_options.tolerance, m_longest);
        m_report.note = fmt::format("in double precision, to {:.2g}: an element takes up to {:.3g} operations",
                                    m_tolerance, m_longest);
        Result<tensor::Weights> weights = weightsFor(m_bank, m_a.root, m_options.weights.get(), true);
        if (weights) weights = weightsFor(m_bank, m_b.root, &*weights);
        if (!weights) return std::move(weights).error();
        m_weights = std::make_shared<const tensor::Weights>(*std::move(weights));
        MITOS_REQUIRE(compareAll());
        m_report.equivalent = m_report.compared > 0 && m_report.counterexample.empty();
        if (m_report.compared == 0) {
            m_report.note = m_time.isOver() ? "no input could be compared"
                                            : "no input was found on which the first program has a finite value";
            if (!m_lastError.empty()) m_report.note += ": " + m_lastError;
        }
        return m_report;
    }

private:
    Status compareAll() {
        const bool isVaried = m_samples >= LeastVaried;
        for (int i = 0; i < m_samples && m_report.counterexample.empty() && !m_isOver; ++i) {
            MITOS_TRY(Inputs inputs, randomGraphInputs(m_bank, m_function, m_random));
            if (isVaried) varied(inputs, i);
            inputs.weights = m_weights;
            MITOS_REQUIRE(compareOn(inputs));
        }
        for (const Special& special : isVaried ? specialsFor(m_function) : std::vector<Special>()) {
            if (!m_report.counterexample.empty() || m_isOver) break;
            MITOS_TRY(Inputs inputs, randomGraphInputs(m_bank, m_function, m_random));
            if (!makeSpecial(m_bank, m_function, inputs, special, m_random)) continue;
            inputs.weights = m_weights;
            MITOS_REQUIRE(compareOn(inputs, special.kind));
        }
        return Success{};
    }

    /// Special inputs are not counted if they cannot be compared or give the same values.
    Status compareOn(const Inputs& inputs, std::optional<Special::Kind> special = std::nullopt) {
        const Result<Evaluation> expected = evaluateGraph(m_bank, m_a, inputs, m_limits);
        if (isEndOfTime(expected)) return Success{};
        if (!expected && expected.error().code == ErrorCode::Cancelled) return expected.error();
        if (!expected || !isFinite(expected->value)) {
            if (!special) skip(expected);
            return Success{};
        }
        const Result<Evaluation> found = evaluateGraph(m_bank, m_b, inputs, m_limits);
        if (isEndOfTime(found)) return Success{};
        if (!found && found.error().code == ErrorCode::Cancelled) return found.error();
        if (!found && (found.error().code == ErrorCode::Limit || found.error().code == ErrorCode::Unsupported)) {
            if (!special) skip(found);
            return Success{};
        }
        const double apart = deviationOn(inputs, expected->value, found);
        if (!special) {
            ++m_report.compared;
            m_report.maxDeviation = std::max(m_report.maxDeviation, apart);
            if (m_report.compared == 1) {
                m_report.isTelling = respondsTo(m_bank, m_a, inputs, expected->value, m_tolerance, m_limits);
            }
        }
        if (apart <= m_tolerance) return Success{};
        std::string example =
            fmt::format("{}: the first gives {}, the second {}", describeInputs(m_bank, m_function, inputs),
                        toString(expected->value), found ? toString(found->value) : "fails: " + found.error().message);
        if (special == Special::Kind::NotANumber) {
            m_report.addException(ValueException::Kind::NotANumber, std::move(example));
        } else if (special == Special::Kind::Zeros && agreeOn(withoutZeroSigns(inputs))) {
            m_report.addException(ValueException::Kind::ZeroSign, std::move(example));
        } else {
            m_report.counterexample = std::move(example);
        }
        return Success{};
    }

    void skip(const Result<Evaluation>& value) {
        if (!value) m_lastError = value.error().message;
        ++m_report.skipped;
    }

    bool agreeOn(const Inputs& inputs) {
        const Result<Evaluation> first = evaluateGraph(m_bank, m_a, inputs, m_limits);
        if (!first || !isFinite(first->value)) return false;
        return deviationOn(inputs, first->value, evaluateGraph(m_bank, m_b, inputs, m_limits)) <= m_tolerance;
    }

    [[nodiscard]] double deviationOn(const Inputs& inputs, const Value& first, const Result<Evaluation>& second) const {
        if (!second) return HUGE_VAL;
        const double least = leastMagnitudeFor(m_longest, largestOf(inputs));
        return difference(arraysOf(first), arraysOf(second->value), least, false).deviation;
    }

    /// Whether an evaluation ended because of the time limit, which then ends the comparison.
    bool isEndOfTime(const Result<Evaluation>& value) {
        if (value || value.error().code != ErrorCode::Cancelled || !m_time.isOver()) return false;
        m_isOver = true;
        m_lastError = endOfTime(m_options.seconds, m_report.compared, static_cast<std::size_t>(m_samples));
        if (m_report.compared > 0) m_report.note += "; " + m_lastError;
        return true;
    }

    const ir::TermBank& m_bank;
    const ir::Program& m_a;
    const ir::Program& m_b;
    const ir::Function& m_function;
    const EquivalenceOptions& m_options;
    Random m_random;
    TimeLimit m_time;
    Limits m_limits;
    std::shared_ptr<const tensor::Weights> m_weights;
    int m_samples = 0;
    double m_longest = 0.0;  ///< operations that an element takes
    double m_tolerance = 0.0;
    bool m_isOver = false;  ///< the time
    std::string m_lastError;
    Equivalence m_report;
};

/// The operations of one evaluation of a program that is quick to compare.
constexpr double QuickFlops = 2e6;

}  // namespace

bool isQuickGraph(const ir::TermBank& bank, const ir::Program& program) {
    return effortOf(bank, program.root).flops <= QuickFlops;
}

Result<Equivalence> compareGraphs(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                  const EquivalenceOptions& options) {
    return GraphComparison(bank, a, b, options).run();
}

}  // namespace mitos::eval
