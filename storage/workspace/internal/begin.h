// SPDX-License-Identifier: GPL-3.0-or-later
// How every opening begins: rules, a bank, the first state.
#pragma once

#include "storage/workspace/opening.h"

namespace mitos::storage {

/// Puts the named rules into force, with a bank whose registry contains the operators they declare. Rules for another
/// dialect are replaced by the default, with a notice.
[[nodiscard]] Status takeRules(Opened& opened, const std::string& names, const ir::Dialect& dialect,
                               const Surroundings& surroundings,
                               rules::Assumptions assumptions = rules::Assumptions::Forbidden);
/// Begins the history with `start`, priced by the model that `opened` names.
[[nodiscard]] Status prepare(Opened& opened, const ir::Program& start);

}  // namespace mitos::storage
