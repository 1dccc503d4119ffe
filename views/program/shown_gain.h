// SPDX-License-Identifier: GPL-3.0-or-later
// The gains in the parts of the program that is shown: numbers in words, heat, and its ranges in the text.
#pragma once

#include "search/rewriting/gain_map.h"
#include "views/program/program_text.h"

#include <QString>
#include <optional>
#include <vector>

namespace mitos::views {

struct HeatRange;

/// "within 10 steps".
[[nodiscard]] QString withinText(std::uint32_t steps);

/// A map (search/rewriting/gain_map.h) of the program shown, for one of its numbers of steps. A value; its nodes are those of ProgramText.
class ShownGain {
public:
    /// `steps` must be in the range of the map.
    ShownGain(search::GainMap map, std::uint32_t steps, QString unit);

    [[nodiscard]] const search::GainMap& map() const { return m_map; }
    [[nodiscard]] std::uint32_t steps() const { return m_steps; }
    [[nodiscard]] std::optional<double> heat(NodeIndex node) const;
    /// "▼ −1.9", "0"; "–" if there is no estimate.
    [[nodiscard]] QString shortText(NodeIndex node) const;
    /// The same with the unit: "▼ −1.9 units", "0 units".
    [[nodiscard]] QString amountText(NodeIndex node) const;
    /// "Gain ▼ −1.9 units of 14 units within 10 steps; 0.9 units of it need this part as a whole": one line for tool tips.
    [[nodiscard]] QString text(NodeIndex node) const;
    /// The gain in the hottest node, with sign and unit.
    [[nodiscard]] QString largestText() const;
    /// Each part of the text with the heat of the innermost node there that is hot.
    [[nodiscard]] std::vector<HeatRange> ranges(const ProgramText& text, ProgramText::Form form) const;

private:
    [[nodiscard]] QString signedAmount(double gain) const;

    search::GainMap m_map;
    std::uint32_t m_steps;
    QString m_unit;
};

}  // namespace mitos::views
