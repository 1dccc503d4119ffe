// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/check.h"

#include "core/autodiff/differences.h"
#include "core/autodiff/internal/decisions.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/eval/real_watch.h"
#include "core/eval/samples.h"
#include "core/ir/transplant.h"

#include <absl/functional/function_ref.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::autodiff {

using eval::Inputs;
using eval::Value;

namespace {

constexpr int Directions = 2;  // random directions at each point
constexpr double FirstStep = 0.01;
constexpr double Nearby = 1e-6;  // relative distance to a point beside a singular one
constexpr std::uint64_t NoisyRuns = 4;
/// The rounding of Floats, with a margin of a thousand, as a part of what evaluations with noise differ by.
constexpr double RoundingOfNoise = 0x1p-43 / eval::RealWatch::Noise;
constexpr int DrawnPerPoint = 4;  // inputs drawn for each point that is wanted
constexpr int DrawnAtOnce = 80;   // so that a check ends soon after a stop

/// Appends the Floats of a value or tangent in order.
void collect(const Value& value, Numbers& into) {
    if (value.isFloat()) into.push_back(value.asFloat());
    if (!value.isTuple() && !value.isTensor()) return;
    const std::vector<Value>& parts = value.isTuple() ? value.asTuple().elements : value.asTensor().elements;
    for (const Value& part : parts) collect(part, into);
}

Numbers floatsOf(const Value& value) {
    Numbers numbers;
    collect(value, numbers);
    return numbers;
}

/// The value with these numbers as its Floats; `isTangent` replaces other scalars by the empty tuple.
Value withFloats(const Value& like, const Numbers& numbers, std::size_t& next, bool isTangent) {
    if (like.isFloat()) return Value(numbers[next++]);
    if (like.isTuple()) {
        eval::TupleValue tuple;
        for (const Value& part : like.asTuple().elements) {
            tuple.elements.push_back(withFloats(part, numbers, next, isTangent));
        }
        return Value(std::move(tuple));
    }
    if (like.isTensor()) {
        eval::TensorValue tensor{like.asTensor().dims, {}};
        for (const Value& part : like.asTensor().elements) {
            tensor.elements.push_back(withFloats(part, numbers, next, isTangent));
        }
        return Value(std::move(tensor));
    }
    return isTangent ? Value() : like;
}

Value tangentOf(const Value& like, const Numbers& numbers) {
    std::size_t next = 0;
    return withFloats(like, numbers, next, true);
}

class Checker {
public:
    Checker(const ir::TermBank& bank, const Derivatives& derivatives, const CheckOptions& options,
            const ir::TermBank& decisionsBank, const ir::Program& decisions)
        : m_bank(bank),
          m_derivatives(derivatives),
          m_options(options),
          m_decisionsBank(decisionsBank),
          m_decisions(decisions),
          m_random(options.seed) {
        m_report.isForwardOnly = !derivatives.reverse.isValid();
        m_report.hasGradient = derivatives.gradient.isValid();
    }

    Result<CheckReport> run() {
        const ir::Program program{m_derivatives.base, m_bank.function(m_derivatives.base).body};
        if (!eval::isRepeatable(m_bank, program)) return inputError(eval::NotRepeatable, "check another function");
        std::uint64_t seed = m_options.seed;
        bool areFound = true;  // inputs on which the program has a value
        for (int left = m_options.points * DrawnPerPoint; left > 0 && areFound && !isDone(); left -= DrawnAtOnce) {
            const int count = std::min(left, DrawnAtOnce);
            MITOS_TRY(const eval::Samples samples, eval::drawSamples(m_bank, program, count, seed, m_options.limits));
            m_report.skipped += samples.skipped;
            m_report.note = samples.note;
            m_report.reason = samples.lastError;
            MITOS_REQUIRE(compareAll(samples.samples));
            areFound = !samples.samples.empty();
            seed = combineHash(seed, 1);
        }
        const bool isWithin = m_worstExcess <= 1.0 && m_report.lawDeviation <= m_options.lawTolerance;
        m_report.passed = m_report.points > 0 && isWithin && m_report.failure.empty();
        if (m_report.passed) m_report.worst.clear();
        m_report.isUndecided = m_report.points == 0 && isWithin && m_report.failure.empty();
        if (!m_report.isUndecided) m_report.reason.clear();
        return std::move(m_report);
    }

private:
    [[nodiscard]] bool isDone() const { return m_report.points >= m_options.points || !m_report.failure.empty(); }

