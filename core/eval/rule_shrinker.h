// SPDX-License-Identifier: GPL-3.0-or-later
// Shrinks a counterexample to the smallest one that can be found. Private to core/eval.
#pragma once

#include "core/eval/rule_judge.h"

namespace mitos::eval {

/// An instance and inputs on which its two programs differ.
struct Difference {
    RuleInstance instance;
    Inputs inputs;
    Comparison comparison;
};

/// A smaller difference of the same rule, or the given one. Tries smaller programs in which the rule still rewrites something
/// (smallerPrograms()) and simpler inputs as long as they help. Uses no random numbers.
[[nodiscard]] Difference shrunk(ir::TermBank& bank, RuleInstances& instances, const RuleJudge& judge, Difference from,
                                const std::stop_token& stop);

}  // namespace mitos::eval
