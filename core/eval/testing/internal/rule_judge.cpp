// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/internal/rule_judge.h"

#include "core/eval/internal/finite.h"
#include "core/eval/internal/real_watch.h"
#include "core/eval/samples.h"

namespace mitos::eval {

namespace {

constexpr std::size_t MostNumbers = 6;
constexpr std::size_t SpecialRegions = static_cast<std::size_t>(Region::NotANumber);  ///< besides the plain one

std::string shown(const Result<Evaluation>& run) {
    if (run) return toString(run->value);
    const std::string& message = run.error().message;
    return "failure: " + message.substr(0, message.find('\n'));
}

}  // namespace

RuleJudge::RuleJudge(const ir::TermBank& bank, ir::FunctionId function, const rules::Rule& rule,
                     const RuleTestOptions& options)
    : m_bank(bank),
      m_function(function),
      m_soundness(rule.soundness),
      m_tolerance(rule.soundness == rules::Soundness::Exact ? 0.0 : options.tolerance),
      m_limits{.steps = 200'000, .bytes = 64U << 20U, .stop = options.stop} {}

Result<Inputs> RuleJudge::inputsFor(const RuleInstance& instance, Random& random) {
    InputOptions ranges;
    ranges.equalSizes = random.chance(0.7);
    ranges.positive = random.chance(0.3);
    if (random.chance(0.1)) ranges.minSize = 0;
    if (instance.usualSize > 0 && random.chance(0.6)) {
        ranges.minSize = instance.usualSize;
        ranges.maxSize = instance.usualSize;
    }
    const std::size_t draw = m_draws++;
    ranges.isRagged = draw % 6 == 4;
    if (draw % 2 == 1) {
        ranges.region = static_cast<Region>(1 + draw / 2 % SpecialRegions);
        if (ranges.region == Region::Constants) {
            addDecidingNumbers(m_bank, instance.before, ranges.numbers, MostNumbers);
            addDecidingNumbers(m_bank, instance.after, ranges.numbers, MostNumbers);
            ranges.numbers = withNeighbours(ranges.numbers);
        }
    }
    return randomInputs(m_bank, m_bank.function(m_function), random, ranges);
}

Result<Evaluation> RuleJudge::evaluated(ir::TermId root, const Inputs& inputs) const {
    return evaluate(m_bank, {m_function, root}, inputs, m_limits);
}

Comparison RuleJudge::compare(const RuleInstance& instance, const Inputs& inputs) const {
    Comparison result;
    const Result<Evaluation> before = evaluated(instance.before, inputs);
    const bool isExact = m_soundness == rules::Soundness::Exact;
    const auto isUnsupported = [&](const Result<Evaluation>& run) {
        if (run || run.error().code != ErrorCode::Unsupported) return false;
        result.before = run.error().message.substr(0, run.error().message.find(';'));
        return true;
    };
    if (isUnsupported(before)) return result;
    const bool hasValue = before && isFinite(before->value);
    if (!before && (!isExact || before.error().code == ErrorCode::Limit)) return result;
    if (!hasValue && !isExact) {
        // If the left side has no value only because its numbers are too large, Floats cause the difference. Without a value for any
        // other reason, nothing follows.
        RealWatch watch;
        Limits limits = m_limits;
        limits.watch = &watch;
        const Result<Evaluation> after = evaluated(instance.after, inputs);
        static_cast<void>(evaluate(m_bank, {m_function, instance.before}, inputs, limits));
        const bool isTooLarge = watch.leftRange() && !watch.isUndefined() && after && isFinite(after->value);
        if (isTooLarge) result.outcome = Outcome::RealOnly;
        return result;
    }
    const Result<Evaluation> after = evaluated(instance.after, inputs);
    if (isUnsupported(after) || (!after && after.error().code == ErrorCode::Limit)) return result;
    result.outcome = Outcome::Agree;
    if (!hasValue) {
        const bool agree =
            before.ok() == after.ok() && (!before || deviation(before->value, after->value) <= m_tolerance);
        if (!agree) result.outcome = before ? Outcome::RealOnly : Outcome::Defines;
        if (!agree) result.agreement = before ? Agreement::RealOnly : Agreement::Domain;
    } else {
        const Result<Judged> judged = judge(m_bank, {m_function, instance.before}, {m_function, instance.after},
                                            {inputs, before->value, after}, m_tolerance, m_limits);
        if (!judged || judged->agreement == Agreement::Undecided) return Comparison{};
        result.agreement = judged->agreement;
        if (judged->agreement == Agreement::RealOnly) result.outcome = Outcome::RealOnly;
        const bool differs = judged->agreement == Agreement::Domain || judged->agreement == Agreement::Different;
        // A value that exists only because Floats continue with infinities does not exist over the reals.
        if (differs && judged->isUndefined && !isExact) return Comparison{};
        if (differs) result.outcome = Outcome::Differ;
    }
    result.before = shown(before);
    result.after = shown(after);
    return result;
}

}  // namespace mitos::eval
