// SPDX-License-Identifier: GPL-3.0-or-later
// The ks language as a dialect.
#pragma once

#include "core/ir/dialect.h"

namespace mitos::ks {

/// Programs are trees. Reads every text that no other dialect recognizes.
[[nodiscard]] ir::Dialect dialect();

}  // namespace mitos::ks
