// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as one HTML page: no other files, no script, light and dark as the reader's system is.
#pragma once

#include "search/compare/comparison.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::search {

/// What the page says beside the comparison.
struct ReportFacts {
    std::string title;
    std::vector<std::pair<std::string, std::string>> environment;  ///< what, value: version, machine, rules, date, …
    std::vector<std::pair<std::string, std::string>> failures;     ///< file, why it is not in the comparison
};

/// Summary, totals, curves with their bands over seeds, the best programs with their threads, the environment.
[[nodiscard]] std::string htmlReport(const Comparison& comparison, const ReportFacts& facts);

}  // namespace mitos::search
