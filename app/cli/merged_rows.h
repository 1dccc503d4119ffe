// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that the tasks of a sweep printed, as one comparison.
#pragma once

#include "app/cli/context.h"

#include <string>
#include <vector>

namespace mitos::cli {

/// Whether the name is that of a file of rows: it ends in .jsonl.
[[nodiscard]] bool isRowFile(const std::string& path);

struct MergeOptions {
    std::vector<std::string> files;  ///< of rows (search/run_json.h)
    std::string title;
    std::string output;  ///< an HTML report, or, if it ends in .md, a table; empty: none
    std::string runs;    ///< the runs as search::writeTable() writes them; empty: nowhere
    bool json = false;
};
/// Reads the rows, prints a table of programs and strategies, and writes what is asked for. Of rows about the same search the last one counts. Fails
/// for files that hold no rows, and for runs under different cost models. Returns CheckFailed if a run failed.
[[nodiscard]] Result<int> mergeRows(const MergeOptions& options);

}  // namespace mitos::cli
