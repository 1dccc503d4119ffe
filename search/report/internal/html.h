// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers that produce HTML: escaping, numbers, tables, collapsible sections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::report {

/// Text as HTML, safe inside elements and quoted attributes.
[[nodiscard]] std::string escaped(std::string_view text);
/// A cost or another number with at most six significant digits.
[[nodiscard]] std::string number(double value);
/// Seconds, with precision that depends on the magnitude.
[[nodiscard]] std::string seconds(double value);

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
[[nodiscard]] std::string folded(std::string_view summary, const std::string& content);

}  // namespace mitos::search::report
