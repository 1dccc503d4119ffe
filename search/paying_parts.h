// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the parts of a result that pay where it runs. A cost model predicts; a runtime decides.
#pragma once

#include "core/base/result.h"
#include "core/rewrite/thread_parts.h"
#include "core/timing/time_ratio.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mitos::search {

using timing::Pace;

/// Measures `other` beside `first`, both programs of one bank. An error ends the selection.
using ComparePace = std::function<Result<Pace>(const ir::Program& first, const ir::Program& other)>;

/// A part of the thread, and what became of it.
struct JudgedPart {
    rewrite::ThreadPart part;
    double gain = 0.0;  ///< by how much its steps lower the cost along the thread; negative if they raise it
    Pace pace = Pace::Same;
    bool isMeasured = false;  ///< alone; otherwise together with others, or not at all
    bool isKept = false;
};

struct PayingParts {
    rewrite::Thread thread;  ///< of the kept steps; no steps if none pays
    std::vector<JudgedPart> parts;
    std::size_t measurements = 0;
};

/// Chooses the parts of a thread over a graph (rewrite::partsOf) that make it faster. `whole` is the pace of all of them together, which
/// was measured before. A block of parts that is slower, or not faster, than what is kept so far is halved until its parts are judged alone
/// or `most` measurements are used up; then a block that is not slower is kept if it lowers the cost. The result was never measured as slower
/// than the start. `costs` are those of the thread's states, the start first.
[[nodiscard]] Result<PayingParts> payingParts(ir::TermBank& bank, const rewrite::Thread& thread,
                                              const std::vector<double>& costs, Pace whole, std::size_t most,
                                              const ComparePace& compare);

}  // namespace mitos::search
