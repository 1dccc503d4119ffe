// SPDX-License-Identifier: GPL-3.0-or-later
// A table of a report: on the page, on the terminal, and as a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

struct ReportTable {
    std::string name;  ///< of the part, in files
    std::string title;
    std::string text = {};  ///< the subject of the table and its columns, with *emphasis* and `code`
    std::vector<std::string> head = {};
    std::vector<std::vector<std::string>> rows = {};
    std::size_t textColumns = 1;  ///< the first columns, which are text; all others are numbers
};

/// 50000 as "50,000".
[[nodiscard]] std::string groupedText(std::uint64_t number);

/// Columns side by side; empty for a table without rows.
[[nodiscard]] std::string terminalText(const ReportTable& table);
/// The text and the table as HTML.
[[nodiscard]] std::string tableHtml(const ReportTable& table);
[[nodiscard]] std::string tableCsv(const ReportTable& table);
/// Text as HTML, with *emphasis* and `code`.
[[nodiscard]] std::string markedHtml(std::string_view text);

}  // namespace mitos::search::experiments
