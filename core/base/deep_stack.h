// SPDX-License-Identifier: GPL-3.0-or-later
// Room for deep recursion: programs may be nested 10,000 levels deep, more than a usual stack holds.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>

namespace mitos {

/// Calls work: on a thread of its own with a stack that suffices for `levels` nested levels (and waits for it), or
/// directly if there are few. Nothing else runs meanwhile, so work may use the caller's data freely. What work throws comes back
/// to the caller. Throws std::bad_alloc if there is no room for such a stack.
void withDeepStack(std::size_t levels, absl::FunctionRef<void()> work);

}  // namespace mitos
