// SPDX-License-Identifier: GPL-3.0-or-later
// Generates instances, decides verdicts, and finds the smallest counterexample.
#include "core/eval/testing/rule_test.h"

#include "core/base/hash.h"
#include "core/eval/evaluator.h"
#include "core/eval/internal/finite.h"
#include "core/eval/real_watch.h"
#include "core/eval/samples.h"
#include "core/eval/testing/analysis_test.h"
#include "core/eval/testing/internal/rule_instances.h"
#include "core/eval/testing/internal/shrink.h"
#include "core/eval/testing/internal/tensor_rule_test.h"
#include "core/eval/verify/internal/agreement.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"
#include "core/rules/directed_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

namespace mitos::eval {

using ir::TermId;

namespace {

/// Whether the two programs of an instance agree on one input.
struct Comparison {
    std::optional<SidesDiffer> sides;  ///< nothing if the values could not be compared
    std::string before;  ///< values, or the failures; if not compared, the reason if it can never be compared
    std::string after;

    /// Whether both differ over the reals, or in the same other way.
    [[nodiscard]] bool isLike(const Comparison& other) const {
        return sides == other.sides || (differs() && other.differs());
    }
    /// Over the reals: the values differ, or only the right side has none.
    [[nodiscard]] bool differs() const { return sides >= SidesDiffer::Domain; }
};

constexpr std::size_t MostNumbers = 8;
constexpr std::uint64_t MostStepsOfWideInstance = 10'000;
constexpr std::uint64_t MostBytesOfWideInstance = 1U << 20U;
constexpr std::size_t SpecialRegions = static_cast<std::size_t>(Region::NotANumber);  ///< besides the plain one

std::string shown(const Result<Evaluation>& run) {
    if (run) return toString(run->value);
    const std::string& message = run.error().message;
    return "failure: " + message.substr(0, message.find('\n'));
}

/// Judges instances by the rule's tags; see testRules().
class RuleJudge {
public:
    RuleJudge(const ir::TermBank& bank, ir::FunctionId function, const rules::Rule& rule,
              const RuleTestOptions& options)
        : m_bank(bank),
          m_function(function),
          m_soundness(rule.soundness),
          m_isExact(rules::isExact(rule.soundness)),
          m_tolerance(m_isExact ? 0.0 : options.tolerance),
          m_limits{.steps = 200'000, .bytes = 64U << 20U, .stop = options.stop} {}

    /// Inputs that suit the instance: every second one is plain, the others are from each Region in turn.
    Result<Inputs> inputsFor(const RuleInstance& instance, Random& random) {
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
                const std::vector<std::int64_t> sizes =
                    affordableSizes(m_bank, m_bank.function(m_function), ranges.numbers.integers);
                if (!sizes.empty() && random.chance(0.5)) {
                    ranges.minSize = sizes[random.below(sizes.size())];
                    ranges.maxSize = ranges.minSize;
                }
            }
        }
        return randomInputs(m_bank, m_bank.function(m_function), random, ranges);
    }

