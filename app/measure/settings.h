// SPDX-License-Identifier: GPL-3.0-or-later
// How operations are measured. Requests state it, and flags override it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::measure {

struct Settings {
    bool isCuda = false;
    std::int64_t threads = 1;
    double seconds = 0.25;           ///< for each operation
    double memoryBytes = 0.0;        ///< that measuring may use; 0: half of the machine's
    double patienceSeconds = 240.0;  ///< after which an operation without a time is given up
};

/// Sets "device", "threads", "seconds", "memory" or "patience". Returns whether there is such a setting, and the value is one of its.
[[nodiscard]] bool set(Settings& settings, std::string_view name, std::string_view value);

/// The flags that set() reads back to equal settings: "--device", "cuda", …
[[nodiscard]] std::vector<std::string> flagsOf(const Settings& settings);

/// A number that std::from_chars reads to the same one.
[[nodiscard]] std::string numberText(double value);

/// The parts of a text between separators; none for an empty text.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace mitos::measure
