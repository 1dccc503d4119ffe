// SPDX-License-Identifier: GPL-3.0-or-later
// Formats numbers and core texts for all views, in the user's locale.
#pragma once

#include "core/ir/path.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QString>
#include <cstdint>
#include <string_view>

namespace mitos::views {

[[nodiscard]] inline QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A count in the user's locale: "12,345".
[[nodiscard]] inline QString countText(std::uint64_t count) {
    return QLocale().toString(static_cast<qulonglong>(count));
}
/// The text, or its beginning and an ellipsis if it has more than `longest` characters. Brackets that the beginning opens are closed
/// behind the ellipsis: "(add (mul x…))".
[[nodiscard]] QString shortened(const QString& text, qsizetype longest);
/// The text, or its beginning, cut in the same way, if it is wider than the room in pixels.
[[nodiscard]] QString elided(const QString& text, const QFontMetricsF& metrics, qreal room);
/// Position in a line, in UTF-16 units, of a column that counts characters from 1, as errors do.
[[nodiscard]] int positionOfColumn(const QString& line, int column);
/// Prints a path as "/0/2"; the middle of a long path is left out: "/0/0/…/1 (level 347)".
[[nodiscard]] QString positionText(const ir::Path& path);
/// A cost in its model's unit, in four significant digits unless more are asked for: "14", "1,205", "31.88 k", "1.87 G". Tool tips show exactCostText().
[[nodiscard]] QString costText(double cost, const QLocale& locale = QLocale(), int digits = 4);
/// The same without rounding, within reason: "31,880.75", "2.5e+09"; at most four decimals.
[[nodiscard]] QString exactCostText(double cost, const QLocale& locale = QLocale());
/// A cost with its unit: "14 nodes", "31.88 k units". Times are in the unit in which they are short: "10.19 ms", "850 ns".
[[nodiscard]] QString amountText(double cost, const QString& unit, const QLocale& locale = QLocale());
/// Two costs with one unit: "31.88 k → 30.24 k units", "10.19 → 9.871 ms".
[[nodiscard]] QString fromToText(double before, double after, const QString& unit, const QLocale& locale = QLocale());
/// A difference with its sign and an arrow, so that it never relies on colour alone: "▼ −9", "▲ +1.5", "no change".
[[nodiscard]] QString deltaText(double delta, const QLocale& locale = QLocale());
/// The same beside amounts of that unit; times have their own: "▼ −1.64 ms".
[[nodiscard]] QString deltaText(double delta, const QString& unit, const QLocale& locale = QLocale());
/// The change of a cost relative to its old value: "▼ −5.1 %"; "no change" if it would be rounded to 0.0 %; a factor of the old value if it is
/// more than 1,000 %: "▲ × 12.5". In the cost's own unit if the old value is 0, or the signs differ by so much.
[[nodiscard]] QString changeText(double before, double after, const QLocale& locale = QLocale());
/// The difference and its percentage, or factor, as changeText() has it: "▼ −256  −0.8 %", "▲ +1,150  × 12.5", "no change". A percentage
/// that would be rounded to 0.0 % is left out.
[[nodiscard]] QString differenceText(double before, double after, const QLocale& locale = QLocale());
/// "−9", "+1.5", "0": for callers that draw their own arrow.
[[nodiscard]] QString signedText(double value, const QLocale& locale = QLocale());
/// "850 µs", "12.4 ms", "3.2 s", "2 min 05 s".
[[nodiscard]] QString durationText(double seconds, const QLocale& locale = QLocale());

/// Whether a difference is rounding rather than change: it is small relative to `scale`, the costs it comes from.
[[nodiscard]] bool isNoChange(double delta, double scale);

}  // namespace mitos::views
