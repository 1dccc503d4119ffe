// SPDX-License-Identifier: GPL-3.0-or-later
// The text that compiled programs contain to time calls, and the lines that they print.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::timing {

/// The times of one label in a run of a measuring program.
struct Batches {
    std::string label;
    std::uint32_t calls = 1;      ///< in a batch
    std::vector<double> seconds;  ///< of one call, by batch; at least one, none is negative
};

/// C++ that a measuring program includes, or contains after its headers: resources/cpp/measuring.txt. It calls what is timed a few
/// times first, finds how many calls are a batch, and alternates batches, whose times are those of the processor.
[[nodiscard]] std::string_view measuringText();

/// Reads a line that the text printed. Nothing for other lines, which programs and libraries may print too.
[[nodiscard]] std::optional<Batches> batchesIn(std::string_view line);
/// All such lines of an output, in their order.
[[nodiscard]] std::vector<Batches> allBatchesIn(std::string_view output);

}  // namespace mitos::timing
