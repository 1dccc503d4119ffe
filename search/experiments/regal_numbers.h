// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of the REGAL paper that could be had, each with its source: resources/experiments/regal-paper.json.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

struct RegalNumber {
    std::string name;
    double value = 0.0;
    std::string meaning;
    std::string source;
};
struct RegalNumbers {
    std::vector<RegalNumber> numbers;
    std::vector<std::string> notFound;  ///< in words: those that could not be had

    /// Null if there is none of that name.
    [[nodiscard]] const RegalNumber* find(std::string_view name) const;
};

/// Reads a data file, whose name is for messages. Fails if it is not of the format, or has a number twice.
[[nodiscard]] Result<RegalNumbers> readRegalNumbers(std::string_view file, std::string_view text);
/// Reads the file that comes with Mitos. Its numbers have all names that the report asks for, which a test checks.
[[nodiscard]] Result<RegalNumbers> regalNumbers();

}  // namespace mitos::search::experiments