    [[nodiscard]] Comparison compare(const RuleInstance& instance, const Inputs& inputs) const {
        Comparison result;
        const Limits limits = limitsFor(instance, inputs);
        const ir::Program first{m_function, instance.before};
        const ir::Program second{m_function, instance.after};
        const Result<Evaluation> before = evaluate(m_bank, first, inputs, limits);
        const auto isUnsupported = [&](const Result<Evaluation>& run) {
            if (run || run.error().code != ErrorCode::Unsupported) return false;
            result.before = run.error().message.substr(0, run.error().message.find(';'));
            return true;
        };
        if (isUnsupported(before)) return result;
        const bool hasValue = before && isFinite(before->value);
        if (!before && (!m_isExact || before.error().code == ErrorCode::Limit)) return result;
        if (!hasValue && !m_isExact) {
            // If the left side has no value only because its numbers are too large, Floats cause the difference. Without a value for any
            // other reason, nothing follows.
            RealWatch watch;
            Limits watched = limits;
            watched.watch = &watch;
            const Result<Evaluation> after = evaluate(m_bank, second, inputs, limits);
            static_cast<void>(evaluate(m_bank, first, inputs, watched));
            const bool isTooLarge = watch.leftRange() && !watch.isUndefined() && after && isFinite(after->value);
            if (isTooLarge) result.sides = SidesDiffer::RealOnly;
            return result;
        }
        const Result<Evaluation> after = evaluate(m_bank, second, inputs, limits);
        if (isUnsupported(after) || (!after && after.error().code == ErrorCode::Limit)) return result;
        if (!before && !after) return result;
        result.sides = SidesDiffer::Nowhere;
        if (!hasValue) {
            const bool agree = before && after && deviation(before->value, after->value) <= m_tolerance;
            if (!agree) result.sides = before ? SidesDiffer::RealOnly : SidesDiffer::Defines;
        } else {
            const Result<Judged> judged =
                judge(m_bank, first, second, {inputs, before->value, after}, m_tolerance, limits);
            if (!judged || judged->agreement == Agreement::Undecided) return Comparison{};
            result.sides = sidesOf(judged->agreement);
            // A value that exists only because Floats continue with infinities does not exist over the reals.
            if (result.sides >= SidesDiffer::Domain && judged->isUndefined && !m_isExact) return Comparison{};
        }
        if (m_isExact) judgeExactly(first, second, inputs, limits, before, after, *result.sides);
        result.before = shown(before);
        result.after = shown(after);
        return result;
    }

    /// Whether the rule's tag lets its sides differ in this way.
    [[nodiscard]] bool allows(SidesDiffer sides) const {
        switch (m_soundness) {
            case rules::Soundness::Exact: return false;
            case rules::Soundness::ExactButZeroSign: return sides == SidesDiffer::ZeroSign;
            case rules::Soundness::ExactButNaN: return sides == SidesDiffer::NotANumber;
            case rules::Soundness::RealOnly:
            case rules::Soundness::Domain: break;
        }
        return sides <= SidesDiffer::RealOnly;
    }

private:
    static SidesDiffer sidesOf(Agreement agreement) {
        switch (agreement) {
            case Agreement::ZeroSign: return SidesDiffer::ZeroSign;
            case Agreement::NotANumber: return SidesDiffer::NotANumber;
            case Agreement::RealOnly: return SidesDiffer::RealOnly;
            case Agreement::Domain: return SidesDiffer::Domain;
            case Agreement::Different: return SidesDiffer::Different;
            case Agreement::Same:
            case Agreement::Undecided: break;
        }
        return SidesDiffer::Nowhere;
    }

    /// Compares the signs of zeros, too, and looks for the simplest reason of a difference, which the tag may allow.
    void judgeExactly(const ir::Program& first, const ir::Program& second, const Inputs& inputs, const Limits& limits,
                      const Result<Evaluation>& before, const Result<Evaluation>& after, SidesDiffer& sides) const {
        if (sides == SidesDiffer::Nowhere) {
            if (differInZeroSigns(before->value, after->value)) sides = SidesDiffer::ZeroSign;
            return;
        }
        if (agreeWithoutZeroSigns(m_bank, first, second, inputs, m_tolerance, limits)) {
            sides = SidesDiffer::ZeroSign;
        } else if (meetsNaN(m_bank, first, inputs, limits)) {
            sides = SidesDiffer::NotANumber;  // the first side has no value over the reals
        } else if (meetsNaN(m_bank, second, inputs, limits)) {
            if (sides <= SidesDiffer::RealOnly || m_soundness == rules::Soundness::ExactButNaN)
                sides = SidesDiffer::NotANumber;
        }
    }

