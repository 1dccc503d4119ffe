// SPDX-License-Identifier: GPL-3.0-or-later
// Runs compared on one self-contained HTML page: the answer, a chart, a table, and the threads stepped in the browser; light or
// dark as the reader's system.
#pragma once

#include "core/rules/rule.h"
#include "search/compare/run_table.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mitos::search {

/// Facts that the page shows in addition to the runs.
struct ReportFacts {
    std::string title;
    std::string unit = {};                      ///< of costs
    std::vector<StrategyInfo> strategies = {};  ///< fitted to the programs' dialect
    std::vector<std::pair<std::string, std::string>> environment =
        {};  ///< name, value: version, machine, rules, date, …
    std::vector<std::pair<std::string, std::string>> failures = {};  ///< file, reason why it is not in the comparison
};

/// The page. The runs are of one cost model, with the events that make their curves and with their threads; runs that differ only in the
/// seed are summarized. Threads are replayed with the rules; of a thread that uses other rules, only names and costs are shown.
/// A result that is known to be wrong counts in no number and no curve, and only one that passed all checks (Verdict::isGood()) can be
/// the answer; the page begins with a warning about others.
///
/// The page needs nothing else: no network, no file; its policy permits only its own script and style. It is well-formed XML.
[[nodiscard]] std::string htmlReport(std::span<const TableRun> runs, const ReportFacts& facts,
                                     const rules::RuleBook& rules);

}  // namespace mitos::search
