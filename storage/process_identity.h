// SPDX-License-Identifier: GPL-3.0-or-later
// Which process is meant, even after its number was given to another one.
#pragma once

#include <cstdint>
#include <string>

namespace mitos::storage {

struct ProcessIdentity {
    std::int64_t id = 0;
    /// The boot of the machine and when the process began since then; empty where the system does not tell.
    std::string start;
};

[[nodiscard]] ProcessIdentity thisProcess();
/// Whether that very process is running on this machine.
[[nodiscard]] bool isRunning(const ProcessIdentity& process);

}  // namespace mitos::storage
