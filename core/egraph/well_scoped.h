// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that mention variables where these are not bound, made right. Private to core/egraph.
#pragma once

#include "core/base/result.h"
#include "core/rewrite/step.h"

namespace mitos::egraph {

/// A class holds terms that are equal whatever their variables stand for (x - x, y - y and 0), so a proof between two of them
/// may pass through terms with variables that are bound at neither end. Such a proof holds for every value of those variables.
/// Here each of them, in states and substitutions, gives way to one closed term of its type: a parameter of the program, a literal
/// or `$dummy`. States that are there twice then are cut out.
///
/// The result is one that the checker accepts. Errors: the end itself mentions such a variable; a step whose rule does not hold of
/// the closed term; anything else that the checker refuses.
[[nodiscard]] Result<rewrite::Thread> wellScoped(ir::TermBank& bank, rewrite::Thread thread);

}  // namespace mitos::egraph
