// SPDX-License-Identifier: GPL-3.0-or-later
// What a thread takes for granted: the signs that its rules ask for and nobody knows.
#pragma once

#include "core/eval/evaluator.h"
#include "core/rewrite/step.h"

#include <string>
#include <vector>

namespace mitos::rewrite {

/// The sign of a subterm, assumed by a step of a rule that was loaded with rules::Assumptions::Allowed.
struct Assumption {
    std::size_t step = 0;  ///< 1-based, the first that takes it for granted
    std::string rule;      ///< the name of that step
    ir::TermId term;       ///< in the surroundings of the step's position
    std::string relation;  ///< "> 0", ">= 0", "!= 0", "< 0", "<= 0"
    std::string text;      ///< for people: "x + 3 > 0"
};

/// What a step takes for granted on the program `before` it, for people: "x + 3 > 0".
[[nodiscard]] std::vector<std::string> assumptionTexts(ir::TermBank& bank, ir::TermId before, const Step& step);
/// All assumptions of a thread, in the order of its steps, each text once. Empty for rules that were loaded without.
[[nodiscard]] std::vector<Assumption> assumptionsOf(ir::TermBank& bank, const Thread& thread);

/// The rules of a thread's steps whose sides are equal over the real numbers only, by name, each once: rounding and the range of
/// Floats may make a difference.
[[nodiscard]] std::vector<std::string> realOnlyRules(const Thread& thread);

/// Those that inputs of the program alone decide (no variable of a loop or let in them), as eval::compare() needs them.
[[nodiscard]] std::vector<eval::AssumedSign> signsOf(const ir::TermBank& bank,
                                                     const std::vector<Assumption>& assumptions);

/// A term of arithmetic as people write it, "x + 3" for (add x 3.0); names: of loose bound variables, outermost first.
[[nodiscard]] std::string infixText(const ir::TermBank& bank, ir::TermId term, const std::vector<std::string>& names);

}  // namespace mitos::rewrite
