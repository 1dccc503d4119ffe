// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them, decided once for the window, the command line and the report: how many digits, which prefix, and whether a
// change is a percentage, a factor or none. The window writes them in the user's locale; the texts here are in English.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mitos {

/// A number in few significant digits: `value` with `decimals`, of which zeros at the end are left out, and then the prefix.
struct ShortNumber {
    double value = 0.0;
    int decimals = 0;
    std::string_view prefix;  ///< "", "k", "M", "G", "T" or "P"; "" below 10,000
};

/// Nothing for numbers that have no short form: below 0.001 in size, from 10¹⁸ on, and those that are not finite.
[[nodiscard]] std::optional<ShortNumber> shortNumber(double number, int digits = 4);
/// "14", "1,205", "31.88 k", "−2.5 M", "1.25e-07", "unknown" (NaN), "∞".
[[nodiscard]] std::string shortText(double number, int digits = 4);
/// A count, whole: "12,345".
[[nodiscard]] std::string countText(double count);
/// An amount with its unit; times are in the unit in which they are short: "31.88 k units", "10.19 ms" for 10,190 µs.
[[nodiscard]] std::string amountText(double amount, std::string_view unit);

/// Whether a difference is rounding rather than change: it is small relative to `scale`, the costs it comes from.
[[nodiscard]] bool isRounding(double difference, double scale);

/// The change of a cost, in the form in which it is said.
struct Change {
    enum class Kind {
        None,       ///< rounding, or it would be rounded to 0.0 %
        Percent,    ///< `value` is the change in per cent of the old cost's size, negative if it became cheaper
        Factor,     ///< more than 1,000 %: `value` is the new cost divided by the old one
        Difference  ///< `value` is the difference, as relations to 0 or between signs mean nothing
    };
    Kind kind = Kind::None;
    double value = 0.0;

    /// As kinds other than None have it.
    [[nodiscard]] bool isCheaper() const { return kind != Kind::Factor && value < 0.0; }
};

[[nodiscard]] Change changeOf(double before, double after);
/// "5.1 %", "× 12.5", "21": the size of the change, without its sign. "no change" if it is none.
[[nodiscard]] std::string sizeText(const Change& change);
/// "−5.1 %", "+0.8 %", "× 12.5", "−21", "no change".
[[nodiscard]] std::string changeText(double before, double after);

}  // namespace mitos
