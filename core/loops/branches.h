// SPDX-License-Identifier: GPL-3.0-or-later
// Decides once what several branches depend on.
#pragma once

#include "core/loops/form.h"

namespace mitos::loops {

/// Choices with one condition, which nothing between them changes, become one; what stands between them comes before or after.
void mergeBranches(Function& function);

}  // namespace mitos::loops
