// SPDX-License-Identifier: GPL-3.0-or-later
// The runtimes that the desktop measures with, each in a process of its own.
#pragma once

#include "core/onnx/runtime.h"
#include "views/measure/measure_view.h"

#include <memory>

namespace mitos::views {

/// ONNX Runtime in the Python that the preferences name.
[[nodiscard]] onnx::RuntimeOptions preferredRuntime();
/// ONNX Runtime runs in the Python that the preferences name.
[[nodiscard]] std::unique_ptr<cost::Measurer> measurerFor(const MeasuringChoice& choice);

}  // namespace mitos::views
