// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/internal/tensor_rule_test.h"

#include "core/base/hash.h"
#include "core/eval/evaluator.h"
#include "core/eval/testing/internal/named_sizes.h"
#include "core/eval/testing/internal/tensor_instances.h"
#include "core/ir/shared.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/samples.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>

namespace mitos::eval {

using ir::TermId;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t LargestDimension = 4;
constexpr int ShapesPerSample = 400;
constexpr std::int64_t MoreAttempts = 40'000;  ///< conditions may hold rarely
constexpr int SmallAttempts = 400;
constexpr int NamingAttempts = 4;  ///< the rule does not apply if names hide sizes that its conditions compare
/// Number of smaller instances to try, and number of values for each.
constexpr int ShrinkAttempts = 4000;
constexpr int ShrinkValues = 3;
constexpr int ValueAttempts = 500;
/// Number of terms after which a new bank is used: instances leave their terms behind.
constexpr std::size_t MaxArrayTerms = 200'000;
constexpr double ApproximateDeviation = 0.02;
constexpr int ShownLevels = 30;

struct Instance {
    TermId before;
    TermId after;
    std::vector<TensorInstances::Leaf> leaves;
    tensor::Sizes sizes = {};  ///< values of the names of sizes; empty if there are none
};

/// One array per leaf.
using Values = std::vector<tensor::ArrayPtr>;

struct Difference {
    std::vector<std::uint32_t> choices;  ///< the choices that generate the instance
    /// Index of the numbers for the names of its sizes; empty if sizes have no names.
    std::optional<std::size_t> numbers = {};
    Values values;
    std::size_t elements = 0;  ///< number of elements of all inputs and constants
    std::uint64_t nodes = 0;
    Counterexample text;

    /// Orders differences by simplicity: the amount of text, then the number of choices, then how simple the choices are.
    [[nodiscard]] auto order() const { return std::make_tuple(nodes, elements, choices.size(), std::cref(choices)); }
};

class TensorRuleTest {
public:
    TensorRuleTest(const rules::CompiledDirection& direction, std::shared_ptr<const ir::OperatorRegistry> registry,
                   const RuleTestOptions& options, std::optional<Clock::time_point> deadline)
        : m_direction(direction),
          m_registry(std::move(registry)),
          m_options(options),
          m_deadline(deadline),
          m_random(combineHash(options.seed, hashText(direction.name()))) {
        const rules::Rule& rule = direction.rule();
        m_soundness = rule.soundness;
        m_isExact = rules::isExact(rule.soundness);
        m_tolerance = m_isExact ? 0.0 : rule.hasTag("approximate") ? ApproximateDeviation : options.tolerance;
        renew();
    }

    /// The verdict without name, tag, time and the decision.
    RuleVerdict run() {
        RuleVerdict verdict;
        const std::int64_t attempts = std::int64_t{m_options.samplesPerRule} * ShapesPerSample + MoreAttempts;
        std::optional<Difference> found;
        for (std::int64_t i = 0; i < attempts && verdict.samples < m_options.samplesPerRule && !found && !stopped();
             ++i) {
            if (i == ShapesPerSample * 20 && verdict.samples == 0 && !m_instances->obstacle().empty()) break;
            found = attempt(LargestDimension, verdict);
        }
        verdict.difference = m_difference;
        if (found) verdict.counterexample = smallest(*std::move(found)).text;
        verdict.note = m_instances->obstacle();
        return verdict;
    }

private:
    void renew() {
        m_instances.reset();
        m_bank = std::make_unique<ir::TermBank>(m_registry);
        m_instances.emplace(*m_bank, m_direction.compiled());
    }

    [[nodiscard]] bool stopped() const {
        return m_options.stop.stop_requested() || (m_deadline && Clock::now() > *m_deadline);
    }