    Status compareAll(const std::vector<eval::Sample>& samples) {
        for (const eval::Sample& sample : samples) {
            if (isDone()) break;
            // Short evaluations do not notice a stop.
            if (m_options.limits.stop.stop_requested()) {
                return Error{ErrorCode::Cancelled, "the check was stopped", std::nullopt, {}};
            }
            MITOS_REQUIRE(compare(sample));
        }
        return Success{};
    }

    Status compare(const eval::Sample& sample) {
        Numbers point;
        for (const Value& argument : sample.inputs.arguments) collect(argument, point);
        const Numbers result = floatsOf(sample.expected);
        for (int i = 0; i < Directions; ++i) {
            const Numbers dx = randomNumbers(point.size());
            const Numbers dt = randomNumbers(result.size());
            const auto moved = [&](double step) { return movedBy(sample.inputs, point, dx, step); };
            const DifferenceOptions steps{.firstStep = FirstStep * std::max(1.0, largest(point))};
            MITOS_TRY(const std::optional<Slope> slope, slopeAlong(moved, steps));
            if (!slope) {
                ++m_report.redrawn;
                return Success{};
            }
            if (!slope->isSettled()) {
                ++m_report.unsettled;
                return Success{};
            }
            MITOS_TRY(const bool counts, compareAlong(sample, dx, dt, *slope));
            if (!counts || !m_report.failure.empty()) return Success{};
        }
        if (m_report.hasGradient) {
            MITOS_TRY(const bool counts, compareGradient(sample));
            if (!counts || !m_report.failure.empty()) return Success{};
        }
        ++m_report.points;
        if (m_options.progress) m_options.progress(m_report.points);
        return Success{};
    }

    /// The values of both derivatives along random tangents.
    struct Pair {
        Numbers forward;
        Numbers reverse;
        [[nodiscard]] bool isFinite() const { return areFinite(forward) && areFinite(reverse); }
    };

    Result<std::optional<Pair>> pairAt(const Inputs& inputs, const Value& result, const Numbers& dx,
                                       const Numbers& dt) {
        std::vector<Value> tangents;
        std::size_t next = 0;
        for (const Value& argument : inputs.arguments) tangents.push_back(withFloats(argument, dx, next, true));
        MITOS_TRY(std::optional<Numbers> forward,
                  derivativeAt(m_derivatives.forward, inputs, tupled(std::move(tangents))));
        if (forward && m_report.isForwardOnly) return std::optional(Pair{*std::move(forward), {}});
        MITOS_TRY(std::optional<Numbers> reverse, derivativeAt(m_derivatives.reverse, inputs, tangentOf(result, dt)));
        if (!forward || !reverse) return std::optional<Pair>();
        return std::optional(Pair{*std::move(forward), *std::move(reverse)});
    }

