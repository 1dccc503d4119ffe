// SPDX-License-Identifier: GPL-3.0-or-later
// Linux: /proc.
#include "storage/process_identity.h"

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace mitos::storage {

namespace {

std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Field 22 of /proc/PID/stat, clock ticks since boot; fields are counted behind the name, which may hold anything.
std::string startTicks(std::int64_t id) {
    constexpr int FieldsBetweenNameAndStart = 19;
    const std::string stat = content(fmt::format("/proc/{}/stat", id));
    const std::size_t nameEnd = stat.rfind(')');
    if (nameEnd == std::string::npos) return {};
    std::istringstream fields(stat.substr(nameEnd + 1));
    std::string field;
    for (int i = 0; i <= FieldsBetweenNameAndStart; ++i) fields >> field;
    return field;
}

std::string startOf(std::int64_t id) {
    std::string boot = content("/proc/sys/kernel/random/boot_id");
    while (!boot.empty() && boot.back() == '\n') boot.pop_back();
    const std::string ticks = startTicks(id);
    return ticks.empty() ? std::string() : fmt::format("{} {}", boot, ticks);
}

}  // namespace

ProcessIdentity thisProcess() { return {getpid(), startOf(getpid())}; }

bool isRunning(const ProcessIdentity& process) {
    if (process.id <= 0) return false;
    if (process.start.empty()) return kill(static_cast<pid_t>(process.id), 0) == 0;
    return startOf(process.id) == process.start;
}

}  // namespace mitos::storage
