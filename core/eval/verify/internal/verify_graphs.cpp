// SPDX-License-Identifier: GPL-3.0-or-later
// Verifies steps on values that flow through the program, and steps by themselves.
#include "core/eval/verify/internal/verify_graphs.h"

#include "core/eval/internal/array_difference.h"
#include "core/eval/internal/graphs.h"
#include "core/eval/samples.h"
#include "core/eval/verify/internal/step_regions.h"
#include "core/tensor/element_range.h"
#include "core/tensor/samples.h"
#include "core/tensor/text.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace mitos::eval {

using ir::TermId;
using tensor::ArrayPtr;

namespace {

class GraphVerification {
public:
    GraphVerification(const ir::TermBank& bank, const ir::Program& start, const std::vector<VerifyStep>& steps,
                      const VerifyOptions& options)
        : m_bank(bank),
          m_start(start),
          m_steps(steps),
          m_options(options),
          m_regions(bank, start, steps),
          m_end(steps.size()),
          m_random(options.seed) {
        m_found.steps.resize(steps.size());
    }

    Result<Verification> run() {
        const bool repeatable =
            isRepeatableGraph(m_bank, m_start.root) && std::ranges::all_of(m_steps, [&](const VerifyStep& step) {
                return isRepeatableGraph(m_bank, step.result);
            });
        if (!repeatable)
            return noted(std::move(m_found), "it draws random numbers, so that every run gives other values");
        if (m_steps.empty()) return std::move(m_found);
        Result<tensor::Weights> weights = weightsFor(m_bank, m_start.root, m_options.weights.get(), true);
        if (weights) weights = weightsFor(m_bank, m_steps.back().result, &*weights);
        if (!weights) return noted(std::move(m_found), weights.error().message);
        m_weights = *std::move(weights);
        MITOS_REQUIRE(runWhole());
        for (std::size_t i = 0; i < m_end; ++i) {
            if (m_found.steps[i].check != StepCheck::None) continue;
            MITOS_REQUIRE(runAlone(i));
        }
        return noted(std::move(m_found), "no random operands gave finite values");
    }

private:
    [[nodiscard]] TermId state(std::size_t step) const { return step == 0 ? m_start.root : m_steps[step - 1].result; }

    [[nodiscard]] tensor::EvaluateOptions evaluateOptions() const {
        const auto most = static_cast<std::int64_t>(m_options.limits.bytes / sizeof(double));
        tensor::EvaluateOptions options{.stop = m_options.limits.stop, .maxElements = most};
        if (m_options.limits.bytes < Limits{}.bytes) options.maxHeld = most;  // as evaluateGraph()
        return options;
    }

    Result<tensor::Inputs> inputs() {
        const ir::Function& function = m_bank.function(m_start.function);
        MITOS_TRY(m_sizes, tensor::randomSizes(m_bank, function, {}, m_random));
        return tensor::randomInputs(m_bank, function, m_sizes, m_random);
    }

    // --- values that flow through the program ---------------------------------------------------------------------

    /// Operations for one input of the whole program; empty if the values to keep exceed the limit.
    [[nodiscard]] std::optional<double> effortOfWhole() const {
        double bytes = 0.0;
        for (const TermId node : m_regions.neededOfStart()) bytes += valueBytes(m_bank.type(node));
        if (bytes > static_cast<double>(m_options.limits.bytes)) return std::nullopt;
        double flops = flopsOf(m_regions.neededOfStart(), {});
        for (std::size_t i = 0; i < m_steps.size(); ++i) flops += m_regions[i].effort.flops;
        return flops;
    }

    [[nodiscard]] double valueBytes(ir::TypeId type) const {
        const ir::TypeTable& types = m_bank.types();
        double bytes = 0.0;
        if (types.isTuple(type)) {
            for (const ir::TypeId part : types.children(type)) bytes += valueBytes(part);
        } else if (types.isArray(type) && types.hasRank(type)) {
            bytes = sizeof(double);
            for (const ir::Dimension dimension : types.dimensions(type)) {
                bytes *= dimension.isKnown() ? static_cast<double>(dimension.size) : 1.0;
            }
        }
        return bytes;
    }