    /// An Integer of more than a few digits may be the bound of a loop; then the comparison is given up early.
    [[nodiscard]] Limits limitsFor(const RuleInstance& instance, const Inputs& inputs) const {
        Limits limits = m_limits;
        const auto isWide = [](const Value& value) {
            return value.isInteger() &&
                   (value.asInteger() > LargestUsualInteger || value.asInteger() < -LargestUsualInteger);
        };
        if (instance.isWide || std::ranges::any_of(inputs.arguments, isWide)) {
            limits.steps = MostStepsOfWideInstance;
            limits.bytes = MostBytesOfWideInstance;
        }
        return limits;
    }

    const ir::TermBank& m_bank;
    ir::FunctionId m_function;
    rules::Soundness m_soundness;
    bool m_isExact;
    double m_tolerance;
    Limits m_limits;
    std::size_t m_draws = 0;
};

/// An instance and inputs on which its two programs differ.
struct Difference {
    RuleInstance instance;
    Inputs inputs;
    Comparison comparison;
};

/// Comparisons in all: a program of a hundred nodes needs some ten thousand.
constexpr int MaxComparisons = 50'000;

/// Finds a smaller difference of the same rule: tries smaller programs in which the rule still rewrites something
/// (smallerPrograms()) and simpler inputs as long as they help. Uses no random numbers.
class Shrinker {
public:
    Shrinker(ir::TermBank& bank, RuleInstances& instances, const RuleJudge& judge, Difference from,
             const std::stop_token& stop)
        : m_bank(bank),
          m_instances(instances),
          m_judge(judge),
          m_best(std::move(from)),
          m_stop(stop) {}

    Difference run() {
        while (smallerProgram() || simplerInput()) {
        }
        return std::move(m_best);
    }

private:
    [[nodiscard]] bool isOver() const { return m_comparisons >= MaxComparisons || m_stop.stop_requested(); }

    bool accept(const RuleInstance& instance, const Inputs& inputs) {
        ++m_comparisons;
        Comparison comparison = m_judge.compare(instance, inputs);
        if (!comparison.isLike(m_best.comparison)) return false;
        m_best = {instance, inputs, std::move(comparison)};
        return true;
    }

    bool smallerProgram() {
        const std::vector<ir::Parameter> variables = m_bank.function(m_instances.function()).parameters;
        for (const ir::TermId candidate : smallerPrograms(m_bank, m_best.instance.before, variables)) {
            bool found = false;
            m_instances.forEachIn(candidate, [&](const RuleInstance& instance) {
                found = accept(instance, Inputs(m_best.inputs));
                return !found && !isOver();
            });
            if (found) return true;
            if (isOver()) return false;
        }
        return false;
    }

    bool simplerInput() {
        const std::vector<ir::Parameter> variables = m_bank.function(m_instances.function()).parameters;
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const bool isUsed = ir::mentionsFree(m_bank, m_best.instance.before, variables[i].name) ||
                                ir::mentionsFree(m_bank, m_best.instance.after, variables[i].name);
            if (!isUsed) continue;
            for (Value& simpler : simplerValues(m_best.inputs.arguments[i])) {
                if (isOver()) return false;
                Inputs inputs = m_best.inputs;
                inputs.arguments[i] = std::move(simpler);
                if (accept(RuleInstance(m_best.instance), inputs)) return true;
            }
        }
        return false;
    }

    ir::TermBank& m_bank;
    RuleInstances& m_instances;
    const RuleJudge& m_judge;
    Difference m_best;
    const std::stop_token& m_stop;
    int m_comparisons = 0;
};

using Clock = std::chrono::steady_clock;

constexpr int AttemptsPerSample = 40;
constexpr int FreshAttempts = 2000;
constexpr std::size_t ShrunkStarts = 8;
constexpr std::uint32_t LargestSize = 7;
/// Number of terms after which a new bank is used: instances leave their terms behind.
constexpr std::size_t MaxTerms = 400'000;

