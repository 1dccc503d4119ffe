// SPDX-License-Identifier: GPL-3.0-or-later
// See verify.h.
#include "core/rewrite/verify.h"

#include "core/base/time_limit.h"
#include "core/ir/shared.h"
#include "core/rules/directed_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// The limit on the computation for comparing each step, in all: a minute, for the threads of the largest networks.
constexpr double MostFlops = 2e11;

/// Whether the rule may match a number that only approximates the one it names.
bool matchesRounded(const rules::CompiledRule& rule) {
    return std::ranges::any_of(rules::tablesOf(rule), [](const rules::NodeTable* table) {
        return std::ranges::any_of(table->nodes,
                                   [](const rules::Node& node) { return node.kind == rules::NodeKind::Approx; });
    });
}

/// The deviation that a step of the rule may cause; nothing if the rule keeps the value.
std::optional<double> allowedOf(const rules::DirectedRule& rule) {
    if (rule.rule().hasTag("approximate")) return eval::ApproximateStep;
    const rules::CompiledRule* const compiled = rules::compiledOf(rule);
    return compiled != nullptr && matchesRounded(*compiled) ? std::optional(eval::RoundedStep) : std::nullopt;
}

}  // namespace

Result<eval::Verification> verify(const ir::TermBank& bank, const Thread& thread, const eval::VerifyOptions& options) {
    std::vector<eval::VerifyStep> steps;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const Step& step = thread.steps[i];
        steps.push_back({.name = step.name(),
                         .positions = step.positions,
                         .result = thread.states[i],
                         .soundness = step.rule->rule().soundness,
                         .isReversed = step.isReversed,
                         .allowed = allowedOf(*step.rule),
                         .operands = operandsOf(bank, step)});
    }
    return eval::verify(bank, thread.start, steps, options);
}

Result<eval::Equivalence> compareEnds(const ir::TermBank& bank, const Thread& thread,
                                      const eval::EquivalenceOptions& options) {
    // The comparison of the ends gets half of the time, so that some is left for the steps.
    const TimeLimit time(options.seconds, options.limits.stop);
    eval::EquivalenceOptions whole = options;
    if (!thread.steps.empty()) whole.seconds /= 2.0;
    Result<eval::Equivalence> ends = eval::compare(bank, thread.start, thread.end(), whole);
    // A deviation at the ends may be within what some step is allowed.
    const bool mayDeviate = ends && !ends->equivalent && std::ranges::any_of(thread.steps, [](const Step& step) {
                                return allowedOf(*step.rule).has_value();
                            });
    const bool settled = ends && ends->compared > 0 && !mayDeviate && (ends->isTelling || !ends->equivalent);
    if (!ends || settled || thread.steps.empty()) return ends;
    eval::Limits limits = options.limits;
    limits.stop = time.token();
    const Result<eval::Verification> steps = verify(bank, thread,
                                                    {.samples = 1,
                                                     .seed = options.seed,
                                                     .tolerance = options.tolerance,
                                                     .flops = MostFlops,
                                                     .limits = limits,
                                                     .weights = options.weights,
                                                     .assumptions = options.assumptions});
    if (!steps && time.isOver()) {
        // An input that decides nothing does not count as a comparison, and neither does a deviation that some step may be allowed.
        ends->note +=
            fmt::format("; the {:g} s that comparing may take ended before each step was compared", options.seconds);
        ends->equivalent = false;
        ends->compared = 0;
        ends->counterexample.clear();
        return ends;
    }
    if (!steps) return steps.error();
    if (mayDeviate && !steps->holds() && !steps->difference) return ends;
    ends->stepByStep = true;
    if (mayDeviate) {
        ends->note +=
            fmt::format("; deviation {:.3g}, as rules were applied that keep values only nearly", ends->maxDeviation);
    } else if (ends->compared > 0) {
        ends->note += "; its values hardly depend on its inputs there";
    }
    ends->note += "; so step by step: " + steps->summary();
    ends->maxDeviation = std::max(ends->maxDeviation, steps->maxDeviation());
    ends->equivalent = steps->holds();
    ends->counterexample.clear();
    ends->compared = ends->equivalent || steps->difference ? std::max(ends->compared, 1) : 0;
    if (steps->difference) ends->counterexample = steps->difference->toString();
    return ends;
}

}  // namespace mitos::rewrite
