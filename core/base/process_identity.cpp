// SPDX-License-Identifier: GPL-3.0-or-later
// Reads /proc (Linux).
#include "core/base/process_identity.h"

#include "core/base/number_text.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace mitos {

namespace {

constexpr std::string_view NamePrefix = "mitos-";
constexpr std::size_t HexDigits = 16;

std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Field 22 of /proc/PID/stat, in clock ticks since boot. Fields are counted after the process name, which may contain any character.
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

std::string bootId() {
    std::string boot = content("/proc/sys/kernel/random/boot_id");
    while (!boot.empty() && boot.back() == '\n') boot.pop_back();
    return boot;
}

std::string startOf(std::int64_t id) {
    const std::string ticks = startTicks(id);
    return ticks.empty() ? std::string() : fmt::format("{} {}", bootId(), ticks);
}

/// A hash of the scope in which process ids are unique: one boot of one machine, and one PID namespace (container) there.
std::string machine() {
    std::error_code unknown;
    const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
    return fmt::format("{:016x}", std::hash<std::string>()(bootId() + space));
}

bool isHex(std::string_view text) {
    return text.size() == HexDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

ProcessIdentity thisProcess() { return {getpid(), startOf(getpid())}; }

bool isRunning(const ProcessIdentity& process) {
    if (process.id <= 0) return false;
    if (process.start.empty()) return kill(static_cast<pid_t>(process.id), 0) == 0;
    return startOf(process.id) == process.start;
}

std::string besideThisProgram(std::string_view name) {
    std::error_code unknown;
    return (std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / name).string();
}

std::string thisBuild() {
    struct stat file {};
    // The link leads to the file that was started, even if another build has taken its name.
    if (::stat("/proc/self/exe", &file) != 0) return {};
    return fmt::format("{:x}-{:x}-{:x}", file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

std::string temporaryName() {
    std::random_device system;
    const std::uint64_t random = (std::uint64_t{system()} << 32U) | system();
    const std::string ticks = startTicks(getpid());
    return fmt::format("{}{}-{}-{}-{:016x}", NamePrefix, getpid(), ticks.empty() ? "0" : ticks, machine(), random);
}

bool isLeftBehind(std::string_view name) {
    if (!name.starts_with(NamePrefix)) return false;
    name.remove_prefix(NamePrefix.size());
    std::array<std::string_view, 4> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = name.substr(0, name.find('-'));
        name.remove_prefix(std::min(parts[i].size() + (i + 1 < parts.size() ? 1 : 0), name.size()));
    }
    const auto& [process, start, where, random] = parts;
    const std::int64_t id = numberFrom<std::int64_t>(process).value_or(0);
    const std::uint64_t ticks = numberFrom<std::uint64_t>(start).value_or(0);
    if (!name.empty() || !isHex(where) || !isHex(random)) return false;
    if (id <= 0 || ticks == 0 || where != machine()) return false;
    return startTicks(id) != start;
}

}  // namespace mitos
