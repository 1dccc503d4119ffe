// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/report_table.h"

#include "search/experiments/csv_table.h"
#include "search/report/html.h"

#include <algorithm>
#include <cstddef>

namespace mitos::search::experiments {

namespace {

/// Characters, not bytes, for columns of text.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string groupedText(std::uint64_t number) {
    std::string text = fmt::format("{}", number);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string terminalText(const ReportTable& table) {
    if (table.rows.empty()) return {};
    std::vector<std::vector<std::string>> all{table.head};
    all.insert(all.end(), table.rows.begin(), table.rows.end());
    std::vector<std::size_t> widths(table.head.size(), 0);
    for (const std::vector<std::string>& row : all) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text;
    for (const std::vector<std::string>& row : all) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string space(widths[i] - width(row[i]), ' ');
            text += i == 0 ? "" : "  ";
            text += i < table.textColumns ? row[i] + space : space + row[i];
        }
        text += '\n';
    }
    return text + '\n';
}

std::string markedHtml(std::string_view text) {
    std::string html;
    bool isEmphasized = false;
    bool isCode = false;
    for (const char c : report::escaped(text)) {
        if (c == '*') {
            html += isEmphasized ? "</em>" : "<em>";
            isEmphasized = !isEmphasized;
        } else if (c == '`') {
            html += isCode ? "</code>" : "<code>";
            isCode = !isCode;
        } else {
            html += c;
        }
    }
    if (isEmphasized) html += "</em>";
    if (isCode) html += "</code>";
    return html;
}

std::string tableHtml(const ReportTable& table) {
    std::vector<std::string> titles;
    for (const std::string& title : table.head)
        titles.push_back((titles.size() < table.textColumns ? "" : "#") + title);
    report::Table html(titles);
    for (const std::vector<std::string>& row : table.rows) {
        std::vector<std::string> cells;
        for (const std::string& cell : row) cells.push_back(report::escaped(cell));
        html.add(cells);
    }
    return "<p>" + markedHtml(table.text) + "</p>\n" + html.html();
}

std::string tableCsv(const ReportTable& table) {
    CsvTable csv(table.head);
    for (const std::vector<std::string>& row : table.rows) csv.add(row);
    return csv.text();
}

}  // namespace mitos::search::experiments
