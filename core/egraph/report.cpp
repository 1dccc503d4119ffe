// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/egraph/report.h"

#include <cassert>

namespace mitos::egraph {

const char* toString(StopReason reason) {
    switch (reason) {
        case StopReason::Saturated: return "saturated";
        case StopReason::Iterations: return "iterations";
        case StopReason::Nodes: return "nodes";
        case StopReason::Memory: return "memory";
        case StopReason::Seconds: return "seconds";
        case StopReason::Stopped: return "stopped";
        case StopReason::Contradiction: return "contradiction";
        case StopReason::Found: return "found";
    }
    assert(false && "a stop reason that has no name");
    return "";
}

}  // namespace mitos::egraph