    Status runWhole() {
        const std::optional<double> flops = effortOfWhole();
        if (!flops) return Success{};
        for (int i = 0; i < m_options.samples && m_end > 0 && m_spent + *flops <= m_options.flops; ++i) {
            const Result<tensor::Inputs> drawn = inputs();
            if (!drawn) return Success{};  // neither state then has a value
            m_spent += *flops;
            MITOS_REQUIRE(walk(*drawn));
        }
        return Success{};
    }

    Status walk(const tensor::Inputs& inputs) {
        const tensor::EvaluateOptions options = evaluateOptions();
        Result<tensor::NodeValues> values =
            tensor::evaluateNodes(m_bank, m_regions.neededOfStart(), {}, inputs, m_weights, options);
        if (!values) return values.error().code == ErrorCode::Cancelled ? Status(values.error()) : Success{};
        bool isBlurred = false;
        for (std::size_t i = 0; i < m_end; ++i) {
            const StepRegion& region = m_regions[i];
            const auto isKnown = [&](const NodeUse& use) { return values->contains(use.origin); };
            if (region.obstacle.empty() && std::ranges::all_of(region.before, isKnown) &&
                std::ranges::all_of(region.frontier, isKnown)) {
                tensor::NodeValues known;
                for (const NodeUse& use : region.frontier) known.emplace(use.node, values->at(use.origin));
                std::vector<TermId> wanted = region.after;
                for (const TermId node : region.interior) {
                    if (m_regions.isUsed(node) && m_regions.lastUse(node) > i) wanted.push_back(node);
                }
                const std::vector<TermId> fresh = newWeights(m_bank, region);
                wanted.insert(wanted.end(), fresh.begin(), fresh.end());
                Result<tensor::NodeValues> made =
                    tensor::evaluateNodes(m_bank, wanted, known, inputs, m_weights, options);
                if (!made && made.error().code == ErrorCode::Cancelled) return made.error();
                const auto valueBefore = [&](std::size_t k) { return values->at(region.before[k].origin); };
                const auto shown = [&] {
                    return describeInputs(m_bank, m_bank.function(m_start.function), asValues(inputs));
                };
                if (compare(i, StepCheck::Whole, valueBefore, made, known, isBlurred, shown)) return Success{};
                if (made && losesWeights(i, StepCheck::Whole, valueBefore, fresh, made, shown)) return Success{};
                for (std::size_t k = region.after.size(); made && k < wanted.size(); ++k) {
                    values->insert_or_assign(wanted[k], made->at(wanted[k]));
                }
            }
            isBlurred = isBlurred || m_steps[i].allowed;
            absl::erase_if(*values, [&](const auto& entry) { return m_regions.lastUse(entry.first) <= i; });
        }
        return Success{};
    }

    [[nodiscard]] Inputs asValues(const tensor::Inputs& inputs) const {
        Inputs result;
        for (const ir::Parameter& parameter : m_bank.function(m_start.function).parameters) {
            result.arguments.emplace_back(inputs.find(m_bank.text(parameter.name))->second);
        }
        return result;
    }

    // --- steps by themselves --------------------------------------------------------------------------------------

    /// Whether the value of a term depends on inputs of the program.
    [[nodiscard]] bool isOpen(TermId term) {
        if (const auto known = m_isOpen.find(term); known != m_isOpen.end()) return known->second;
        for (const TermId node : ir::SharedNodes(m_bank, term)) {
            if (m_isOpen.contains(node)) continue;
            const auto children = m_bank.children(node);
            const bool isOwn = m_bank.is(node, ir::CoreOp::Variable) ||
                               (!children.empty() && tensor::operatorOf(m_bank, node) == nullptr &&
                                !m_bank.is(node, ir::CoreOp::Get) && !m_bank.is(node, ir::CoreOp::Tuple));
            m_isOpen[node] = isOwn || std::ranges::any_of(children, [&](TermId child) { return m_isOpen.at(child); });
        }
        return m_isOpen.at(term);
    }

    /// Whether a term consists of operands and closed terms, below at most so many levels of operators. A rule that binds the term to a
    /// variable may then name it by these parts, too, as the rule for Concat(Concat(x), Concat(x)) does.
    [[nodiscard]] bool consistsOf(const std::vector<TermId>& operands, TermId term, int levels) {
        const auto children = m_bank.children(term);
        return levels > 0 && !children.empty() && std::ranges::all_of(children, [&](TermId child) {
                   return std::ranges::find(operands, child) != operands.end() || !isOpen(child) ||
                          consistsOf(operands, child, levels - 1);
               });
    }

