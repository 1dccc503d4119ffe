// SPDX-License-Identifier: GPL-3.0-or-later
// Instances, verdicts, and the smallest counterexample.
#include "core/eval/rule_test.h"

#include "core/base/hash.h"
#include "core/eval/evaluator.h"
#include "core/eval/rule_instances.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

namespace mitos::eval {

using ir::TermId;

namespace {

using Clock = std::chrono::steady_clock;

/// Numbers beyond this, or closer to zero than its inverse, are not compared for rules that round: the error of a
/// difference of large numbers says nothing about the rule, and exponentials of them are out of range.
constexpr double LargestScale = 1e2;
/// A rule with this tag holds where all Floats that its variables stand for are positive.
constexpr std::string_view PositiveTag = "positive";
constexpr int AttemptsPerSample = 12;
constexpr int ShrinkAttempts = 400;
constexpr std::uint32_t LargestSize = 7;
/// A new bank after so many terms: instances leave their terms behind.
constexpr std::size_t MaxTerms = 400'000;

double seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

bool isFinite(const Value& value) {
    if (value.isFloat()) return std::isfinite(value.asFloat());
    const auto all = [](const std::vector<Value>& parts) { return std::all_of(parts.begin(), parts.end(), isFinite); };
    if (value.isTuple()) return all(value.asTuple().elements);
    return !value.isTensor() || all(value.asTensor().elements);
}

bool isModerate(const Value& value) {
    if (value.isFloat()) {
        const double size = std::abs(value.asFloat());
        return size == 0.0 || (size <= LargestScale && size >= 1.0 / LargestScale);
    }
    const auto all = [](const std::vector<Value>& parts) {
        return std::all_of(parts.begin(), parts.end(), isModerate);
    };
    if (value.isTuple()) return all(value.asTuple().elements);
    return !value.isTensor() || all(value.asTensor().elements);
}

bool isPositive(const Value& value) {
    if (value.isFloat()) return value.asFloat() > 0.0;
    const auto all = [](const std::vector<Value>& parts) {
        return std::all_of(parts.begin(), parts.end(), isPositive);
    };
    if (value.isTuple()) return all(value.asTuple().elements);
    return !value.isTensor() || all(value.asTensor().elements);
}

bool hasIntegerBelowOne(const Value& value) {
    if (value.isInteger()) return value.asInteger() < 1;
    const auto any = [](const std::vector<Value>& parts) {
        return std::any_of(parts.begin(), parts.end(), hasIntegerBelowOne);
    };
    if (value.isTuple()) return any(value.asTuple().elements);
    return value.isTensor() && any(value.asTensor().elements);
}

enum class Outcome : std::uint8_t { Agree, Differ, NotCompared };

struct Comparison {
    Outcome outcome = Outcome::NotCompared;
    Inputs inputs;
    std::string before;
    std::string after;
};

std::string shown(const Result<Evaluation>& run) {
    if (run) return toString(run->value);
    const std::string& message = run.error().message;
    return "failure: " + message.substr(0, message.find('\n'));
}

class DirectionTest {
public:
    DirectionTest(const rules::CompiledDirection& direction, std::shared_ptr<const ir::OperatorRegistry> registry,
                  const RuleTestOptions& options, std::optional<Clock::time_point> deadline)
        : m_direction(direction),
          m_registry(std::move(registry)),
          m_options(options),
          m_deadline(deadline),
          m_soundness(direction.rule().soundness),
          m_onlyPositive(direction.rule().hasTag(PositiveTag)),
          m_random(combineHash(options.seed, hashText(direction.name()))) {
        renew();
    }

    RuleVerdict run() {
        const Clock::time_point start = Clock::now();
        RuleVerdict verdict;
        verdict.name = m_direction.name();
        verdict.tag = rules::toString(m_soundness);
        const int attempts = m_options.samplesPerRule * AttemptsPerSample;
        for (int i = 0; i < attempts && verdict.samples < m_options.samplesPerRule && !stopped(); ++i) {
            if (m_bank->size() > MaxTerms) renew();
            const auto size = static_cast<std::uint32_t>(1 + m_random.below(LargestSize));
            const std::optional<RuleInstance> instance = m_instances->make(m_random, size, m_random.chance(0.7));
            if (!instance) continue;
            const Comparison comparison = compare(*instance);
            if (comparison.outcome == Outcome::NotCompared) continue;
            ++verdict.samples;
            if (comparison.outcome == Outcome::Agree) continue;
            verdict.verdict = Verdict::Fail;
            verdict.counterexample = smallest(*instance, comparison);
            break;
        }
        if (verdict.verdict != Verdict::Fail) {
            verdict.verdict = verdict.samples > 0 ? Verdict::Pass : Verdict::Untested;
            if (verdict.samples == 0) verdict.counterexample = stopped() ? "stopped" : "no instance could be compared";
        }
        verdict.seconds = seconds(start);
        return verdict;
    }

private:
    void renew() {
        m_instances.reset();
        m_bank = std::make_unique<ir::TermBank>(m_registry);
        m_instances.emplace(*m_bank, m_direction);
    }

    [[nodiscard]] bool stopped() const {
        return m_options.stop.stop_requested() || (m_deadline && Clock::now() > *m_deadline);
    }

