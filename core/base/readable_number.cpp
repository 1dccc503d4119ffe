// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/readable_number.h"

#include "core/base/time_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mitos {

namespace {

constexpr double Thousand = 1000.0;
constexpr double Percent = 100.0;
constexpr double LeastPercent = 0.05;  // less would be rounded to 0.0 %
constexpr double LargestPercent = 1000.0;
constexpr int FactorDigits = 3;
constexpr int GeneralDigits = 4;  // of numbers without a short form

/// Without zeros after the decimal point.
std::string trimmed(std::string text) {
    if (text.find('.') == std::string::npos) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

/// With commas between groups of three digits before the decimal point.
std::string grouped(std::string text) {
    constexpr std::size_t Group = 3;
    for (std::size_t at = std::min(text.find('.'), text.size()); at > Group; at -= Group)
        text.insert(at - Group, 1, ',');
    return text;
}

}  // namespace

std::optional<ShortNumber> shortNumber(double number, int digits) {
    constexpr std::array<std::string_view, 6> Prefixes{"", "k", "M", "G", "T", "P"};
    constexpr double Most = 1e18;
    constexpr double Least = 1e-3;
    double size = std::abs(number);
    if (!std::isfinite(number) || (size > 0 && size < Least) || size >= Most) return std::nullopt;
    const auto decimalsOf = [digits](double value) {
        return value < 1 ? digits : std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(value))));
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
    return ShortNumber{number < 0 ? -size : size, decimalsOf(size), Prefixes.at(prefix)};
}

std::string shortText(double number, int digits) {
    if (std::isnan(number)) return "unknown";
    if (std::isinf(number)) return number > 0 ? "∞" : "−∞";
    const std::optional<ShortNumber> found = shortNumber(number, digits);
    const double size = found ? std::abs(found->value) : std::abs(number);
    std::string text = found ? grouped(trimmed(fmt::format("{:.{}f}", size, found->decimals)))
                             : fmt::format("{:.{}g}", size, GeneralDigits);
    if (number < 0) text.insert(0, "−");
    return found && !found->prefix.empty() ? fmt::format("{} {}", text, found->prefix) : text;
}

std::string countText(double count) { return grouped(fmt::format("{:.0f}", count)); }

std::string amountText(double amount, std::string_view unit) {
    const ReadableUnit readable = readableUnit(amount, unit);
    const std::string text = shortText(amount * readable.factor);
    return unit.empty() ? text : fmt::format("{} {}", text, readable.unit);
}

bool isRounding(double difference, double scale) {
    constexpr double Rounding = 1e-9;
    return std::abs(difference) <= Rounding * std::max(1.0, std::abs(scale));
}

Change changeOf(double before, double after) {
    const double difference = after - before;
    if (isRounding(difference, before)) return {};
    const double percent = Percent * difference / std::abs(before);
    if (std::abs(percent) < LeastPercent) return {};
    if (before == 0 || !std::isfinite(percent)) return {Change::Kind::Difference, difference};
    if (std::abs(percent) <= LargestPercent) return {Change::Kind::Percent, percent};
    if (before < 0 || after < 0) return {Change::Kind::Difference, difference};
    return {Change::Kind::Factor, after / before};
}

std::string sizeText(const Change& change) {
    switch (change.kind) {
        case Change::Kind::None: return "no change";
        case Change::Kind::Percent: return fmt::format("{:.1f} %", std::abs(change.value));
        case Change::Kind::Factor: return "× " + shortText(change.value, FactorDigits);
        case Change::Kind::Difference: return shortText(std::abs(change.value));
    }
    return {};
}

std::string changeText(double before, double after) {
    const Change change = changeOf(before, after);
    const bool isRelation = change.kind == Change::Kind::None || change.kind == Change::Kind::Factor;
    return (isRelation || std::isnan(change.value) ? "" : change.value < 0 ? "−" : "+") + sizeText(change);
}

}  // namespace mitos
