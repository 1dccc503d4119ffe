// SPDX-License-Identifier: GPL-3.0-or-later
// See html.h.
#include "search/report/html.h"

#include "core/base/printable.h"
#include "core/base/time_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mitos::search::report {

namespace {

constexpr double Thousand = 1000.0;

bool isNumeric(const std::string& title) { return title.starts_with('#'); }

/// With commas between groups of three digits before the point.
std::string grouped(std::string number) {
    const std::size_t begin = number.starts_with('-') ? 1 : 0;
    std::size_t at = std::min(number.find('.'), number.size());
    while (at > begin + 3) number.insert(at -= 3, 1, ',');
    return number;
}

/// Without zeros at the end of its decimals.
std::string trimmed(std::string number) {
    if (number.find('.') == std::string::npos) return number;
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    return number;
}

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

std::string costText(double cost) {
    constexpr std::array<const char*, 6> Prefixes{"", "k", "M", "G", "T", "P"};
    constexpr double Most = 1e18;
    constexpr double Least = 1e-3;
    if (std::isnan(cost)) return "unknown";
    if (std::isinf(cost)) return cost > 0 ? "∞" : "−∞";
    double size = std::abs(cost);
    if ((size > 0 && size < Least) || size >= Most) return fmt::format("{:.4g}", cost);
    const auto decimalsOf = [](double value) {
        return value < 1 ? 4 : std::max(0, 3 - static_cast<int>(std::floor(std::log10(value))));
    };
    // Rounding may lead to the next power of ten: 9999.96 is 10 k.
    const auto rounded = [&](double value) {
        const double unit = std::pow(10.0, decimalsOf(value));
        return std::round(value * unit) / unit;
    };
    std::size_t prefix = 0;
    if (rounded(size) >= 10 * Thousand) {
        while (rounded(size) >= Thousand && prefix + 1 < Prefixes.size()) {
            size /= Thousand;
            ++prefix;
        }
    }
    std::string number = grouped(trimmed(fmt::format("{:.{}f}", size, decimalsOf(size))));
    if (cost < 0) number.insert(0, "−");
    return prefix == 0 ? number : fmt::format("{} {}", number, Prefixes.at(prefix));
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

std::string countText(double count) { return grouped(fmt::format("{:.0f}", count)); }

bool isSameCost(double one, double other) {
    constexpr double Rounding = 1e-9;
    return std::abs(one - other) <= Rounding * std::max({1.0, std::abs(one), std::abs(other)});
}

std::string costHtml(double cost, const std::string& unit) {
    const ReadableUnit readable = readableUnit(cost, unit);
    return fmt::format("<span title=\"{:.12g} {}\">{} {}</span>", cost, escaped(unit), costText(cost * readable.factor),
                       escaped(readable.unit));
}

std::string changeHtml(double before, double after) {
    const double difference = after - before;
    constexpr double LeastPercent = 0.05;  // less would be rounded to 0.0 %
    constexpr double LargestPercent = 1000.0;
    const double percent = Percent * difference / std::abs(before);
    if (isSameCost(before, after) || std::abs(percent) < LeastPercent) {
        return fmt::format("<span class=\"soft\" title=\"{:+.12g}\">no change</span>", difference);
    }
    const bool isRelative = before != 0 && std::isfinite(percent);
    const bool isLarge = isRelative && std::abs(percent) > LargestPercent;
    const bool isFactor = isLarge && before > 0 && after > 0;
    const std::string size = isFactor                 ? "× " + costText(std::round(10 * after / before) / 10)
                             : !isRelative || isLarge ? costText(std::abs(difference))
                                                      : percentText(percent);
    const char* const sign = isFactor ? "" : difference < 0 ? "−" : "+";
    return fmt::format("<span class=\"{}\" title=\"{:+.12g}\">{} {}{}</span>", difference < 0 ? "better" : "worse",
                       difference, difference < 0 ? "▼" : "▲", sign, size);
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
