// SPDX-License-Identifier: GPL-3.0-or-later
// The machine that a schedule is for.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::schedule {

inline constexpr std::uint64_t UnlimitedMemory = std::numeric_limits<std::uint64_t>::max();

inline constexpr std::uint32_t MostDevices = 1'024;

/// A device runs one operation at a time and has a memory of its own.
struct Device {
    std::string name = {};
    double speed = 1.0;                      ///< an operation takes its duration divided by this
    std::uint64_t memory = UnlimitedMemory;  ///< bytes

    friend bool operator==(const Device&, const Device&) = default;
};

/// How a tensor gets to another device. The REGAL paper has "synchronous (blocking) transfers with zero cost", which can be read as either of
/// the first two.
enum class TransferMode {
    Instant,     ///< takes no time and occupies no device
    Rendezvous,  ///< starts when both devices are free, and occupies both
    Async,       ///< occupies only the link from the one device to the other
};

/// "instant", "rendezvous", "async", in the order of the modes.
[[nodiscard]] const std::vector<std::string>& transferModes();
[[nodiscard]] const std::string& nameOf(TransferMode mode);
[[nodiscard]] std::optional<TransferMode> transferModeNamed(std::string_view name);

struct Machine {
    std::vector<Device> devices = {};
    TransferMode transfers = TransferMode::Instant;
    double latency = 0.0;                                        ///< of a transfer, in the unit of durations
    double bandwidth = std::numeric_limits<double>::infinity();  ///< bytes for each unit of time, on every link

    friend bool operator==(const Machine&, const Machine&) = default;
};

/// A machine of equal devices, named by their numbers.
[[nodiscard]] Machine equalDevices(std::uint32_t count, std::uint64_t memory = UnlimitedMemory,
                                   TransferMode transfers = TransferMode::Instant);

/// Fails for a machine with no device or too many, speeds, latencies and bandwidths that make no sense, and instant transfers that take time.
[[nodiscard]] Status checkMachine(const Machine& machine);

}  // namespace mitos::schedule
