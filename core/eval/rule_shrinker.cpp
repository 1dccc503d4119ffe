// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/rule_shrinker.h"

#include "core/eval/shrink.h"
#include "core/ir/binding.h"

namespace mitos::eval {

namespace {

/// Comparisons in all: a program of a hundred nodes needs some ten thousand.
constexpr int MaxComparisons = 50'000;

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
        if (comparison.outcome != m_best.comparison.outcome) return false;
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

}  // namespace

Difference shrunk(ir::TermBank& bank, RuleInstances& instances, const RuleJudge& judge, Difference from,
                  const std::stop_token& stop) {
    return Shrinker(bank, instances, judge, std::move(from), stop).run();
}

}  // namespace mitos::eval