    /// The operands that may have arbitrary numbers, because they depend on inputs of the program. An operand that the rule may also name
    /// by its parts is computed from these, so that it has one value on both sides of the step.
    [[nodiscard]] std::vector<TermId> cutsOf(const VerifyStep& step, TermId before) {
        std::vector<TermId> cuts;
        const ir::SharedNodes nodes(m_bank, before);
        for (const TermId operand : step.operands) {
            if (!nodes.contains(operand) || std::ranges::find(cuts, operand) != cuts.end()) continue;
            if (isOpen(operand) && !consistsOf(step.operands, operand, MostLevels)) cuts.push_back(operand);
        }
        return cuts;
    }

    /// Operations of the nodes that are computed if the cuts are known.
    [[nodiscard]] double effortOfAlone(const StepRegion& region, const std::vector<TermId>& cuts) const {
        std::vector<TermId> ends(region.after);
        for (const NodeUse& use : region.before) ends.push_back(use.node);
        return flopsOf(std::move(ends), {cuts.begin(), cuts.end()});
    }

    /// Operations of the nodes in `open` and below them, without those in `known`.
    [[nodiscard]] double flopsOf(std::vector<TermId> open, absl::flat_hash_set<TermId> known) const {
        double flops = 0.0;
        while (!open.empty()) {
            const TermId node = open.back();
            open.pop_back();
            if (!known.insert(node).second) continue;
            flops += nodeEffort(m_bank, node).flops;
            open.insert(open.end(), m_bank.children(node).begin(), m_bank.children(node).end());
        }
        return flops;
    }

    Result<tensor::NodeValues> randomOperands(const std::vector<TermId>& cuts, bool positive) {
        tensor::NodeValues known;
        for (const TermId cut : cuts) {
            const ir::TypeId type = m_bank.type(cut);
            std::vector<ir::TypeId> parts{type};
            if (m_bank.types().isTuple(type)) {
                parts.assign(m_bank.types().children(type).begin(), m_bank.types().children(type).end());
            }
            for (const ir::TypeId part : parts) {
                MITOS_TRY(ArrayPtr array, tensor::randomArray(m_bank.types(), part, m_sizes, m_random));
                if (positive && ir::isFloating(array->dtype)) {
                    auto changed = std::make_shared<tensor::Array>(*array);
                    for (double& element : changed->elements) element = std::abs(element);
                    array = std::move(changed);
                }
                known[cut].push_back(std::move(array));
            }
        }
        return known;
    }

