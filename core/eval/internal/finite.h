// SPDX-License-Identifier: GPL-3.0-or-later
// Values without infinities and NaN.
#pragma once

#include "core/eval/value.h"

namespace mitos::eval {

/// Whether every number in the value, at any depth, is finite.
[[nodiscard]] bool isFinite(const Value& value);

}  // namespace mitos::eval
