// SPDX-License-Identifier: GPL-3.0-or-later
// Stack space for deep recursion: programs may be nested 10,000 levels deep, which exceeds a usual stack.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>

namespace mitos {

/// Calls `work`: on a separate thread whose stack suffices for `levels` nested levels, or directly if there are few levels. The
/// caller waits for the thread, so `work` may use the caller's data freely. Exceptions of `work` are rethrown to the caller.
/// Throws std::bad_alloc if there is no memory for such a stack.
void withDeepStack(std::size_t levels, absl::FunctionRef<void()> work);

}  // namespace mitos