    /// The sizes that dimensions of one instance may have: few, so that dimensions also agree by chance.
    static std::vector<std::int64_t> sizes(Choices& choices, std::int64_t largest) {
        std::vector<std::int64_t> result;
        const std::size_t more = choices.below(3);
        for (std::size_t i = 0; i <= more; ++i) result.push_back(choices.integer(1, largest));
        if (choices.chance(0.7)) result.push_back(2);
        if (choices.chance(0.05)) result.push_back(0);  // a rule that holds for some elements may not hold for none
        return result;
    }

    std::optional<Instance> instance(Choices& choices, std::int64_t largest) {
        if (m_bank->size() > MaxArrayTerms) renew();
        const std::optional<TermId> before = m_instances->make(choices, sizes(choices, largest));
        return before ? rewritten(*before, m_instances->leaves(), choices) : std::nullopt;
    }

    /// Applies the rule to that term; returns one of the results, empty if it does not apply.
    std::optional<Instance> rewritten(TermId before, const std::vector<TensorInstances::Leaf>& leaves,
                                      Choices& choices) {
        std::optional<Instance> result;
        m_direction.match(*m_bank, before, [&](const rules::Substitution& match) {
            const Result<TermId> after = m_direction.apply(*m_bank, match, before);
            if (!after || *after == before) return true;
            result = Instance{before, *after, leaves};
            return choices.chance(0.5);
        });
        return result;
    }

    /// The same instance with names for sizes, once for each choice of numbers. The rule is matched again, as its conditions may not hold
    /// any more. Empty if the rule never applies, or if the choices select no names.
    std::vector<Instance> withNames(const Instance& made, Choices& choices) {
        std::vector<Instance> result;
        for (int i = 0; i < NamingAttempts && result.empty() && choices.chance(0.9); ++i) {
            const std::optional<NamedSizes> named = withNamedSizes(*m_bank, made.before, made.leaves, choices);
            const std::optional<Instance> again = named ? rewritten(named->root, named->leaves, choices) : std::nullopt;
            for (std::size_t k = 0; again && k < named->numbers.size(); ++k) {
                result.push_back(*again);
                result.back().sizes = named->numbers[k];
            }
        }
        return result;
    }

    tensor::ArrayPtr array(ir::TypeId type, const tensor::Sizes& sizes) {
        const Result<tensor::ArrayPtr> made = tensor::randomArray(m_bank->types(), type, sizes, m_random);
        if (!made) return nullptr;
        tensor::Array changed = **made;
        const bool isFloat = ir::isFloating(changed.dtype);
        const bool isSpecial = m_random.chance(0.2);
        const bool isWide = changed.dtype == ir::Dtype::F32 || changed.dtype == ir::Dtype::F64;
        for (double& element : changed.elements) {
            // Mostly small enough to be an index.
            if (!isFloat && isSpecial) element = static_cast<double>(m_random.integer(-1, 1));
            if (isFloat && isSpecial && m_random.chance(0.4)) element = static_cast<double>(m_random.integer(-1, 1));
            if (isWide && m_region != Region::Plain) element = ofRegion(element);
        }
        return std::make_shared<const tensor::Array>(std::move(changed));
    }

    /// Moves an element between -1 and 1 to the region of this draw and rounds it to single precision.
    double ofRegion(double element) {
        const double sign = element < 0.0 ? -1.0 : 1.0;
        const auto power = [&](double least, double largest) {
            return std::pow(10.0, m_random.uniform(least, largest));
        };
        switch (m_region) {
            case Region::Negative: element = -power(-1.0, 2.0); break;
            case Region::Large: element = sign * power(0.0, 2.0); break;
            case Region::Zero: element = sign * 0.0; break;
            case Region::Tiny: element = sign * power(-30.0, -6.0); break;
            case Region::Huge: element = sign * power(6.0, 36.0); break;
            case Region::Infinite:
                if (m_random.chance(0.2)) element = sign * std::numeric_limits<double>::infinity();
                break;
            case Region::NotANumber:
                if (m_random.chance(0.2)) element = std::numeric_limits<double>::quiet_NaN();
                break;
            default: break;
        }
        return static_cast<double>(static_cast<float>(element));
    }

