// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the reasons a search ends.
#include "search/strategy.h"

namespace mitos::search {

const char* toString(StopReason reason) {
    switch (reason) {
        case StopReason::Exhausted: return "exhausted";
        case StopReason::Evaluations: return "evaluations";
        case StopReason::Seconds: return "seconds";
        case StopReason::States: return "states";
        case StopReason::Memory: return "memory";
        case StopReason::Stopped: return "stopped";
        case StopReason::Depth: return "depth";
    }
    return "";
}

}  // namespace mitos::search
