// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates how much the evaluation of a program computes. Only for .cpp files of this folder.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::onnx {

/// The operations of all nodes of a graph, each node once: those that cost models count, and what it takes to make each element of a
/// result. The evaluator does about 10^10 in a second. Sizes that are names count as 1.
[[nodiscard]] double operationsOf(const ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::onnx
