// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"

#include "core/base/number_text.h"
#include "core/base/printable.h"

#include <algorithm>

namespace mitos {

namespace {

/// Whether a spreadsheet takes the cell for a formula.
bool isFormula(std::string_view cell) {
    if (cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) return false;
    const bool isPositive = cell.starts_with('+') && !cell.starts_with("+-");
    return !numberFrom<double>(isPositive ? cell.substr(1) : cell).has_value();
}

}  // namespace

std::string csvText(std::string_view text) {
    std::string cell = printable(text);
    std::ranges::replace(cell, '\n', ' ');
    if (isFormula(cell)) cell.insert(0, 1, '\'');
    if (cell.find_first_of(",\"\t") == std::string::npos) return cell;
    for (std::size_t at = cell.find('"'); at != std::string::npos; at = cell.find('"', at + 2)) cell.insert(at, 1, '"');
    return '"' + cell + '"';
}

}  // namespace mitos
