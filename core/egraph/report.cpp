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

const char* labelOf(StopReason reason) {
    switch (reason) {
        case StopReason::Saturated: return "saturated, nothing new comes";
        case StopReason::Iterations: return "iteration limit";
        case StopReason::Nodes: return "limit on e-nodes";
        case StopReason::Memory: return "memory limit";
        case StopReason::Seconds: return "time limit";
        case StopReason::Stopped: return "stopped by you";
        case StopReason::Contradiction: return "two different constants are equal";
        case StopReason::Found: return "goal found";
    }
    assert(false && "a stop reason that has no label");
    return "";
}

}  // namespace mitos::egraph
