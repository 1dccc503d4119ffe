// SPDX-License-Identifier: GPL-3.0-or-later
// See html.h.
#include "search/report/html.h"

#include "core/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::search::report {

namespace {

constexpr double Thousand = 1000.0;

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

std::string shortened(std::string_view text, std::size_t longest) {
    std::string result;
    std::size_t characters = 0;
    const std::string safe = printable(text);
    for (std::size_t at = 0; at < safe.size();) {
        const std::size_t length = std::max<std::size_t>(utf8Length(std::string_view(safe).substr(at)), 1);
        const bool isBlank = safe[at] == ' ' || safe[at] == '\n' || safe[at] == '\t';
        if (!isBlank || (!result.empty() && !result.ends_with(' '))) {
            if (++characters > longest) return result + "…" + closingBrackets(result);
            result += isBlank ? " " : safe.substr(at, length);
        }
        at += length;
    }
    return result;
}

std::string percentText(double percent) {
    constexpr double Small = 0.05;
    const double size = std::abs(percent);
    return size >= Small || size == 0 ? fmt::format("{:.1f} %", size) : "less than 0.1 %";
}

std::string plural(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string durationText(double seconds) {
    constexpr double Minute = 60.0;
    if (!std::isfinite(seconds)) return "unknown";
    if (seconds >= Minute) {
        const auto whole = static_cast<long long>(std::llround(seconds));
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    }
    const auto inUnit = [](double value, const char* unit) {
        return fmt::format("{:.{}f} {}", value, value >= Percent ? 0 : value >= 10 ? 1 : 2, unit);
    };
    if (seconds >= 1.0) return inUnit(seconds, "s");
    if (seconds >= 1 / Thousand) return inUnit(seconds * Thousand, "ms");
    return inUnit(seconds * Thousand * Thousand, "µs");
}

bool isSameCost(double one, double other) { return isRounding(one - other, std::max(std::abs(one), std::abs(other))); }

std::string costHtml(double cost, const std::string& unit) {
    return fmt::format("<span title=\"{:.12g} {}\">{}</span>", cost, escaped(unit), escaped(amountText(cost, unit)));
}

std::string changeHtml(double before, double after) {
    const Change change = changeOf(before, after);
    const double difference = after - before;
    if (change.kind == Change::Kind::None)
        return fmt::format("<span class=\"soft\" title=\"{:+.12g}\">no change</span>", difference);
    return fmt::format("<span class=\"{}\" title=\"{:+.12g}\">{} {}</span>", change.isCheaper() ? "better" : "worse",
                       difference, change.isCheaper() ? "▼" : "▲", changeText(before, after));
}

Table::Table(std::vector<std::string> titles) : m_titles(std::move(titles)) {}

void Table::add(const std::vector<std::string>& cells) {
    m_rows += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        m_rows += isNumeric(m_titles[i]) ? "<td class=\"n\">" : "<td>";
        m_rows += cells[i] + "</td>";
    }
    m_rows += "</tr>\n";
}

std::string Table::html() const {
    std::string head;
    for (const std::string& title : m_titles) {
        head += isNumeric(title) ? fmt::format("<th class=\"n\">{}</th>", escaped(title.substr(1)))
                                 : fmt::format("<th>{}</th>", escaped(title));
    }
    return fmt::format("<div class=\"wide\"><table><thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
                       head, m_rows);
}

std::string folded(std::string_view summary, const std::string& content, bool isOpen) {
    return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", isOpen ? " open=\"open\"" : "", summary,
                       content);
}

}  // namespace mitos::search::report
