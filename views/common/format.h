// SPDX-License-Identifier: GPL-3.0-or-later
// How numbers and core texts are shown: one format for all views, in the user's locale.
#pragma once

#include "core/ir/path.h"

#include <QLocale>
#include <QString>
#include <string>
#include <string_view>

namespace mitos::views {

[[nodiscard]] inline QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// A position as one writes it, "/0/2"; the middle of a long one is left out: "/0/0/…/1 (level 347)".
[[nodiscard]] QString positionText(const ir::Path& path);
/// A cost in its model's unit: "14", "1,204.5", "2.5e+09"; at most four decimals.
[[nodiscard]] QString costText(double cost, const QLocale& locale = QLocale());
/// A difference with its sign and an arrow, so that colour never speaks alone: "▼ −9", "▲ +1.5", "= 0".
[[nodiscard]] QString deltaText(double delta, const QLocale& locale = QLocale());
/// By how much a cost changed, against what it was: "▼ −5.1 %"; in the cost's own unit where it was 0.
[[nodiscard]] QString changeText(double before, double after, const QLocale& locale = QLocale());
/// "−9", "+1.5", "0": for places that have their own arrow.
[[nodiscard]] QString signedText(double value, const QLocale& locale = QLocale());
/// "850 µs", "12.4 ms", "3.2 s", "2 min 05 s".
[[nodiscard]] QString durationText(double seconds, const QLocale& locale = QLocale());

/// Differences smaller than this (relative to the costs they come from) are rounding, not change.
[[nodiscard]] bool isNoChange(double delta, double scale);

}  // namespace mitos::views
