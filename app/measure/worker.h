// SPDX-License-Identifier: GPL-3.0-or-later
// The process that measures, one operation after another.
#pragma once

#include "app/measure/settings.h"

namespace mitos::measure {

/// The flag that makes a process a worker; its other flags are settings.
constexpr const char* WorkerFlag = "--worker";

/// Prints the setup, and then answers each line of standard input, until its end, as the supervisor expects it (supervisor.cpp). Throws
/// std::exception if the device is not there.
void work(const Settings& settings);

}  // namespace mitos::measure
