// SPDX-License-Identifier: GPL-3.0-or-later
// Formats numbers and core texts.
#include "views/common/format.h"

#include "core/base/printable.h"
#include "core/base/readable_number.h"
#include "core/base/time_unit.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace mitos::views {

namespace {

constexpr int MaxDecimals = 4;

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

/// "−5.1 %", "× 12.5". Empty for other kinds of changes.
QString relativeText(const Change& change, const QLocale& locale) {
    constexpr int FactorDigits = 3;
    if (change.kind == Change::Kind::Factor) return QStringLiteral("× ") + costText(change.value, locale, FactorDigits);
    if (change.kind != Change::Kind::Percent) return {};
    const QString number = translated("%1 %").arg(locale.toString(std::abs(change.value), 'f', 1));
    return (change.value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + number;
}

/// The beginning of the text with an ellipsis and the brackets that close what it opens, as long as possible but so that it fits.
template <typename Fits>
QString cut(const QString& text, qsizetype kept, const Fits& fits) {
    for (; kept > 0; --kept) {
        if (text.at(kept - 1).isHighSurrogate()) continue;
        const QString beginning = text.first(kept);
        const QString shown = beginning + QStringLiteral("…") + fromUtf8(closingBrackets(beginning.toStdString()));
        if (fits(shown)) return shown;
    }
    return QStringLiteral("…");
}

}  // namespace

QString shortened(const QString& text, qsizetype longest) {
    if (text.size() <= longest) return text;
    return cut(text, longest - 1, [longest](const QString& shown) { return shown.size() <= longest; });
}

QString elided(const QString& text, const QFontMetricsF& metrics, qreal room) {
    const QString simple = metrics.elidedText(text, Qt::ElideRight, room);
    if (simple == text || simple.isEmpty()) return simple;
    return cut(text, std::min(simple.size(), text.size()) - 1,
               [&](const QString& shown) { return metrics.horizontalAdvance(shown) <= room; });
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
    const std::optional<ShortNumber> found = shortNumber(cost, digits);
    if (!found) return exactCostText(cost, locale);
    const QString number = trimmedNumber(found->value, locale, found->decimals);
    return found->prefix.empty() ? number : number + QLatin1Char(' ') + fromUtf8(found->prefix);
}

QString exactCostText(double cost, const QLocale& locale) {
    if (std::isnan(cost)) return translated("unknown");
    if (std::isinf(cost)) return cost > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    const double size = std::abs(cost);
    if (size >= 1e9 || (size > 0 && size < 1e-3)) return locale.toString(cost, 'g', MaxDecimals);
    return trimmedNumber(cost, locale);
}

QString amountText(double cost, const QString& unit, const QLocale& locale) {
    const std::string given = unit.toStdString();
    const ReadableUnit readable = readableUnit(cost, given);
    const QString text = costText(cost * readable.factor, locale);
    return unit.isEmpty() ? text : text + QLatin1Char(' ') + fromUtf8(readable.unit);
}

QString fromToText(double before, double after, const QString& unit, const QLocale& locale) {
    const std::string given = unit.toStdString();
    const ReadableUnit readable = readableUnit(std::max(std::abs(before), std::abs(after)), given);
    const QString text = QStringLiteral("%1 → %2").arg(costText(before * readable.factor, locale),
                                                       costText(after * readable.factor, locale));
    return unit.isEmpty() ? text : text + QLatin1Char(' ') + fromUtf8(readable.unit);
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

QString deltaText(double delta, const QString& unit, const QLocale& locale) {
    const std::string given = unit.toStdString();
    if (!isTimeUnit(given) || delta == 0 || !std::isfinite(delta)) return deltaText(delta, locale);
    const ReadableUnit readable = readableUnit(delta, given);
    return deltaText(delta * readable.factor, locale) + QLatin1Char(' ') + fromUtf8(readable.unit);
}

QString changeText(double before, double after, const QLocale& locale) {
    const Change change = changeOf(before, after);
    if (change.kind == Change::Kind::None) return translated("no change");
    if (change.kind == Change::Kind::Difference) return deltaText(change.value, locale);
    return (change.isCheaper() ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + relativeText(change, locale);
}

QString differenceText(double before, double after, const QLocale& locale) {
    const double delta = after - before;
    if (isNoChange(delta, before)) return translated("no change");
    const QString relative = relativeText(changeOf(before, after), locale);
    return relative.isEmpty() ? deltaText(delta, locale) : deltaText(delta, locale) + QStringLiteral("  ") + relative;
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

bool isNoChange(double delta, double scale) { return isRounding(delta, scale); }

}  // namespace mitos::views
