// SPDX-License-Identifier: GPL-3.0-or-later
// The assumptions of a thread: the signs of terms that its rules require and that could not be shown.
#pragma once

#include "core/eval/evaluator.h"
#include "core/rewrite/step.h"

#include <string>
#include <vector>

namespace mitos::rewrite {

/// The sign of a subterm, assumed by a step of a rule that was loaded with rules::Assumptions::Allowed.
struct Assumption {
    std::size_t step = 0;  ///< 1-based, the first step that makes the assumption
    std::string rule;      ///< the name of that step
    ir::TermId term;       ///< in the surroundings of the step's position
    std::string relation;  ///< "> 0", ">= 0", "!= 0", "< 0", "<= 0"
    std::string text;      ///< in infix notation, for display: "x + 3 > 0"
};

/// The assumptions that a step makes on the program `before` it, as texts for display: "x + 3 > 0".
[[nodiscard]] std::vector<std::string> assumptionTexts(ir::TermBank& bank, ir::TermId before, const Step& step);
/// All assumptions of a thread, in the order of its steps, each text once. Empty if the rules were loaded without assumptions.
[[nodiscard]] std::vector<Assumption> assumptionsOf(ir::TermBank& bank, const Thread& thread);

/// The assumptions that depend on the program's inputs alone (they mention no variable of a loop or let), as eval::compare() takes them.
[[nodiscard]] std::vector<eval::AssumedSign> signsOf(const ir::TermBank& bank,
                                                     const std::vector<Assumption>& assumptions);

/// An arithmetic term in infix notation: "x + 3" for (add x 3.0). `names` are those of the loose bound variables, outermost first.
[[nodiscard]] std::string infixText(const ir::TermBank& bank, ir::TermId term, const std::vector<std::string>& names);

}  // namespace mitos::rewrite
