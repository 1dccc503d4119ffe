// SPDX-License-Identifier: GPL-3.0-or-later
// Measures operations with ONNX Runtime: each becomes a model of one node, whose constant inputs are weights, since the runtime packs
// these in advance.
#pragma once

#include "core/cost/measuring/measurer.h"
#include "core/ir/operator_registry.h"
#include "core/onnx/runtime.h"

#include <memory>

namespace mitos::onnx {

/// A time is that of the model of one node, less what a call of ONNX Runtime takes by itself; the latter is found from chains of one and of
/// many small nodes. Operators that only reinterpret their input (Reshape, Squeeze, …) are free, since within a graph nothing is
/// copied; Split and Slice are not. Operators that are not ONNX's are measured as they are written by default, expanded; operators that
/// cannot be written are refused. RuntimeOptions::stop is not used: the functions have a token. The registry must have the tensor dialect.
[[nodiscard]] std::unique_ptr<cost::Measurer> runtimeMeasurer(std::shared_ptr<const ir::OperatorRegistry> registry,
                                                              RuntimeOptions options, double secondsPerOperation = 0.1);

}  // namespace mitos::onnx
