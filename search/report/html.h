// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers that produce HTML: escaping, numbers, tables, collapsible sections. The page is well-formed XML too, so attributes are
// quoted and elements closed.
#pragma once

#include "core/base/readable_number.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::report {

/// Text as HTML, safe inside elements and quoted attributes.
[[nodiscard]] std::string escaped(std::string_view text);
/// The text on one line, and its beginning with an ellipsis if it has more than `longest` characters.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest);

// Numbers as plain text.

/// A cost in four significant digits: "14", "1,205", "31.88 k", "1.87 G".
[[nodiscard]] inline std::string costText(double cost) { return shortText(cost); }
/// The size of a percentage: "17.9 %"; "less than 0.1 %" where it would be rounded to 0.0 %.
[[nodiscard]] std::string percentText(double percent);
/// "850 µs", "12.4 ms", "3.20 s", "2 min 05 s".
[[nodiscard]] std::string durationText(double seconds);
/// "1 search", "5 searches".
[[nodiscard]] std::string plural(std::size_t count, const char* one, const char* many);
inline constexpr double Percent = 100.0;
/// Whether two costs differ by no more than rounding.
[[nodiscard]] bool isSameCost(double one, double other);

// Numbers as HTML.

/// A cost with its unit; the exact value is its title.
[[nodiscard]] std::string costHtml(double cost, const std::string& unit);
/// The change of a cost, with an arrow beside the colour: "▼ −5.1 %"; "no change" if it would be rounded to 0.0 %, and a factor of the old cost
/// above 1,000 %: "▲ × 12.5".
[[nodiscard]] std::string changeHtml(double before, double after);

/// A table whose cells are already HTML. Columns whose title begins with "#" hold numbers and are right-aligned.
class Table {
public:
    explicit Table(std::vector<std::string> titles);
    void add(const std::vector<std::string>& cells);
    [[nodiscard]] std::string html() const;

private:
    std::vector<std::string> m_titles;
    std::string m_rows;
};

/// A section that is collapsed at first; works without JavaScript.
[[nodiscard]] std::string folded(std::string_view summary, const std::string& content, bool isOpen = false);

}  // namespace mitos::search::report
