// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison on the terminal and as JSON, and the facts its report states.
#pragma once

#include "app/cli/context.h"
#include "search/report/html_report.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::cli {

/// A file that could not be compared, and why.
struct FailedFile {
    std::string file;
    std::string message;
};

/// Version, machine, rules, cost model, budgets, seeds, date; nothing that names the machine or its user.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environmentOf(const std::string& rules,
                                                                             const std::string& cost,
                                                                             const search::Comparison& comparison,
                                                                             unsigned jobs);
[[nodiscard]] Json comparisonJson(const search::Comparison& comparison, const search::ReportFacts& facts);
/// A Markdown table, a line a program: least costs by strategy with the largest budget, and what comparing values said.
[[nodiscard]] std::string markdownTable(const search::Comparison& comparison);
void printComparison(const search::Comparison& comparison, const std::vector<FailedFile>& failures);

}  // namespace mitos::cli
