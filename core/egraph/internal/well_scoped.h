// SPDX-License-Identifier: GPL-3.0-or-later
// Repairs threads that mention variables where these are not bound. Private to core/egraph.
#pragma once

#include "core/base/result.h"
#include "core/egraph/explain.h"
#include "core/rewrite/step.h"

namespace mitos::egraph {

/// A class holds terms that are equal for all values of their variables (x - x, y - y and 0), so a proof between two of
/// them may pass through terms with variables that are bound at neither end. Such a proof holds for every value of
/// those variables. This function replaces each of them, in states and substitutions, by one closed term of its type: a
/// parameter of the program, a literal or `$dummy`. An operation on such a variable that can fail, (index i v) for instance, is replaced
/// as a whole, so that no state is undefined where the ends are defined; if the rules do not hold for that, only the variables are. States
/// that then repeat are cut out.
///
/// The checker accepts the result. Fails if the end itself mentions such a variable, if a step's rule does not hold for
/// the closed term, or if the checker rejects the thread for any other reason; with Cancelled after `mayGoOn` returned false.
[[nodiscard]] Result<rewrite::Thread> wellScoped(ir::TermBank& bank, rewrite::Thread thread, MayGoOn mayGoOn);

}  // namespace mitos::egraph
