// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a paper that could be had, each with its source: resources/experiments/regal-paper.json, knossos-paper.json and pypm-paper.json.
#pragma once

#include "core/base/result.h"
#include "search/experiments/report_table.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

struct NamedNumber {
    std::string name;
    double value = 0.0;
    std::string meaning;
    std::string source;
};
struct NamedNumbers {
    std::vector<NamedNumber> numbers;
    std::vector<std::string> notFound;  ///< in words: those that could not be had

    /// Null if there is none of that name.
    [[nodiscard]] const NamedNumber* find(std::string_view name) const;
};

/// Reads a data file, whose name is for messages. Fails if it is not of the format, or has a number twice.
[[nodiscard]] Result<NamedNumbers> readNamedNumbers(std::string_view file, std::string_view text);
/// Reads a file that comes with Mitos, by its name without extension. Its numbers have all names that a report asks for, which tests check.
[[nodiscard]] Result<NamedNumbers> namedNumbers(std::string_view name);

/// A table of all with their sources, below a text, and of those that could not be had.
[[nodiscard]] ReportTable numbersTable(const NamedNumbers& numbers, std::string text);

}  // namespace mitos::search::experiments
