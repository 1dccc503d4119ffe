// SPDX-License-Identifier: GPL-3.0-or-later
// Which process is meant, even after its number was given to another one; names for what belongs to a process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mitos {

struct ProcessIdentity {
    std::int64_t id = 0;
    /// The boot of the machine and when the process began since then; empty where the system does not tell.
    std::string start;
};

[[nodiscard]] ProcessIdentity thisProcess();
/// Whether that very process is running on this machine.
[[nodiscard]] bool isRunning(const ProcessIdentity& process);

/// A file name for something that lives no longer than this process: "mitos-PID-START-MACHINE-RANDOM". START and MACHINE (the
/// boot and the space of process numbers) tell whose it is; nobody can guess RANDOM.
[[nodiscard]] std::string temporaryName();
/// Whether the name is one of temporaryName(), made on this machine by a process that is not running any more.
[[nodiscard]] bool isLeftBehind(std::string_view name);

}  // namespace mitos