class DirectionTest {
public:
    DirectionTest(const rules::CompiledDirection& direction, std::shared_ptr<const ir::OperatorRegistry> registry,
                  const RuleTestOptions& options, std::optional<Clock::time_point> deadline)
        : m_direction(direction),
          m_registry(std::move(registry)),
          m_options(options),
          m_deadline(deadline),
          m_random(combineHash(options.seed, hashText(direction.name()))) {
        renew();
    }

    /// The verdict without what testWhole() adds.
    RuleVerdict run() {
        RuleVerdict verdict;
        const int attempts = m_options.samplesPerRule * AttemptsPerSample;
        std::optional<Difference> worst;
        for (int i = 0; i < attempts && verdict.samples < m_options.samplesPerRule && !stopped(); ++i) {
            if (m_bank->size() > MaxTerms && !worst) renew();
            const auto size = static_cast<std::uint32_t>(1 + m_random.below(LargestSize));
            std::optional<Difference> tried = attempt(size, m_random.chance(0.7));
            if (!tried) continue;
            // The search continues, since a worse difference may be found.
            const SidesDiffer own = *tried->comparison.sides;
            verdict.difference = std::max(verdict.difference, own);
            if (own != SidesDiffer::Nowhere && m_judge->allows(own)) continue;
            ++verdict.samples;
            if (own == SidesDiffer::Nowhere) continue;
            if (!worst || own > *worst->comparison.sides) worst = std::move(tried);
            if (worst->comparison.differs()) break;
        }
        if (worst) {
            const Difference small = smallest(*std::move(worst));
            verdict.difference = *small.comparison.sides;
            verdict.counterexample = described(small);
        }
        verdict.note = m_reason;
        return verdict;
    }

private:
    void renew() {
        m_judge.reset();
        m_instances.reset();
        m_bank = std::make_unique<ir::TermBank>(m_registry);
        m_instances.emplace(*m_bank, m_direction);
        m_judge.emplace(*m_bank, m_instances->function(), m_direction.rule(), m_options);
    }

    [[nodiscard]] bool stopped() const {
        return m_options.stop.stop_requested() || (m_deadline && Clock::now() > *m_deadline);
    }

    /// Generates an instance; empty if it could not be compared.
    std::optional<Difference> attempt(std::uint32_t size, bool surroundings) {
        std::optional<RuleInstance> instance = m_instances->make(m_random, size, surroundings);
        if (!instance) return std::nullopt;
        Result<Inputs> inputs = m_judge->inputsFor(*instance, m_random);
        if (!inputs) return std::nullopt;
        Comparison comparison = m_judge->compare(*instance, *inputs);
        if (!comparison.sides) {
            if (!comparison.before.empty()) m_reason = comparison.before;
            return std::nullopt;
        }
        return Difference{std::move(*instance), std::move(*inputs), std::move(comparison)};
    }

