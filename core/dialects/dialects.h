// SPDX-License-Identifier: GPL-3.0-or-later
// The dialects of the programs. Code for programs in general (threads, searches, sessions, views) asks the dialect that a function
// names (ir/dialect.h); this is the one place that lists them. A new dialect is a folder and a line here.
#pragma once

#include "core/base/result.h"
#include "core/ir/dialect.h"

#include <memory>
#include <vector>

namespace mitos::dialects {

/// ks, tensor, tasks. The first one reads the texts that no other one recognizes.
[[nodiscard]] std::vector<ir::Dialect> all();

/// The operators of the core and of the dialects, in this order.
[[nodiscard]] std::shared_ptr<const ir::OperatorRegistry> makeRegistry(std::vector<ir::Dialect> dialects = all());

using ir::parseProgram;
using ir::printMath;
using ir::printProgram;
using ir::printTermAt;
using ir::printWithSpans;

}  // namespace mitos::dialects