    /// Every second draw is plain; the others are from each region in turn.
    void chooseRegion() {
        static constexpr std::array Regions{Region::Negative, Region::Zero,     Region::Large,     Region::Tiny,
                                            Region::Huge,     Region::Infinite, Region::NotANumber};
        const std::size_t draw = m_draws++;
        m_region = draw % 2 == 0 ? Region::Plain : Regions.at(draw / 2 % Regions.size());
    }

    /// Whether numbers are so extreme that Floats may differ although the real numbers are equal.
    [[nodiscard]] bool isExtreme() const { return m_region >= Region::Tiny; }

    /// Returns a difference if one was found; counts comparisons in `counts`.
    std::optional<Difference> attempt(std::int64_t largest, RuleVerdict& counts) {
        Choices choices(m_random);
        return attempt(choices, largest, 1, counts);
    }

    /// Compares with the sizes as they are first; if the sides do not differ, with names for some. Each comparison is made with `tries`
    /// values.
    std::optional<Difference> attempt(Choices& choices, std::int64_t largest, int tries, RuleVerdict& counts) {
        const std::optional<Instance> made = instance(choices, largest);
        if (!made) return std::nullopt;
        const int samples = counts.samples;
        for (int i = 0; i < tries; ++i) {
            if (std::optional<Difference> found = compare(*made, valuesFor(*made), counts.samples)) {
                found->choices = choices.made();
                return found;
            }
        }
        if (counts.samples == samples) return std::nullopt;
        const std::vector<Instance> named = withNames(*made, choices);
        for (std::size_t i = 0; i < named.size() * static_cast<std::size_t>(tries); ++i) {
            const std::size_t numbers = i % named.size();
            if (std::optional<Difference> found =
                    compare(named[numbers], valuesFor(named[numbers]), counts.namedSamples)) {
                found->choices = choices.made();
                found->numbers = numbers;
                return found;
            }
        }
        return std::nullopt;
    }

    /// Generates the instance of a difference again.
    std::optional<Instance> remade(const Difference& difference) {
        Choices choices(difference.choices);
        std::optional<Instance> made = instance(choices, LargestDimension);
        if (!made || !difference.numbers) return made;
        std::vector<Instance> named = withNames(*made, choices);
        return *difference.numbers < named.size() ? std::optional(std::move(named[*difference.numbers])) : std::nullopt;
    }

    /// Empty if some value could not be generated.
    Values valuesFor(const Instance& made) {
        Values values;
        chooseRegion();
        for (const TensorInstances::Leaf& leaf : made.leaves) {
            values.push_back(array(leaf.type, made.sizes));
            if (values.back() == nullptr) return {};
        }
        return values;
    }

    std::optional<Difference> compare(const Instance& made, Values values, int& samples) {
        if (values.size() != made.leaves.size()) return std::nullopt;
        tensor::Inputs inputs;
        tensor::Weights weights;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const TensorInstances::Leaf& leaf = made.leaves[i];
            if (leaf.isWeight)
                weights.set(leaf.name, tensor::WeightData::of(values[i]));
            else
                inputs.emplace(leaf.name, values[i]);
        }
        const auto before = tensor::evaluate(*m_bank, made.before, inputs, weights);
        if (!before) return std::nullopt;
        const auto after = tensor::evaluate(*m_bank, made.after, inputs, weights);
        if (!after && after.error().code == ErrorCode::Unsupported) return std::nullopt;  // nothing follows from it
        ++samples;
        const Result<double> deviation =
            after ? tensor::maxDeviation(*before, *after) : Result<double>(std::numeric_limits<double>::infinity());
        const bool isClose = deviation && *deviation <= m_tolerance;
        if (isClose && (m_soundness != rules::Soundness::Exact || !differInZeroSigns(*before, *after)))
            return std::nullopt;
        if (!m_isExact && isWildOutput(*before)) return std::nullopt;
        const SidesDiffer sides = isClose                          ? SidesDiffer::ZeroSign
                                  : m_region == Region::NotANumber ? SidesDiffer::NotANumber
                                  : isExtreme()                    ? SidesDiffer::RealOnly
                                  : !after || isWildOutput(*after) ? SidesDiffer::Domain
                                                                   : SidesDiffer::Different;
        m_difference = std::max(m_difference, sides);
        if (!m_isExact && isExtreme()) return std::nullopt;
        if (m_soundness == rules::Soundness::ExactButNaN && sides == SidesDiffer::NotANumber) return std::nullopt;
        return described(made, std::move(values), *before, after);
    }

