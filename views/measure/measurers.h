// SPDX-License-Identifier: GPL-3.0-or-later
// The runtimes that the desktop measures with.
#pragma once

#include "views/measure/measure_view.h"

#include <memory>

namespace mitos::views {

/// LibTorch, in a process of its own.
[[nodiscard]] std::unique_ptr<cost::Measurer> measurerFor(const MeasuringChoice& choice);

}  // namespace mitos::views
