// SPDX-License-Identifier: GPL-3.0-or-later
// Shortcuts in threads by other instances of their rules. Private to core/rewrite.
#pragma once

#include "core/rewrite/step.h"

#include <cstdint>
#include <stop_token>

namespace mitos::rewrite {

/// Replaces the steps of a thread of trees by cheaper ones (detours.h), as long as at most `rewrites` rewrites are looked at. The thread keeps its
/// start and its end. Whether the checker accepts the new steps is for the caller to find out: conditions may not hold for them.
void takeShortcuts(ir::TermBank& bank, Thread& thread, std::uint64_t rewrites, const std::stop_token& stop);

}  // namespace mitos::rewrite
