// SPDX-License-Identifier: GPL-3.0-or-later
// Prints a comparison on the terminal and as JSON or Markdown, and collects the facts for its report.
#pragma once

#include "app/cli/context.h"
#include "search/report/html_report.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::cli {

/// A file that could not be compared, with the reason.
struct FailedFile {
    std::string file;
    std::string message;
};

/// The kind of machine, without identifying it.
[[nodiscard]] std::string machineText();
/// Version, kind of machine, rules, cost model, budgets, seeds and date, without the name of the machine or its user.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environmentOf(const std::string& rules,
                                                                             const std::string& cost,
                                                                             const search::Comparison& comparison,
                                                                             unsigned jobs);
[[nodiscard]] Json comparisonJson(const search::Comparison& comparison, const search::ReportFacts& facts);
/// A Markdown table with one line per program: the least costs by strategy with the largest budget, and the outcome of comparing
/// values.
[[nodiscard]] std::string markdownTable(const search::Comparison& comparison);
void printComparison(const search::Comparison& comparison, const std::vector<FailedFile>& failures);

}  // namespace mitos::cli
