// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/rule_judge.h"

#include "core/eval/finite.h"

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cmath>

namespace mitos::eval {

namespace {

/// Numbers beyond this, or closer to zero than its inverse, are not compared for rules that round: the error of a
/// difference of large numbers says nothing about the rule, and exponentials of them are out of range.
constexpr double LargestScale = 1e2;
/// A rule with this tag holds where all Floats that its variables stand for are positive.
constexpr std::string_view PositiveTag = "positive";

/// Whether the predicate holds for every number and Bool in a value.
bool all(const Value& value, absl::FunctionRef<bool(const Value&)> predicate) {
    if (!value.isTuple() && !value.isTensor()) return predicate(value);
    const std::vector<Value>& parts = value.isTuple() ? value.asTuple().elements : value.asTensor().elements;
    return std::all_of(parts.begin(), parts.end(), [&](const Value& part) { return all(part, predicate); });
}

bool isModerate(const Value& value) {
    return all(value, [](const Value& part) {
        const double size = part.isFloat() ? std::abs(part.asFloat()) : 0.0;
        return size == 0.0 || (size <= LargestScale && size >= 1.0 / LargestScale);
    });
}

bool isPositive(const Value& value) {
    return all(value, [](const Value& part) { return !part.isFloat() || part.asFloat() > 0.0; });
}

bool hasIntegerBelowOne(const Value& value) {
    return !all(value, [](const Value& part) { return !part.isInteger() || part.asInteger() >= 1; });
}

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
      m_onlyPositive(rule.hasTag(PositiveTag)),
      m_tolerance(rule.soundness == rules::Soundness::Exact ? 0.0 : options.tolerance),
      m_limits{.steps = 200'000, .bytes = 64U << 20U, .stop = options.stop} {}

Result<Inputs> RuleJudge::inputsFor(const RuleInstance& instance, Random& random) const {
    InputOptions ranges;
    ranges.equalSizes = random.chance(0.7);
    ranges.positive = m_onlyPositive || random.chance(0.3);
    if (instance.usualSize > 0 && random.chance(0.6)) {
        ranges.minSize = instance.usualSize;
        ranges.maxSize = instance.usualSize;
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
    if (!before && (!isExact || before.error().code == ErrorCode::Limit)) return result;
    bool hasSmallInteger = false;
    if (!isExact) {
        if (!isFinite(before->value)) return result;
        const Result<Evaluation> parts = evaluated(instance.parts, inputs);
        if (!parts || !isModerate(parts->value) || (m_onlyPositive && !isPositive(parts->value))) return result;
        hasSmallInteger = hasIntegerBelowOne(parts->value);
    }
    const Result<Evaluation> after = evaluated(instance.after, inputs);
    if (isUnsupported(after) || (!after && after.error().code == ErrorCode::Limit)) return result;
    const bool agree = before.ok() == after.ok() && (!before || deviation(before->value, after->value) <= m_tolerance);
    // Domain rules take sizes to be positive: where one is not, the right side may fail.
    const bool mayFail = m_soundness == rules::Soundness::Domain && !after && hasSmallInteger;
    if (!agree && mayFail) return result;
    result.outcome = agree ? Outcome::Agree : Outcome::Differ;
    result.before = shown(before);
    result.after = shown(after);
    return result;
}

}  // namespace mitos::eval