    /// Returns whether the point counts: not if it is singular, that is, a derivative is not finite because a step of it is undefined.
    Result<bool> compareAlong(const eval::Sample& sample, const Numbers& dx, const Numbers& dt, const Slope& slope) {
        m_hasUndefinedStep = false;
        MITOS_TRY(const std::optional<Pair> pair, pairAt(sample.inputs, sample.expected, dx, dt));
        if (!pair) {
            if (m_options.mayFail) ++m_report.failed;
            return false;
        }
        if (!pair->isFinite()) {
            if (m_hasUndefinedStep) {
                ++m_report.singular;
                return false;
            }
        }
        const Numbers* const forward = &pair->forward;
        const Numbers* const reverse = &pair->reverse;
        const double size = std::max(largest(*forward), slope.size());
        const double allowed = m_options.tolerance + slope.allowance(size);
        const double forwardApart = largestDifference(*forward, slope.values);
        const Product byForward = inner(dt, *forward);
        const Product byReverse = inner(*reverse, dx);
        const Product byDifferences = inner(dt, slope.values);
        const double productSize = std::max({byForward.size, byReverse.size, byDifferences.size, size * largest(dt)});
        const double reverseApart = std::abs(byReverse.sum - byDifferences.sum);
        const double lawApart = std::abs(byReverse.sum - byForward.sum);
        const auto areWithin = [&](double rounding) {
            const bool isForwardWithin = forwardApart <= allowed * size + rounding;
            return isForwardWithin &&
                   (m_report.isForwardOnly || (reverseApart <= allowed * productSize + rounding &&
                                               lawApart <= m_options.lawTolerance * productSize + rounding));
        };
        double rounding = 0.0;  // it is all that there is of a derivative that is zero over the reals
        if (!areWithin(0.0)) {
            const auto noisy = [&]() -> Result<std::optional<Numbers>> {
                MITOS_TRY(const std::optional<Pair> other, pairAt(sample.inputs, sample.expected, dx, dt));
                return other ? std::optional(comparedNumbers(*other, dx, dt)) : std::nullopt;
            };
            MITOS_TRY(rounding, roundingOf(comparedNumbers(*pair, dx, dt), noisy));
        }
        const auto deviation = [&](double apart, double of, double tolerance) {
            return relative(apart, std::max(of, rounding / tolerance));
        };
        const double forwardDeviation = deviation(forwardApart, size, allowed);
        note(m_report.forwardDeviation, forwardDeviation, forwardDeviation / allowed, sample);
        if (m_report.isForwardOnly) return true;
        const double reverseDeviation = deviation(reverseApart, productSize, allowed);
        const double lawDeviation = deviation(lawApart, productSize, m_options.lawTolerance);
        note(m_report.reverseDeviation, reverseDeviation, reverseDeviation / allowed, sample);
        note(m_report.lawDeviation, lawDeviation, lawDeviation / m_options.lawTolerance, sample);
        return true;
    }

    /// How far rounding may move numbers that `evaluated` gives, which are `plain` without noise.
    Result<double> roundingOf(const Numbers& plain, absl::FunctionRef<Result<std::optional<Numbers>>()> evaluated) {
        const bool hadUndefinedStep = m_hasUndefinedStep;
        double most = 0.0;
        Status status = Success{};
        for (m_noise = 1; m_noise <= NoisyRuns && status; ++m_noise) {
            const Result<std::optional<Numbers>> noisy = evaluated();
            if (!noisy) status = noisy.error();
            const bool isLike = noisy && *noisy && (*noisy)->size() == plain.size();
            const double apart = isLike ? largestDifference(**noisy, plain) : 0.0;
            if (std::isfinite(apart)) most = std::max(most, apart);
        }
        m_noise = 0;
        m_hasUndefinedStep = hadUndefinedStep;
        MITOS_REQUIRE(status);
        return most * RoundingOfNoise;
    }

    /// The numbers of a pair that are compared.
    static Numbers comparedNumbers(const Pair& pair, const Numbers& dx, const Numbers& dt) {
        Numbers numbers = pair.forward;
        numbers.push_back(inner(dt, pair.forward).sum);
        numbers.push_back(inner(pair.reverse, dx).sum);
        return numbers;
    }

    /// Compares the gradient in chosen parameters with their parts of the reverse derivative. Returns whether the point counts.
    Result<bool> compareGradient(const eval::Sample& sample) {
        MITOS_TRY(const std::optional<Numbers> all, derivativeAt(m_derivatives.reverse, sample.inputs, Value(1.0)));
        MITOS_TRY(const std::optional<Numbers> found, floatsAt(m_derivatives.gradient, sample.inputs, sample.inputs));
        if (!all || !found) {
            if (m_options.mayFail) ++m_report.failed;
            return false;
        }
        std::vector<Numbers> parts;
        std::size_t next = 0;
        for (const Value& argument : sample.inputs.arguments) {
            const auto first = all->begin() + static_cast<std::ptrdiff_t>(next);
            next += floatsOf(argument).size();
            parts.emplace_back(first, all->begin() + static_cast<std::ptrdiff_t>(next));
        }
        Numbers expected;
        for (const std::size_t k : m_derivatives.wrt) expected.insert(expected.end(), parts[k].begin(), parts[k].end());
        double deviation = found->size() == expected.size()
                               ? relative(largestDifference(*found, expected), largest(expected))
                               : std::numeric_limits<double>::infinity();
        if (std::isfinite(deviation) && deviation > m_options.lawTolerance) {
            const auto noisy = [&] { return floatsAt(m_derivatives.gradient, sample.inputs, sample.inputs); };
            MITOS_TRY(const double rounding, roundingOf(*found, noisy));
            deviation = relative(largestDifference(*found, expected),
                                 std::max(largest(expected), rounding / m_options.lawTolerance));
        }
        note(m_report.gradientDeviation, deviation, deviation / m_options.lawTolerance, sample);
        return true;
    }