    [[nodiscard]] Result<Evaluation> evaluated(TermId root, const Inputs& inputs) const {
        Limits limits{.steps = 200'000, .bytes = 64U << 20U};
        limits.stop = m_options.stop;
        return evaluate(*m_bank, {m_instances->function(), root}, inputs, limits);
    }

    Comparison compare(const RuleInstance& instance) {
        Comparison result;
        InputOptions ranges;
        ranges.equalSizes = m_random.chance(0.7);
        ranges.positive = m_onlyPositive || m_random.chance(0.3);
        Result<Inputs> inputs = randomInputs(*m_bank, m_bank->function(m_instances->function()), m_random, ranges);
        if (!inputs) return result;
        result.inputs = *inputs;
        const Result<Evaluation> before = evaluated(instance.before, *inputs);
        const bool isExact = m_soundness == rules::Soundness::Exact;
        if (!before && (!isExact || before.error().code == ErrorCode::Limit)) return result;
        if (before && !isExact && (!isFinite(before->value) || !isWellConditioned(instance, *inputs))) return result;
        const Result<Evaluation> after = evaluated(instance.after, *inputs);
        if (!after && after.error().code == ErrorCode::Limit) return result;
        bool agree = before.ok() == after.ok();
        if (agree && before) {
            const double difference = deviation(before->value, after->value);
            agree = difference <= (isExact ? 0.0 : m_options.tolerance);
        }
        // Domain rules take sizes to be positive: where one is not, the right side may fail.
        const bool mayFail = m_soundness == rules::Soundness::Domain && before && !after;
        if (!agree && mayFail && hasNonPositiveInteger(instance, *inputs)) return result;
        result.outcome = agree ? Outcome::Agree : Outcome::Differ;
        result.before = shown(before);
        result.after = shown(after);
        return result;
    }

    [[nodiscard]] bool isWellConditioned(const RuleInstance& instance, const Inputs& inputs) const {
        if (!instance.parts.isValid()) return true;
        const Result<Evaluation> parts = evaluated(instance.parts, inputs);
        return parts && isModerate(parts->value) && (!m_onlyPositive || isPositive(parts->value));
    }

    /// Whether one of the rule's variables, a size perhaps, stands for an Integer below 1.
    [[nodiscard]] bool hasNonPositiveInteger(const RuleInstance& instance, const Inputs& inputs) const {
        if (!instance.parts.isValid()) return false;
        const Result<Evaluation> parts = evaluated(instance.parts, inputs);
        return parts && hasIntegerBelowOne(parts->value);
    }

    /// Looks for a smaller instance that fails too: without surroundings, with ever smaller terms.
    std::string smallest(const RuleInstance& first, const Comparison& comparison) {
        std::string best = described(first, comparison);
        std::uint64_t size = m_bank->treeSize(first.before);
        for (int i = 0; i < ShrinkAttempts && !stopped(); ++i) {
            const auto maxSize = static_cast<std::uint32_t>(1 + i * 4 / ShrinkAttempts);
            const std::optional<RuleInstance> instance = m_instances->make(m_random, maxSize, i % 4 == 3);
            if (!instance || m_bank->treeSize(instance->before) >= size) continue;
            const Comparison smaller = compare(*instance);
            if (smaller.outcome != Outcome::Differ) continue;
            size = m_bank->treeSize(instance->before);
            best = described(*instance, smaller);
        }
        return best;
    }

    [[nodiscard]] std::string described(const RuleInstance& instance, const Comparison& comparison) const {
        const ks::PrintOptions print{.width = 0, .compact = true};
        std::string inputs;
        const ir::Function& function = m_bank->function(m_instances->function());
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const Symbol name = function.parameters[i].name;
            if (!ir::mentionsFree(*m_bank, instance.before, name) && !ir::mentionsFree(*m_bank, instance.after, name))
                continue;
            inputs += fmt::format("{}{} = {}", inputs.empty() ? "" : ", ", m_bank->text(name),
                                  toString(comparison.inputs.arguments[i]));
        }
        return fmt::format("{} = {}, but {} = {}{}{}", ks::printTerm(*m_bank, instance.before, print),
                           comparison.before, ks::printTerm(*m_bank, instance.after, print), comparison.after,
                           inputs.empty() ? "" : " where ", inputs);
    }

    const rules::CompiledDirection& m_direction;
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
    const RuleTestOptions& m_options;
    std::optional<Clock::time_point> m_deadline;
    rules::Soundness m_soundness;
    bool m_onlyPositive;
    Random m_random;
    std::unique_ptr<ir::TermBank> m_bank;
    std::optional<RuleInstances> m_instances;
};

}  // namespace

const char* toString(Verdict verdict) {
    switch (verdict) {
        case Verdict::Pass: return "pass";
        case Verdict::Fail: return "fail";
        case Verdict::Untested: return "untested";
    }
    return "";
}

std::vector<RuleVerdict> testRules(const rules::RuleBook& book, const RuleTestOptions& options) {
    std::optional<Clock::time_point> deadline;
    if (options.seconds > 0.0) {
        deadline =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    }
    std::vector<RuleVerdict> verdicts;
    for (const rules::RuleSet& set : book.sets()) {
        for (const auto& rule : set.rules) {
            if (rule->directions.empty()) {
                verdicts.push_back(
                    {rule->name, Verdict::Untested, rules::toString(rule->soundness), 0, rule->notExecutable, 0.0});
            }
            for (const auto& direction : rule->directions) {
                // Every directed rule that the loader makes is a compiled one.
                const auto* compiled = dynamic_cast<const rules::CompiledDirection*>(direction.get());
                if (compiled == nullptr) continue;
                verdicts.push_back(DirectionTest(*compiled, book.registry(), options, deadline).run());
            }
        }
    }
    return verdicts;
}

}  // namespace mitos::eval
