// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as one self-contained HTML page without scripts; light or dark as the reader's system.
#pragma once

#include "search/compare/comparison.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::search {

/// Facts that the page shows in addition to the comparison.
struct ReportFacts {
    std::string title;
    std::vector<std::pair<std::string, std::string>> environment;  ///< name, value: version, machine, rules, date, …
    std::vector<std::pair<std::string, std::string>> failures;     ///< file, reason why it is not in the comparison
};

/// Summary, totals, curves with their bands over seeds, the best programs with their threads, the environment.
[[nodiscard]] std::string htmlReport(const Comparison& comparison, const ReportFacts& facts);

}  // namespace mitos::search