    /// Orders by the sizes of the program, of its inputs and of the result; the texts break ties, so that the answer does not depend on
    /// the order in which instances were found.
    [[nodiscard]] auto sizeOf(const Difference& difference) const {
        double inputs = 0.0;
        const ir::Function& function = m_bank->function(m_instances->function());
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            if (ir::mentionsFree(*m_bank, difference.instance.before, function.parameters[i].name))
                inputs += measure(difference.inputs.arguments[i]);
        }
        const Counterexample text = described(difference);
        return std::tuple(measure(*m_bank, difference.instance.before), inputs,
                          measure(*m_bank, difference.instance.after), text.before.size(), text.before, text.inputs);
    }

    /// Generates small instances that fail too, and shrinks the smallest of all: their types may be simpler than those of `first`, and
    /// shrinking keeps types.
    Difference smallest(Difference first) {
        const Comparison wanted = first.comparison;
        std::vector<Difference> starts;
        starts.push_back(std::move(first));
        for (int i = 0; i < FreshAttempts && !stopped(); ++i) {
            const auto size = static_cast<std::uint32_t>(1 + i * 4 / FreshAttempts);
            std::optional<Difference> tried = attempt(size, i % 4 == 3);
            if (!tried || !tried->comparison.isLike(wanted)) continue;
            starts.push_back(std::move(*tried));
        }
        std::ranges::stable_sort(starts, [&](const Difference& a, const Difference& b) {
            return measure(*m_bank, a.instance.before) < measure(*m_bank, b.instance.before);
        });
        const auto isSame = [](const Difference& a, const Difference& b) {
            return a.instance.before == b.instance.before;
        };
        starts.erase(std::unique(starts.begin(), starts.end(), isSame), starts.end());
        if (starts.size() > ShrunkStarts) starts.resize(ShrunkStarts, starts.front());
        std::optional<Difference> best;
        for (Difference& start : starts) {
            Difference candidate = Shrinker(*m_bank, *m_instances, *m_judge, std::move(start), m_options.stop).run();
            if (!best || sizeOf(candidate) < sizeOf(*best)) best = std::move(candidate);
        }
        return *std::move(best);
    }

    [[nodiscard]] Counterexample described(const Difference& difference) const {
        const ks::PrintOptions print{.width = 0, .compact = true};
        const RuleInstance& instance = difference.instance;
        Counterexample result;
        const ir::Function& function = m_bank->function(m_instances->function());
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const Symbol name = function.parameters[i].name;
            if (!ir::mentionsFree(*m_bank, instance.before, name) && !ir::mentionsFree(*m_bank, instance.after, name))
                continue;
            result.inputs += fmt::format("{}{} = {}", result.inputs.empty() ? "" : ", ", m_bank->text(name),
                                         toString(difference.inputs.arguments[i]));
        }
        result.before = ks::printTerm(*m_bank, instance.before, print);
        result.after = ks::printTerm(*m_bank, instance.after, print);
        result.position = ir::toString(instance.position);
        result.beforeValue = difference.comparison.before;
        result.afterValue = difference.comparison.after;
        return result;
    }

    const rules::CompiledDirection& m_direction;
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
    const RuleTestOptions& m_options;
    std::optional<Clock::time_point> m_deadline;
    Random m_random;
    std::string m_reason;  ///< why an instance could not be compared
    std::unique_ptr<ir::TermBank> m_bank;
    std::optional<RuleInstances> m_instances;
    std::optional<RuleJudge> m_judge;
};

/// An operator of a rule file that a side of the rule mentions; empty if there is none.
std::string declaredOperator(const rules::CompiledDirection& direction, const ir::OperatorRegistry& registry) {
    for (const rules::Node& node : direction.compiled().table.nodes) {
        if (node.isDeclared) return registry.info(node.op).name;
    }
    return {};
}

}  // namespace

std::string Counterexample::toString() const {
    return fmt::format("{} = {}, but {} = {}{}{}", before, beforeValue, after, afterValue,
                       inputs.empty() ? "" : " where ", inputs);
}

const char* toString(SidesDiffer sides) {
    switch (sides) {
        case SidesDiffer::Nowhere: return "";
        case SidesDiffer::ZeroSign: return "zero-sign";
        case SidesDiffer::NotANumber: return "nan";
        case SidesDiffer::RealOnly: return "real-only";
        case SidesDiffer::Defines: return "defines";
        case SidesDiffer::Domain: return "domain";
        case SidesDiffer::Different: return "different";
    }
    return "";
}

const char* toString(Verdict verdict) {
    switch (verdict) {
        case Verdict::Pass: return "pass";
        case Verdict::Fail: return "fail";
        case Verdict::Untested: return "untested";
    }
    return "";
}

