// SPDX-License-Identifier: GPL-3.0-or-later
// Loops with early exits as folds, for differentiation and for rewriting; steps of folds.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::ks {

/// The number of rounds in which (loop n s f) computes a next state, the round of the exit among them. `iterations` is the first element
/// of the loop's value.
[[nodiscard]] ir::TermId roundsOfLoop(ir::TermBank& bank, ir::TermId bound, ir::TermId iterations);

/// The last state of (loop n s f), whose function is a lam, as a fold over 0, 1, … below `rounds`:
/// (fold (lam (q : (Tuple A Integer)) next) s (build rounds (lam (k : Integer) k))). The tests of the exits are dropped where only they
/// depend on them. If every exit leaves the state unchanged, the number of iterations may be given for the rounds.
[[nodiscard]] ir::TermId foldOfLoop(ir::TermBank& bank, ir::TermId loop, ir::TermId rounds);

/// The same over the counted iterations, of a step without tests; invalid if an exit may change the state, or if it is not written as a
/// branch to (tuple true state).
[[nodiscard]] ir::TermId foldOfIterations(ir::TermBank& bank, ir::TermId loop, ir::TermId iterations);

/// The type of what the step of an RFold keeps for the step back, from the types of the step and of the state; invalid if it keeps nothing.
[[nodiscard]] ir::TypeId keptByStep(const ir::TypeTable& types, ir::TypeId step, ir::TypeId state);

}  // namespace mitos::ks
