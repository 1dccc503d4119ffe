// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/tensor_rule_test.h"

#include "core/base/hash.h"
#include "core/eval/tensor_instances.h"
#include "core/ir/binding.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/samples.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

namespace mitos::eval {

using ir::TermId;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int ShapesPerSample = 400;
constexpr std::int64_t MoreAttempts = 40'000;  ///< conditions may hold rarely
constexpr int SmallAttempts = 4000;
/// A new bank after so many terms: instances leave their terms behind.
constexpr std::size_t MaxArrayTerms = 200'000;
constexpr double ApproximateDeviation = 0.02;
constexpr int ShownLevels = 30;

struct Instance {
    TermId before;
    TermId after;
    std::vector<TensorInstances::Leaf> leaves;
};

struct Difference {
    std::size_t elements = 0;  ///< of all inputs
    std::uint64_t nodes = 0;
    Counterexample text;

    [[nodiscard]] auto order() const { return std::tie(nodes, elements, text.before, text.inputs); }
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
        m_isExact = rule.soundness == rules::Soundness::Exact;
        m_tolerance = m_isExact ? 0.0 : rule.hasTag("approximate") ? ApproximateDeviation : options.tolerance;
        renew();
    }

    RuleVerdict run() {
        const Clock::time_point start = Clock::now();
        RuleVerdict verdict;
        verdict.name = m_direction.name();
        verdict.tag = rules::toString(m_direction.rule().soundness);
        const std::int64_t attempts = std::int64_t{m_options.samplesPerRule} * ShapesPerSample + MoreAttempts;
        std::optional<Difference> found;
        for (std::int64_t i = 0; i < attempts && verdict.samples < m_options.samplesPerRule && !found && !stopped();
             ++i) {
            if (i == ShapesPerSample * 20 && verdict.samples == 0 && !m_instances->obstacle().empty()) break;
            found = attempt(sizes(4), verdict.samples);
        }
        if (found) {
            verdict.verdict = Verdict::Fail;
            verdict.counterexample = smallest(*std::move(found)).text;
        } else {
            verdict.verdict = verdict.samples > 0 ? Verdict::Pass : Verdict::Untested;
        }
        if (verdict.verdict == Verdict::Untested) {
            verdict.note = stopped() ? "stopped" : "no instance could be compared";
            if (!m_instances->obstacle().empty()) verdict.note += ": " + m_instances->obstacle();
        }
        verdict.seconds = std::chrono::duration<double>(Clock::now() - start).count();
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

    /// The sizes that dimensions of one instance may have: few, so that they agree by chance too.
    std::vector<std::int64_t> sizes(std::int64_t largest) {
        std::vector<std::int64_t> result;
        for (std::size_t i = 0; i <= m_random.below(3); ++i) result.push_back(m_random.integer(1, largest));
        if (m_random.chance(0.7)) result.push_back(2);
        return result;
    }

    std::optional<Instance> instance(std::vector<std::int64_t> sizes) {
        if (m_bank->size() > MaxArrayTerms) renew();
        const std::optional<TermId> before = m_instances->make(m_random, std::move(sizes));
        if (!before) return std::nullopt;
        std::optional<Instance> result;
        m_direction.match(*m_bank, *before, [&](const rules::Substitution& match) {
            const Result<TermId> after = m_direction.apply(*m_bank, match, *before);
            if (!after || *after == *before) return true;
            result = Instance{*before, *after, m_instances->leaves()};
            return m_random.chance(0.5);
        });
        return result;
    }

    tensor::ArrayPtr array(ir::TypeId type) {
        const Result<tensor::ArrayPtr> made = tensor::randomArray(m_bank->types(), type, {}, m_random);
        if (!made) return nullptr;
        tensor::Array changed = **made;
        const bool isFloat = ir::isFloating(changed.dtype);
        const bool isSpecial = m_random.chance(0.2);
        const bool isWild = m_isExact && isFloat && m_random.chance(0.1);
        for (double& element : changed.elements) {
            if (isFloat && isSpecial && m_random.chance(0.4)) element = static_cast<double>(m_random.integer(-1, 1));
            if (isWild && m_random.chance(0.2)) {
                element = m_random.chance(0.5) ? std::numeric_limits<double>::infinity()
                                               : std::numeric_limits<double>::quiet_NaN();
            }
        }
        return std::make_shared<const tensor::Array>(std::move(changed));
    }

    /// A difference that was found; counts what could be compared.
    std::optional<Difference> attempt(std::vector<std::int64_t> sizes, int& samples) {
        const std::optional<Instance> made = instance(std::move(sizes));
        if (!made) return std::nullopt;
        tensor::Inputs inputs;
        tensor::Weights weights;
        for (const TensorInstances::Leaf& leaf : made->leaves) {
            const tensor::ArrayPtr values = array(leaf.type);
            if (values == nullptr) return std::nullopt;
            if (leaf.isWeight)
                weights.set(leaf.name, tensor::WeightData::of(values));
            else
                inputs.emplace(leaf.name, values);
        }
        const auto before = tensor::evaluate(*m_bank, made->before, inputs, weights);
        if (!before) return std::nullopt;
        const auto after = tensor::evaluate(*m_bank, made->after, inputs, weights);
        ++samples;
        const Result<double> deviation =
            after ? tensor::maxDeviation(*before, *after) : Result<double>(std::numeric_limits<double>::infinity());
        if (deviation && *deviation <= m_tolerance) return std::nullopt;
        if (!m_isExact && isWildOutput(*before)) return std::nullopt;
        return described(*made, inputs, weights, *before, after);
    }

    /// Rules that are not exact need not keep what is not a number.
    static bool isWildOutput(std::span<const tensor::ArrayPtr> outputs) {
        return std::any_of(outputs.begin(), outputs.end(), [](const tensor::ArrayPtr& output) {
            return std::any_of(output->elements.begin(), output->elements.end(),
                               [](double element) { return !std::isfinite(element); });
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

    Difference described(const Instance& instance, const tensor::Inputs& inputs, const tensor::Weights& weights,
                         const std::vector<tensor::ArrayPtr>& before,
                         const Result<std::vector<tensor::ArrayPtr>>& after) const {
        Difference result;
        result.nodes = m_bank->treeSize(instance.before);
        result.text.before = tensor::termText(*m_bank, instance.before, ShownLevels);
        result.text.after = tensor::termText(*m_bank, instance.after, ShownLevels);
        result.text.position = "/";
        result.text.beforeValue = text(before);
        result.text.afterValue = after ? text(*after) : "failure: " + after.error().message;
        for (const TensorInstances::Leaf& leaf : instance.leaves) {
            const auto input = inputs.find(leaf.name);
            const Result<tensor::ArrayPtr> values =
                input != inputs.end() ? Result<tensor::ArrayPtr>(input->second) : weights.find(leaf.name)->read();
            result.elements += (*values)->elements.size();
            result.text.inputs += fmt::format("{}{}: {} = {}", result.text.inputs.empty() ? "" : ", ", leaf.name,
                                              m_bank->types().toString(leaf.type), text({*values}));
        }
        return result;
    }

    /// Many more, of small sizes; the one with the fewest nodes and elements.
    Difference smallest(Difference best) {
        int samples = 0;
        for (int i = 0; i < SmallAttempts && !stopped(); ++i) {
            std::optional<Difference> other = attempt(sizes(1 + i % 3), samples);
            if (other && other->order() < best.order()) best = *std::move(other);
        }
        return best;
    }

    const rules::CompiledDirection& m_direction;
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
    const RuleTestOptions& m_options;
    std::optional<Clock::time_point> m_deadline;
    Random m_random;
    bool m_isExact = true;
    double m_tolerance = 0.0;
    std::unique_ptr<ir::TermBank> m_bank;
    std::optional<TensorInstances> m_instances;
};

}  // namespace

bool isOverArrays(const rules::CompiledRule& rule) {
    return std::any_of(rule.table.nodes.begin(), rule.table.nodes.end(),
                       [](const rules::Node& node) { return node.isOfArrays; });
}

RuleVerdict testTensorRule(const rules::CompiledDirection& direction,
                           const std::shared_ptr<const ir::OperatorRegistry>& registry, const RuleTestOptions& options,
                           std::optional<Clock::time_point> deadline) {
    return TensorRuleTest(direction, registry, options, deadline).run();
}

}  // namespace mitos::eval