    void note(double& most, double deviation, double excess, const eval::Sample& sample) {
        if (std::isnan(deviation)) deviation = excess = std::numeric_limits<double>::infinity();
        most = std::max(most, deviation);
        if (excess <= m_worstExcess) return;
        m_worstExcess = excess;
        m_report.worst = eval::describeInputs(m_bank, m_bank.function(m_derivatives.base), sample.inputs);
    }

    /// One argument as it is, several as a tuple.
    static Value tupled(std::vector<Value> values) {
        if (values.size() == 1) return values[0];
        return Value(eval::TupleValue{std::move(values)});
    }

    /// The Floats of a derivative's value; nothing, and a failure in the report, if it has none.
    Result<std::optional<Numbers>> derivativeAt(ir::FunctionId id, const Inputs& at, Value tangent) {
        const ir::Function& function = m_bank.function(id);
        const ir::Function& base = m_bank.function(m_derivatives.base);
        Inputs inputs;
        Value point = tupled(at.arguments);
        if (function.parameters.size() == 1) {
            inputs.arguments.push_back(tupled({std::move(point), std::move(tangent)}));
        } else {
            inputs.arguments = {std::move(point), std::move(tangent)};
        }
        for (const ir::SizeName& size : function.sizes) {
            if (size.parameter) continue;
            std::size_t extra = 0;
            for (const ir::SizeName& known : base.sizes) {
                if (known.parameter) continue;
                if (known.name == size.name) inputs.extraSizes.push_back(at.extraSizes[extra]);
                ++extra;
            }
        }
        return floatsAt(id, inputs, at);
    }

    /// The Floats of a function's value; nothing, and a failure in the report at the base's inputs, if it has none.
    Result<std::optional<Numbers>> floatsAt(ir::FunctionId id, const Inputs& inputs, const Inputs& at) {
        const ir::Function& function = m_bank.function(id);
        const ir::Function& base = m_bank.function(m_derivatives.base);
        eval::RealWatch watch = m_noise == 0 ? eval::RealWatch() : eval::RealWatch(m_noise);
        eval::Limits limits = m_options.limits;
        limits.watch = &watch;
        const Result<eval::Evaluation> result = eval::evaluate(m_bank, {id, function.body}, inputs, limits);
        m_hasUndefinedStep = m_hasUndefinedStep || watch.isUndefined() || watch.leftRange();
        if (result) return std::optional(floatsOf(result->value));
        if (result.error().code == ErrorCode::Cancelled) return result.error();
        if (m_options.mayFail || m_noise != 0) return std::optional<Numbers>();
        m_report.failure = fmt::format("{}: {}", function.name, result.error().message);
        m_report.worst = eval::describeInputs(m_bank, base, at);
        m_worstExcess = std::numeric_limits<double>::infinity();
        return std::optional<Numbers>();
    }

    Numbers randomNumbers(std::size_t count) {
        Numbers numbers;
        for (std::size_t i = 0; i < count; ++i) numbers.push_back(m_random.uniform(-1.0, 1.0));
        return numbers;
    }

    static Inputs movedInputs(const Inputs& inputs, const Numbers& point, const Numbers& dx, double h) {
        Numbers moved = point;
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += h * dx[i];
        Inputs at = inputs;
        std::size_t next = 0;
        for (Value& argument : at.arguments) argument = withFloats(argument, moved, next, false);
        return at;
    }