    static bool differInZeroSigns(const std::vector<tensor::ArrayPtr>& before,
                                  const std::vector<tensor::ArrayPtr>& after) {
        return !std::ranges::equal(before, after, [](const tensor::ArrayPtr& a, const tensor::ArrayPtr& b) {
            return !eval::differInZeroSigns(Value(a), Value(b));
        });
    }

    /// Whether an output is not finite; rules that are not exact need not preserve that.
    static bool isWildOutput(std::span<const tensor::ArrayPtr> outputs) {
        return std::ranges::any_of(outputs, [](const tensor::ArrayPtr& output) {
            return std::ranges::any_of(output->elements, [](double element) { return !std::isfinite(element); });
        });
    }

    static std::string text(const std::vector<tensor::ArrayPtr>& outputs) {
        constexpr std::size_t Shown = 8;
        std::string result;
        for (const tensor::ArrayPtr& output : outputs) {
            if (!result.empty()) result += ", ";
            std::string elements;
            for (std::size_t i = 0; i < std::min(Shown, output->elements.size()); ++i) {
                elements += fmt::format("{}{:.6g}", i > 0 ? " " : "", output->elements[i]);
            }
            if (output->elements.size() > Shown) elements += " …";
            result += "[" + elements + "]";
        }
        return result;
    }

    Difference described(const Instance& instance, Values values, const std::vector<tensor::ArrayPtr>& before,
                         const Result<std::vector<tensor::ArrayPtr>>& after) const {
        Difference result;
        result.nodes = m_bank->treeSize(instance.before);
        result.text.before = tensor::termText(*m_bank, instance.before, ShownLevels);
        result.text.after = tensor::termText(*m_bank, instance.after, ShownLevels);
        result.text.position = "/";
        result.text.beforeValue = text(before);
        result.text.afterValue = after ? text(*after) : "failure: " + after.error().message;
        for (const auto& [name, size] : instance.sizes) {
            result.text.inputs += fmt::format("{}{} = {}", result.text.inputs.empty() ? "" : ", ", name, size);
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            const TensorInstances::Leaf& leaf = instance.leaves[i];
            result.elements += values[i]->elements.size();
            result.text.inputs += fmt::format("{}{}: {} = {}", result.text.inputs.empty() ? "" : ", ", leaf.name,
                                              m_bank->types().toString(leaf.type), text({values[i]}));
        }
        result.values = std::move(values);
        for (const TermId node : ir::SharedNodes(*m_bank, instance.before)) {
            if (m_bank->opName(node) != "Constant") continue;
            const tensor::ArrayType type = tensor::arrayType(m_bank->types(), m_bank->type(node));
            // Counts one more than an input of that size, so that inputs are preferred to constants.
            result.elements += static_cast<std::size_t>(tensor::elementCount(type.shape())) + 1;
        }
        return result;
    }

    // --- shrinking -----------------------------------------------------------------------------------------------------