    Status runAlone(std::size_t i) {
        const StepRegion& region = m_regions[i];
        StepVerdict& verdict = m_found.steps[i];
        if (!region.obstacle.empty()) {
            verdict.note = region.obstacle;
            return Success{};
        }
        const std::vector<TermId> cuts = cutsOf(m_steps[i], state(i));
        std::vector<TermId> ends;
        for (const NodeUse& use : region.before) ends.push_back(use.node);
        ends.insert(ends.end(), region.after.begin(), region.after.end());
        std::vector<std::uint32_t> key = regionKey(m_bank, ends, cuts);
        key.push_back(!m_steps[i].allowed ? 0 : *m_steps[i].allowed == RoundedStep ? 1 : 2);
        key.push_back(mayFail(m_steps[i]) ? 1 : 0);
        const auto [alike, isNew] = m_checkedAlone.try_emplace(std::move(key), i);
        if (!isNew && m_found.steps[alike->second].check == StepCheck::Alone) {
            verdict = m_found.steps[alike->second];
            verdict.note = fmt::format("as step {}: the same on operands of the same types", alike->second + 1);
            return Success{};
        }
        alike->second = i;
        const double flops = effortOfAlone(region, cuts);
        const double left = m_options.flops - m_spent;
        if (flops > left) {
            verdict.note = fmt::format("it would compute {:.3g} GFLOP more, and {:.3g} of {:.3g} are left", flops / 1e9,
                                       std::max(0.0, left) / 1e9, m_options.flops / 1e9);
            return Success{};
        }
        double bytes = 0.0;
        for (const auto& parameter : m_bank.function(m_start.function).parameters) bytes += valueBytes(parameter.type);
        for (const TermId cut : cuts) bytes += valueBytes(m_bank.type(cut));
        if (bytes > static_cast<double>(m_options.limits.bytes)) {
            verdict.note = fmt::format("its operands take more than {} MiB", m_options.limits.bytes >> 20U);
            return Success{};
        }
        // Each remaining step gets an equal share, but at least one input.
        const double share = left / static_cast<double>(m_end - i);
        const int samples = std::clamp(static_cast<int>(std::min(1e6, share / std::max(1.0, flops))), 1,
                                       std::max(1, m_options.samples));
        for (int sample = 0; sample < samples; ++sample) {
            const Result<tensor::Inputs> drawn = inputs();
            const Result<tensor::NodeValues> known =
                drawn ? randomOperands(cuts, sample % 2 == 1) : Result<tensor::NodeValues>(drawn.error());
            if (!known) {
                verdict.note = known.error().message;
                return Success{};
            }
            m_spent += flops;
            const std::vector<TermId> before(ends.begin(), ends.begin() + std::ssize(region.before));
            const Result<tensor::NodeValues> old =
                tensor::evaluateNodes(m_bank, before, *known, *drawn, m_weights, evaluateOptions());
            if (!old && old.error().code == ErrorCode::Cancelled) return old.error();
            if (!old) {
                verdict.note = old.error().message;
                continue;
            }
            const std::vector<TermId> fresh = sample == 0 ? newWeights(m_bank, region) : std::vector<TermId>();
            std::vector<TermId> wanted = region.after;
            wanted.insert(wanted.end(), fresh.begin(), fresh.end());
            const Result<tensor::NodeValues> made =
                tensor::evaluateNodes(m_bank, wanted, *known, *drawn, m_weights, evaluateOptions());
            if (!made && made.error().code == ErrorCode::Cancelled) return made.error();
            const auto valueBefore = [&](std::size_t k) { return old->at(before[k]); };
            const auto shown = [&] {
                return fmt::format("random operands, number {} of seed {}", sample + 1, m_options.seed);
            };
            if (compare(i, StepCheck::Alone, valueBefore, made, *known, false, shown)) return Success{};
            if (made && losesWeights(i, StepCheck::Alone, valueBefore, fresh, made, shown)) return Success{};
        }
        return Success{};
    }

    /// A rule that may drop failures introduces them when it is reversed.
    static bool mayFail(const VerifyStep& step) {
        return step.isReversed && step.soundness == rules::Soundness::Domain;
    }

    // --- both -----------------------------------------------------------------------------------------------------

    /// Whether the step changes the value. `isBlurred`: an earlier step that is allowed to change it may have caused the difference.
    bool compare(std::size_t i, StepCheck check, absl::FunctionRef<std::vector<ArrayPtr>(std::size_t)> valueBefore,
                 const Result<tensor::NodeValues>& made, const tensor::NodeValues& operands, bool isBlurred,
                 absl::FunctionRef<std::string()> inputs) {
        const StepRegion& region = m_regions[i];
        const VerifyStep& step = m_steps[i];
        StepVerdict& verdict = m_found.steps[i];
        if (!made && (made.error().code == ErrorCode::Limit || made.error().code == ErrorCode::Unsupported)) {
            verdict.note = made.error().message;
            return false;
        }
        if (mayFail(step) && !made) return false;
        const double tolerance =
            std::max(step.allowed.value_or(0.0), toleranceFor(m_options.tolerance, region.effort.longestReduction));
        double largest = 1.0;
        for (const auto& [node, arrays] : operands) {
            for (const ArrayPtr& array : arrays) {
                if (array != nullptr) largest = std::max(largest, tensor::largestMagnitude(array->elements));
            }
        }
        const double leastMagnitude = leastMagnitudeFor(region.effort.longestReduction, largest);
        for (std::size_t k = 0; k < region.before.size(); ++k) {
            const std::vector<ArrayPtr> before = valueBefore(k);
            ArrayDifference far =
                difference(before, made ? made->at(region.after[k]) : before, leastMagnitude, mayFail(step));
            if (!made && far.compared > 0) far.deviation = HUGE_VAL;
            const bool tells = far.compared > 0 && (check == StepCheck::Alone || far.isTelling);
            if (far.mismatch.empty() && !tells) return false;
            if (far.deviation > tolerance) {
                if (isBlurred) return false;
                report(i, {k, check, before, made, far, tolerance}, inputs());
                return true;
            }
            verdict.maxDeviation = std::max(verdict.maxDeviation, far.deviation);
        }
        verdict.check = check;
        verdict.note.clear();
        ++verdict.samples;
        return false;
    }

