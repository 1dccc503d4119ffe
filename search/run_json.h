// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as JSON: the columns of sessions, and rows of tables that several processes write.
#pragma once

#include "core/base/source_text.h"
#include "search/run.h"

#include <string>
#include <vector>

namespace mitos::search {

[[nodiscard]] std::string parametersText(const ParameterValues& values);
[[nodiscard]] std::string budgetText(const Budget& budget);
/// Without values and limits that cannot be read.
[[nodiscard]] ParameterValues parametersFrom(const std::string& text);
[[nodiscard]] Budget budgetFrom(const std::string& text);
/// The statistics of a run, its verdict, its outcome, rules that failed, its place in the history.
[[nodiscard]] std::string statisticsText(const Run& run);
/// Fields that cannot be read keep their values; earlier versions wrote fewer.
void readStatistics(const std::string& text, Run& run);

/// A run and the name of its program.
struct RunRow {
    std::string program;
    Run run;
    std::string more = {};  ///< a JSON object with further facts; may be empty
};
/// One line of JSON without a line break: the run without its thread and the text of its outcome, and of its events those that make its curve.
[[nodiscard]] std::string rowText(const RunRow& row);
/// Reads such lines (JSON Lines); empty ones are skipped. Fails for other text, and says in which line.
[[nodiscard]] Result<std::vector<RunRow>> readRows(const SourceText& source);

}  // namespace mitos::search
