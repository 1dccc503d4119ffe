// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of a program that a match covers: those that operators of the pattern match, but not what its variables stand for. They are what
// directed graph partitioning makes a region of (PyPM paper, section 4.2).
#pragma once

#include "core/rules/directed_rule.h"

#include <vector>

namespace mitos::rules {

/// The nodes with operands that operators and function variables of the left side match, each once, operands first; match constraints and
/// named patterns are part of the left side. A node that a variable stands for is among them only if an operator matches it too. Fails if the
/// substitution yields no instance of the rule.
[[nodiscard]] Result<std::vector<ir::TermId>> coveredNodes(ir::TermBank& bank, const DirectedRule& rule,
                                                           const Substitution& substitution);

}  // namespace mitos::rules