namespace {

RuleVerdict untested(const rules::DirectedRule& direction, std::string note) {
    RuleVerdict verdict;
    verdict.name = direction.name();
    verdict.tag = rules::toString(direction.rule().soundness);
    verdict.note = std::move(note);
    return verdict;
}

using Registry = std::shared_ptr<const ir::OperatorRegistry>;

RuleVerdict testWhole(const rules::CompiledDirection& direction, const Registry& registry,
                      const RuleTestOptions& options, std::optional<Clock::time_point> deadline) {
    if (direction.compiled().allowsAssumptions) {
        // The rule is tested without the assumptions that it allows.
        rules::CompiledRule strict = direction.compiled();
        strict.allowsAssumptions = false;
        return testWhole({direction.rule(), direction.direction(), std::move(strict)}, registry, options, deadline);
    }
    if (const std::string op = declaredOperator(direction, *registry); !op.empty()) {
        return untested(direction, fmt::format("{} is declared in a rule file: it has no value to compare", op));
    }
    const Clock::time_point start = Clock::now();
    RuleVerdict verdict = isOverArrays(direction.compiled())
                              ? testTensorRule(direction, registry, options, deadline)
                              : DirectionTest(direction, registry, options, deadline).run();
    verdict.name = direction.name();
    verdict.tag = rules::toString(direction.rule().soundness);
    verdict.verdict = verdict.counterexample ? Verdict::Fail : verdict.samples > 0 ? Verdict::Pass : Verdict::Untested;
    const std::string reason = std::exchange(verdict.note, {});
    if (verdict.verdict == Verdict::Untested) {
        const bool isStopped = options.stop.stop_requested() || (deadline && Clock::now() > *deadline);
        verdict.note = isStopped ? "stopped" : "no instance could be compared";
        if (!reason.empty()) verdict.note += ": " + reason;
    }
    verdict.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return verdict;
}

std::vector<RuleVerdict> test(const rules::DirectedRule& direction, const Registry& registry,
                              const RuleTestOptions& options, std::optional<Clock::time_point> deadline) {
    const auto* const compiled = dynamic_cast<const rules::CompiledDirection*>(&direction);
    if (compiled == nullptr) return {untested(direction, "it is not written in a rule file")};
    // Conditions on several arrays concern all roots, so the roots are tested together.
    if (compiled->roots().size() == 1 || isOverArrays(compiled->compiled())) {
        return {testWhole(*compiled, registry, options, deadline)};
    }
    std::vector<RuleVerdict> verdicts;
    for (const rules::RuleRoot& root : compiled->roots()) {
        const std::string& open = root.alone->openVariable();
        verdicts.push_back(open.empty()
                               ? testWhole(*root.alone, registry, options, deadline)
                               : untested(*root.alone, fmt::format("only the other roots determine {}", open)));
    }
    return verdicts;
}

std::optional<Clock::time_point> deadlineOf(const RuleTestOptions& options) {
    if (options.seconds <= 0.0) return std::nullopt;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
}

}  // namespace

std::vector<RuleVerdict> testRule(const rules::DirectedRule& direction, const Registry& registry,
                                  const RuleTestOptions& options) {
    return test(direction, registry, options, deadlineOf(options));
}

std::vector<RuleVerdict> testRules(const rules::RuleBook& book, const RuleTestOptions& options) {
    const std::optional<Clock::time_point> deadline = deadlineOf(options);
    std::vector<RuleVerdict> verdicts;
    for (const rules::RuleSet& set : book.sets()) {
        for (const auto& rule : set.rules) {
            for (const auto& direction : rule->directions) {
                std::vector<RuleVerdict> roots = test(*direction, book.registry(), options, deadline);
                std::ranges::move(roots, std::back_inserter(verdicts));
            }
        }
        for (const auto& analysis : rules::analysesOf(set)) {
            RuleTestOptions rest = options;
            if (deadline) {
                // Zero would be no limit.
                rest.seconds = std::max(1e-3, std::chrono::duration<double>(*deadline - Clock::now()).count());
            }
            std::vector<RuleVerdict> equations = testAnalysis(analysis, book.registry(), rest);
            std::ranges::move(equations, std::back_inserter(verdicts));
        }
    }
    return verdicts;
}

}  // namespace mitos::eval
