// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies a process even after its process id was reused, and makes names for files that belong to a process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mitos {

struct ProcessIdentity {
    std::int64_t id = 0;
    /// The boot id of the machine and the start time of the process since that boot; empty if the system does not provide them.
    std::string start;
};

[[nodiscard]] ProcessIdentity thisProcess();
/// Whether exactly this process, rather than another one with the same process id, is running on this machine.
[[nodiscard]] bool isRunning(const ProcessIdentity& process);

/// The path of a program in the folder of this one's executable, where the programs of this project stand together.
[[nodiscard]] std::string besideThisProgram(std::string_view name);

/// Differs between builds of this program, and between programs; empty if the system does not provide it.
[[nodiscard]] std::string thisBuild();

/// A file name for a file or folder that lives no longer than this process: "mitos-PID-START-MACHINE-RANDOM". START and MACHINE (the
/// boot and the PID namespace) identify the process; RANDOM cannot be guessed.
[[nodiscard]] std::string temporaryName();
/// Whether temporaryName() made the name on this machine in a process that no longer runs.
[[nodiscard]] bool isLeftBehind(std::string_view name);

}  // namespace mitos
