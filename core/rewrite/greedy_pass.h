// SPDX-License-Identifier: GPL-3.0-or-later
// The pass of PyPM over a program (section 2.4 of its paper): every match is rewritten at once, until nothing matches.
#pragma once

#include "core/rewrite/step.h"
#include "core/rules/rule.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace mitos::rewrite {

/// The order in which a walk visits the nodes.
enum class WalkOrder : std::uint8_t {
    UsersFirst,     ///< from the outputs: a node before its operands, so that a pattern takes as much as it can
    OperandsFirst,  ///< from the inputs
};

struct GreedyPass {
    Thread thread;
    std::uint64_t walks = 0;    ///< over the nodes, the last one without a match included
    std::uint64_t visits = 0;   ///< of nodes
    bool isFixedPoint = false;  ///< whether nothing applies at its end; no if the pass was ended
};

/// Walks over the nodes of the program, again and again until a walk changes nothing. At each node the rules are tried in their order, and the
/// first match of the first rule that has one is taken. What a step has changed is visited in the next walk. A step whose result the thread has
/// had before is left out, without which rules such as a + b => b + a would never end. Rules with several roots are not
/// tried. `goesOn` gets the thread so far before each node and after each step, and ends the pass by returning false. The result is valid by
/// construction.
[[nodiscard]] GreedyPass greedyPass(ir::TermBank& bank, const ir::Program& program,
                                    const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
                                    WalkOrder order, absl::FunctionRef<bool(const Thread&)> goesOn);

}  // namespace mitos::rewrite
