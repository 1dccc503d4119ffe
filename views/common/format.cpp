// SPDX-License-Identifier: GPL-3.0-or-later
// Formats numbers and core texts.
#include "views/common/format.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace mitos::views {

namespace {

constexpr int MaxDecimals = 4;
constexpr double Thousand = 1000.0;

QString trimmedNumber(double value, const QLocale& locale, int decimals = MaxDecimals) {
    QString text = locale.toString(value, 'f', decimals);
    const QString point = locale.decimalPoint();
    if (const qsizetype at = text.indexOf(point); at >= 0) {
        qsizetype end = text.size();
        while (end > at + point.size() && text.at(end - 1) == locale.zeroDigit().at(0)) --end;
        if (end == at + point.size()) end = at;
        text.truncate(end);
    }
    return text;
}

QString translated(const char* text) { return QCoreApplication::translate("mitos::views::format", text); }

/// Small changes must not be rounded away.
QString percentText(double percent, const QLocale& locale) {
    const double size = std::abs(percent);
    const QString number = size >= 1e4   ? costText(size, locale)
                           : size >= 0.1 ? locale.toString(size, 'f', 1)
                                         : locale.toString(size, 'g', 2);
    return (percent < 0 ? QStringLiteral("−") : QStringLiteral("+")) + translated("%1 %").arg(number);
}

}  // namespace

QString shortened(const QString& text, qsizetype longest) {
    return text.size() > longest ? text.left(longest - 1) + QStringLiteral("…") : text;
}

int positionOfColumn(const QString& line, int column) {
    int at = 0;
    for (int i = 1; i < column && at < line.size(); ++i) at += line[at].isHighSurrogate() ? 2 : 1;
    return at;
}

QString positionText(const ir::Path& path) {
    constexpr std::size_t Longest = 12;
    constexpr std::ptrdiff_t KeptAtEnds = 3;
    if (path.size() <= Longest) return fromUtf8(ir::toString(path));
    const ir::Path first(path.begin(), path.begin() + KeptAtEnds);
    const ir::Path last(path.end() - KeptAtEnds, path.end());
    return QCoreApplication::translate("mitos::views::format", "%1/…%2 (level %3)")
        .arg(fromUtf8(ir::toString(first)), fromUtf8(ir::toString(last)))
        .arg(static_cast<qulonglong>(path.size()));
}

QString costText(double cost, const QLocale& locale, int digits) {
    constexpr std::array<const char*, 6> Prefixes{"", "k", "M", "G", "T", "P"};
    double size = std::abs(cost);
    if (!std::isfinite(cost) || (size > 0 && size < 1e-3) || size >= 1e18) return exactCostText(cost, locale);
    // Rounding may lead to the next power of ten: 9999.96 is 10 k.
    const auto decimalsOf = [digits](double value) {
        return value < 1 ? digits : std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(value))));
    };
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
    const QString number = trimmedNumber(cost < 0 ? -size : size, locale, decimalsOf(size));
    return prefix == 0 ? number : number + QLatin1Char(' ') + QLatin1String(Prefixes[prefix]);
}

QString exactCostText(double cost, const QLocale& locale) {
    if (std::isnan(cost)) return translated("unknown");
    if (std::isinf(cost)) return cost > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    const double size = std::abs(cost);
    if (size >= 1e9 || (size > 0 && size < 1e-3)) return locale.toString(cost, 'g', MaxDecimals);
    return trimmedNumber(cost, locale);
}

QString signedText(double value, const QLocale& locale) {
    if (value == 0) return costText(0, locale);
    const QString number = costText(std::abs(value), locale);
    return (value > 0 ? QStringLiteral("+") : QStringLiteral("−")) + number;
}

QString deltaText(double delta, const QLocale& locale) {
    if (std::isnan(delta)) return translated("unknown");
    if (delta == 0) return translated("no change");
    return (delta < 0 ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + signedText(delta, locale);
}

QString changeText(double before, double after, const QLocale& locale) {
    const double delta = after - before;
    if (before == 0 || !std::isfinite(delta / before)) return deltaText(delta, locale);
    const double percent = 100.0 * delta / std::abs(before);
    if (isNoChange(delta, before)) return translated("no change");
    return (delta < 0 ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + percentText(percent, locale);
}

QString differenceText(double before, double after, const QLocale& locale) {
    const double delta = after - before;
    if (isNoChange(delta, before)) return translated("no change");
    const double percent = 100.0 * delta / std::abs(before);
    if (before == 0 || !std::isfinite(percent)) return deltaText(delta, locale);
    return deltaText(delta, locale) + QStringLiteral("  ") + percentText(percent, locale);
}

QString durationText(double seconds, const QLocale& locale) {
    if (!std::isfinite(seconds)) return translated("unknown");
    if (seconds >= 60.0) {
        const auto whole = static_cast<qint64>(std::llround(seconds));
        return translated("%1 min %2 s").arg(locale.toString(whole / 60)).arg(whole % 60, 2, 10, QLatin1Char('0'));
    }
    const auto inUnit = [&](double value, const char* unit) {
        return locale.toString(value, 'f',
                               value >= 100  ? 0
                               : value >= 10 ? 1
                                             : 2) +
               QLatin1Char(' ') + QString::fromUtf8(unit);
    };
    if (seconds >= 1.0) return inUnit(seconds, "s");
    if (seconds >= 1e-3) return inUnit(seconds * 1e3, "ms");
    if (seconds >= 1e-6) return inUnit(seconds * 1e6, "µs");
    return inUnit(seconds * 1e9, "ns");
}

bool isNoChange(double delta, double scale) { return std::abs(delta) <= 1e-9 * std::max(1.0, std::abs(scale)); }

}  // namespace mitos::views
