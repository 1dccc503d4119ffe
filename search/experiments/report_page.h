// SPDX-License-Identifier: GPL-3.0-or-later
// The page of an experiment's report: claims with their verdicts, then sections with tables and charts, then how it was made.
#pragma once

#include "search/experiments/claim.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

using Environment =
    std::vector<std::pair<std::string, std::string>>;  ///< name, value: version, machine, rules, date, …

struct ReportSection {
    std::string id;
    std::string title;    ///< plain text
    std::string content;  ///< HTML; empty: there are no runs for it yet
};

struct ReportPage {
    std::string title;                  ///< plain text, as the next two
    std::string subtitle;               ///< what was run
    std::vector<std::string> warnings;  ///< shown first
    std::string introduction;           ///< HTML below the number of claims that hold
    std::vector<ReportSection> sections;
    std::string closing;  ///< HTML after the sections
};

/// The whole page, well-formed XML.
[[nodiscard]] std::string htmlOf(const ReportPage& page, const std::vector<Claim>& claims,
                                 const Environment& environment);

}  // namespace mitos::search::experiments
