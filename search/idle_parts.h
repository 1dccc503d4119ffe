// SPDX-License-Identifier: GPL-3.0-or-later
// Shortens the result of a search. Searches that choose at random take steps that change nothing, and steps that undo each other.
#pragma once

#include "search/strategy.h"

#include <absl/functional/function_ref.h>

namespace mitos::search {

/// Leaves out the parts of the thread (rewrite::partsOf) without which its end is not more expensive. Threads over trees stay as they are,
/// and those that are too long to be replayed once for each part. Ends early when `goesOn` returns false. Costs and checks the
/// thread anew if it changes.
void leaveOutIdleParts(SearchResult& result, const cost::CostModel& model, absl::FunctionRef<bool()> goesOn);

}  // namespace mitos::search
