// SPDX-License-Identifier: GPL-3.0-or-later
// The input of scheduling, by the names that it has here.
#pragma once

#include "core/tasks/task_graph.h"

namespace mitos::schedule {

using tasks::checkGraph;
using tasks::LongestDuration;
using tasks::Operation;
using tasks::TaskGraph;
using tasks::Tensor;

}  // namespace mitos::schedule
