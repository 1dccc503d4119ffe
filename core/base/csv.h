// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of CSV files; every table that Mitos writes as CSV uses them.
#pragma once

#include <string>
#include <string_view>

namespace mitos {

/// A text as a cell of a CSV file (RFC 4180), in one line, without control characters. A text that a spreadsheet would compute, because it
/// begins with =, +, -, @ or a tab, gets an apostrophe in front, as OWASP recommends; numbers, "-1.5" or "-inf", stay as they are.
[[nodiscard]] std::string csvText(std::string_view text);

}  // namespace mitos
