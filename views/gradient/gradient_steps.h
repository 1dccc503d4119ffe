// SPDX-License-Identifier: GPL-3.0-or-later
// Steps to the symbolic form of a segment, for the history of a program.
#pragma once

#include "core/rewrite/step.h"

#include <memory>

namespace mitos::views {

struct GradientSteps {
    std::shared_ptr<const ir::TermBank> bank;
    rewrite::Thread thread;  ///< checked
};

}  // namespace mitos::views