    /// Tries some more instances of small sizes first. Then removes and reduces the choices of the smallest one, one after the other,
    /// until nothing smaller differs: dimensions, ranks, attributes and operators all follow from the choices. Simplifies the numbers
    /// last.
    Difference smallest(Difference best) {
        RuleVerdict counts;
        for (int i = 0; i < SmallAttempts && !stopped(); ++i) {
            std::optional<Difference> other = attempt(1 + i % 3, counts);
            if (other && other->order() < best.order()) best = *std::move(other);
        }
        m_left = ShrinkAttempts;
        while (m_left > 0 && !stopped() && shrinkOnce(best)) {
        }
        simplifyValues(best);
        return best;
    }

    /// Tries to find a smaller difference; stores it in `best` and returns true if successful.
    bool shrinkOnce(Difference& best) {
        for (std::size_t width = 8; width > 0; width /= 2) {
            for (std::size_t at = best.choices.size(); at-- > 0;) {
                std::vector<std::uint32_t> fewer = best.choices;
                const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(at);
                fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(width, fewer.size() - at)));
                if (replace(best, std::move(fewer))) return true;
            }
        }
        for (std::size_t at = 0; at < best.choices.size(); ++at) {
            const std::uint32_t choice = best.choices[at];
            for (const std::uint32_t smaller : {0U, choice / 2, choice - 1}) {
                if (smaller >= choice) continue;
                std::vector<std::uint32_t> simpler = best.choices;
                simpler[at] = smaller;
                if (replace(best, std::move(simpler))) return true;
            }
        }
        return false;
    }

    /// Replaces `best` by the instance of these choices if its sides differ and it is simpler.
    bool replace(Difference& best, std::vector<std::uint32_t> given) {
        if (m_left-- <= 0) return false;
        Choices choices(std::move(given));
        RuleVerdict counts;
        std::optional<Difference> other = attempt(choices, LargestDimension, ShrinkValues, counts);
        if (!other || !(other->order() < best.order())) return false;
        best = *std::move(other);
        return true;
    }

    /// Replaces elements by 0 or 1 if the sides still differ, else by whole numbers.
    void simplifyValues(Difference& best) {
        int left = ValueAttempts;
        int samples = 0;
        const std::optional<Instance> made = remade(best);
        if (!made) return;
        for (std::size_t leaf = 0; leaf < best.values.size(); ++leaf) {
            for (std::size_t i = 0; i < best.values[leaf]->elements.size(); ++i) {
                const double element = best.values[leaf]->elements[i];
                for (const double simpler : {0.0, 1.0, std::round(element)}) {
                    if (simpler == element || left-- <= 0) break;
                    auto changed = std::make_shared<tensor::Array>(*best.values[leaf]);
                    changed->elements[i] = simpler;
                    Values values = best.values;
                    values[leaf] = std::move(changed);
                    std::optional<Difference> other = compare(*made, std::move(values), samples);
                    if (!other) continue;
                    other->choices = best.choices;
                    other->numbers = best.numbers;
                    best = *std::move(other);
                    break;
                }
            }
        }
    }

    const rules::CompiledDirection& m_direction;
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
    const RuleTestOptions& m_options;
    std::optional<Clock::time_point> m_deadline;
    Random m_random;
    Region m_region = Region::Plain;  ///< of the values drawn
    std::size_t m_draws = 0;
    SidesDiffer m_difference = SidesDiffer::Nowhere;
    int m_left = 0;  ///< remaining attempts to find something smaller
    rules::Soundness m_soundness = rules::Soundness::Exact;
    bool m_isExact = true;
    double m_tolerance = 0.0;
    std::unique_ptr<ir::TermBank> m_bank;
    std::optional<TensorInstances> m_instances;
};

}  // namespace

bool isOverArrays(const rules::CompiledRule& rule) {
    return std::ranges::any_of(rule.table.nodes, &rules::Node::isOfArrays);
}

RuleVerdict testTensorRule(const rules::CompiledDirection& direction,
                           const std::shared_ptr<const ir::OperatorRegistry>& registry, const RuleTestOptions& options,
                           std::optional<Clock::time_point> deadline) {
    return TensorRuleTest(direction, registry, options, deadline).run();
}

}  // namespace mitos::eval
