// SPDX-License-Identifier: GPL-3.0-or-later
// See verify.h.
#include "core/rewrite/verify.h"

#include "core/ir/shared.h"
#include "core/rules/directed_rule.h"
#include "core/rules/multi_rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// What comparing each step may compute in all: a minute, for the threads of the largest networks.
constexpr double MostFlops = 2e11;

/// Null for rules that no rule file has.
const rules::CompiledRule* compiledOf(const rules::DirectedRule& rule) {
    if (const rules::MultiRule* const several = rule.several()) return &several->whole();
    const auto* const compiled = dynamic_cast<const rules::CompiledDirection*>(&rule);
    return compiled == nullptr ? nullptr : &compiled->compiled();
}

/// What the step's variables stand for, where that is a term of the program or several.
std::vector<TermId> operandsOf(const ir::TermBank& bank, const Step& step) {
    const rules::CompiledRule* const rule = compiledOf(*step.rule);
    if (rule == nullptr) return {};
    std::vector<TermId> operands;
    for (std::size_t i = 0; i < step.substitution.values.size(); ++i) {
        const rules::Binding& binding = step.substitution.values[i];
        const rules::VarKind kind = rule->variables[i].kind;
        if (kind == rules::VarKind::Term && binding.term.isValid()) operands.push_back(binding.term);
        if (kind == rules::VarKind::Sequence) {
            operands.insert(operands.end(), binding.sequence.begin(), binding.sequence.end());
        }
    }
    if (rule->constraints.empty()) return operands;
    // Where conditions look into a term (w <= Concat(a, b)), its parts are operands, and it is no longer free.
    std::vector<TermId> innermost;
    for (const TermId operand : operands) {
        const ir::SharedNodes below(bank, operand);
        const bool hasParts =
            std::ranges::any_of(operands, [&](TermId other) { return other != operand && below.contains(other); });
        if (!hasParts) innermost.push_back(operand);
    }
    return innermost;
}

}  // namespace

Result<eval::Verification> verify(const ir::TermBank& bank, const Thread& thread, const eval::VerifyOptions& options) {
    std::vector<eval::VerifyStep> steps;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const Step& step = thread.steps[i];
        steps.push_back({.name = step.name(),
                         .positions = step.positions(),
                         .result = thread.states[i],
                         .soundness = step.rule->rule().soundness,
                         .isReversed = step.isReversed,
                         .isApproximate = step.rule->rule().hasTag("approximate"),
                         .operands = operandsOf(bank, step)});
    }
    return eval::verify(bank, thread.start, steps, options);
}

Result<eval::Equivalence> compareEnds(const ir::TermBank& bank, const Thread& thread,
                                      const eval::EquivalenceOptions& options) {
    Result<eval::Equivalence> ends = eval::compare(bank, thread.start, thread.end(), options);
    const bool settled = ends && ends->compared > 0 && (ends->isTelling || !ends->equivalent);
    if (!ends || settled || thread.steps.empty()) return ends;
    const Result<eval::Verification> steps = verify(bank, thread,
                                                    {.samples = 1,
                                                     .seed = options.seed,
                                                     .tolerance = options.tolerance,
                                                     .flops = MostFlops,
                                                     .limits = options.limits,
                                                     .weights = options.weights});
    if (!steps) return steps.error();
    ends->stepByStep = true;
    if (ends->compared > 0) ends->note += "; its values hardly depend on its inputs there";
    ends->note += "; so step by step: " + steps->summary();
    ends->maxDeviation = std::max(ends->maxDeviation, steps->maxDeviation());
    ends->equivalent = steps->holds();
    ends->compared = ends->equivalent || steps->difference ? std::max(ends->compared, 1) : 0;
    if (steps->difference) ends->counterexample = steps->difference->toString();
    return ends;
}

}  // namespace mitos::rewrite