    /// Whether the step creates weights that cannot be held; this is reported as a difference.
    bool losesWeights(std::size_t i, StepCheck check, absl::FunctionRef<std::vector<ArrayPtr>(std::size_t)> valueBefore,
                      const std::vector<TermId>& fresh, const Result<tensor::NodeValues>& made,
                      absl::FunctionRef<std::string()> inputs) {
        std::optional<std::string> lost = lostWeights(m_bank, m_regions[i], fresh, *made, m_weights, evaluateOptions());
        if (!lost) return false;
        ArrayDifference far;
        far.deviation = HUGE_VAL;
        far.mismatch = *std::move(lost);
        report(i, {0, check, valueBefore(0), made, far, m_options.tolerance}, inputs());
        return true;
    }

    /// A difference at one of the places that a step rewrites.
    struct Finding {
        std::size_t place = 0;
        StepCheck check = StepCheck::None;
        const std::vector<ArrayPtr>& before;
        const Result<tensor::NodeValues>& made;
        const ArrayDifference& far;
        double tolerance = 0.0;
    };

    void report(std::size_t i, const Finding& finding, std::string inputs) {
        const auto& [place, check, before, made, far, tolerance] = finding;
        StepVerdict& verdict = m_found.steps[i];
        verdict.check = check;
        verdict.maxDeviation = far.deviation;
        ++verdict.samples;
        VerifyStep one = m_steps[i];
        one.positions = {m_steps[i].positions[place]};
        StepDifference difference = differenceAt(m_bank, {m_start.function, state(i)}, one, i + 1);
        const tensor::Array& a = *before[far.output];
        difference.place = tensor::typeText(m_bank.types(), m_bank.type(m_regions[i].before[place].node));
        if (before.size() > 1) difference.place += fmt::format(", output {}", far.output);
        if (far.mismatch.empty()) {
            difference.place = fmt::format("element {} of {}", indexText(a, far.element), difference.place);
            difference.beforeValue = fmt::format("{:.12g}", a.elements[far.element]);
        } else {
            difference.beforeValue = fmt::format("an array of [{}]", fmt::join(a.shape, ","));
        }
        if (!made) {
            difference.afterValue = "fails: " + made.error().message;
        } else if (far.mismatch.empty()) {
            const tensor::Array& b = *made->at(m_regions[i].after[place])[far.output];
            difference.afterValue = fmt::format("{:.12g}", b.elements[far.element]);
        } else {
            difference.afterValue = far.mismatch;
        }
        difference.inputs = std::move(inputs);
        difference.deviation = far.deviation;
        difference.tolerance = tolerance;
        difference.check = check;
        m_found.difference = std::move(difference);
        m_end = i;  // another input may show an earlier one
    }

    static constexpr int MostLevels = 4;  ///< of operators that a rule names, one below the other

    const ir::TermBank& m_bank;
    const ir::Program& m_start;
    const std::vector<VerifyStep>& m_steps;
    const VerifyOptions& m_options;
    StepRegions m_regions;
    std::size_t m_end;  ///< steps from here on are not compared
    Random m_random;
    tensor::Sizes m_sizes;  ///< of the last input
    tensor::Weights m_weights;
    double m_spent = 0.0;
    absl::flat_hash_map<std::vector<std::uint32_t>, std::size_t> m_checkedAlone;  ///< steps by region key
    absl::flat_hash_map<TermId, bool> m_isOpen;
    Verification m_found;
};

}  // namespace

Result<Verification> verifyGraphs(const ir::TermBank& bank, const ir::Program& start,
                                  const std::vector<VerifyStep>& steps, const VerifyOptions& options) {
    return GraphVerification(bank, start, steps, options).run();
}

}  // namespace mitos::eval
