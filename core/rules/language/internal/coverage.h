// SPDX-License-Identifier: GPL-3.0-or-later
// Checks whether one alternate of a pattern finds every match of another one.
#pragma once

#include "core/rules/language/compiled.h"

#include <string_view>

namespace mitos::rules {

/// Whether everything that `later` matches is matched by `earlier` with the same values: the same pattern up to the names of
/// locals and bound variables, with numbers at least as general, and no condition that `later` does not have too.
/// `source` is the text that the spans refer to.
[[nodiscard]] bool covers(const Alternate& earlier, const Alternate& later, std::string_view source);

}  // namespace mitos::rules
