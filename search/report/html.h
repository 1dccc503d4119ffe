// SPDX-License-Identifier: GPL-3.0-or-later
// Small pieces of HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::report {

/// Text as HTML, safe inside elements and quoted attributes.
[[nodiscard]] std::string escaped(std::string_view text);
/// A cost or another number in at most six digits.
[[nodiscard]] std::string number(double value);
/// Seconds with as many digits as they deserve.
[[nodiscard]] std::string seconds(double value);

/// A table whose cells are HTML already. Columns whose title begins with "#" hold numbers, aligned right.
class Table {
public:
    explicit Table(std::vector<std::string> titles);
    void add(const std::vector<std::string>& cells);
    [[nodiscard]] std::string html() const;

private:
    std::vector<std::string> m_titles;
    std::string m_rows;
};

/// Folded until opened; works without JavaScript.
[[nodiscard]] std::string folded(std::string_view summary, const std::string& content);

}  // namespace mitos::search::report