    /// The program's value and decisions at point + h dx; nothing if it has no value there.
    Result<std::optional<Moved>> movedBy(const Inputs& inputs, const Numbers& point, const Numbers& dx, double h) {
        const Inputs at = movedInputs(inputs, point, dx, h);
        const Result<eval::Evaluation> result = eval::evaluate(m_decisionsBank, m_decisions, at, m_options.limits);
        if (!result) {
            if (result.error().code == ErrorCode::Cancelled) return result.error();
            return std::optional<Moved>();
        }
        return std::optional(Moved{floatsOf(result->value), result->printed});
    }

    const ir::TermBank& m_bank;
    const Derivatives& m_derivatives;
    const CheckOptions& m_options;
    const ir::TermBank& m_decisionsBank;
    const ir::Program& m_decisions;
    Random m_random;
    CheckReport m_report;
    std::uint64_t m_noise = 0;        ///< the seed of the noise that derivatives are evaluated with; 0: none
    bool m_hasUndefinedStep = false;  ///< of the derivatives last evaluated: a division by zero, or an overflow
    double m_worstExcess = 0.0;       ///< of a deviation over what is allowed
};

}  // namespace

std::string describe(const CheckReport& report) {
    if (report.isUndecided) {
        const std::string reason = report.reason.empty() ? "" : fmt::format("; on one of them: {}", report.reason);
        return fmt::format(
            "no point could be compared: of the inputs drawn, the function has no finite value on {}{}, "
            "and {} are beside branches or singular points\n{}",
            report.skipped, reason, report.redrawn + report.unsettled + report.singular + report.failed,
            report.note.empty() ? "" : report.note + "\n");
    }
    std::string text = fmt::format("checked at {} point{}: from central differences, forward deviates by {:.2g}",
                                   report.points, report.points == 1 ? "" : "s", report.forwardDeviation);
    if (report.isForwardOnly) {
        text += " (relative)\n";
    } else {
        text += fmt::format(" and reverse by {:.2g} (relative); <rev, dx> and <dt, fwd> differ by {:.2g} (relative)\n",
                            report.reverseDeviation, report.lawDeviation);
    }
    if (report.hasGradient) {
        text += fmt::format("the gradient in the chosen parameters deviates from reverse by {:.2g} (relative)\n",
                            report.gradientDeviation);
    }
    const std::array<std::pair<int, const char*>, 4> others{
        {{report.redrawn, "a branch changes there"},
         {report.unsettled, "the differences do not converge there"},
         {report.singular, "a derivative is singular there"},
         {report.failed, "the delta form sums over nothing there, which fails"}}};
    for (const auto& [count, why] : others) {
        if (count > 0) text += fmt::format("{} point{} drawn again: {}\n", count, count == 1 ? "" : "s", why);
    }
    if (report.skipped > 0) {
        text += fmt::format("{} input{} without a finite value\n", report.skipped, report.skipped == 1 ? "" : "s");
    }
    if (!report.note.empty()) text += report.note + "\n";
    if (!report.failure.empty()) text += "a derivative failed: " + report.failure + "\n";
    if (report.points == 0) text += "no point could be compared as a whole\n";
    if (!report.worst.empty()) text += "largest deviation at " + report.worst + "\n";
    return text;
}

const char* verdictOf(const CheckReport& report) {
    if (report.isUndecided) return "the derivatives were not compared";
    return report.passed ? "the derivatives agree" : "the derivatives do not agree";
}

Result<CheckReport> check(const ir::TermBank& bank, const Derivatives& derivatives, const CheckOptions& options) {
    ir::TermBank decisionsBank(bank.sharedRegistry());
    ir::Transplanter transplanter(bank, decisionsBank);
    const ir::Program copy = transplanter.program({derivatives.base, bank.function(derivatives.base).body});
    MITOS_TRY(const ir::Program decisions, printingDecisions(decisionsBank, copy));
    return Checker(bank, derivatives, options, decisionsBank, decisions).run();
}

}  // namespace mitos::autodiff
