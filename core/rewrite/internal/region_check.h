// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a step is taken within the region that it names; part of the checker, without the matcher.
#pragma once

#include "core/ir/shared.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

namespace mitos::rewrite {

/// Calls `visit` with the nodes of a rule's side under a step: those from `top` down to the step's operands.
void forEachOwn(const ir::TermBank& bank, ir::TermId top, const absl::flat_hash_set<ir::TermId>& operands,
                absl::FunctionRef<void(ir::TermId)> visit);

/// Fails, and says why, if the step's region (not null) is not one of the program, or if the step's instance has nodes outside.
[[nodiscard]] Status withinRegion(const ir::TermBank& bank, const ir::Program& program, const Step& step);

}  // namespace mitos::rewrite
