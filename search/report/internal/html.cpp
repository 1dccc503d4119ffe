// SPDX-License-Identifier: GPL-3.0-or-later
// See html.h.
#include "search/report/internal/html.h"

#include "core/base/printable.h"

#include <fmt/format.h>

namespace mitos::search::report {

namespace {

bool isNumeric(const std::string& title) { return title.starts_with('#'); }

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (const char c : printable(text)) {
        switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '"': result += "&quot;"; break;
            case '\'': result += "&#39;"; break;
            default: result += c;
        }
    }
    return result;
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string seconds(double value) { return value < 1.0 ? fmt::format("{:.3f}", value) : fmt::format("{:.2f}", value); }

Table::Table(std::vector<std::string> titles) : m_titles(std::move(titles)) {}

void Table::add(const std::vector<std::string>& cells) {
    m_rows += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        m_rows += isNumeric(m_titles[i]) ? "<td class=n>" : "<td>";
        m_rows += cells[i] + "</td>";
    }
    m_rows += "</tr>\n";
}

std::string Table::html() const {
    std::string head;
    for (const std::string& title : m_titles) {
        head += isNumeric(title) ? fmt::format("<th class=n>{}</th>", escaped(title.substr(1)))
                                 : fmt::format("<th>{}</th>", escaped(title));
    }
    return fmt::format("<div class=wide><table><thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n", head,
                       m_rows);
}

std::string folded(std::string_view summary, const std::string& content) {
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, content);
}

}  // namespace mitos::search::report
