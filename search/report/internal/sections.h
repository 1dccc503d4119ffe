// SPDX-License-Identifier: GPL-3.0-or-later
// The sections of the report.
#pragma once

#include "search/compare/summary.h"

#include <string>
#include <vector>

namespace mitos::search::report {

/// The comparison and the summaries derived from it.
struct Material {
    explicit Material(const Comparison& c) : comparison(c), cells(cellsOf(c)), totals(totalsOf(c)) {}

    [[nodiscard]] const Cell& cell(std::size_t program, std::size_t strategy, std::size_t budget) const {
        return cells[(program * comparison.strategies.size() + strategy) * comparison.budgets.size() + budget];
    }
    [[nodiscard]] std::vector<std::string> strategyNames() const;

    const Comparison& comparison;
    std::vector<Cell> cells;
    std::vector<Total> totals;
};

[[nodiscard]] std::string totalsSection(const Material& material);   ///< empty without totals
[[nodiscard]] std::string summarySection(const Material& material);  ///< a row per program, strategy and budget
[[nodiscard]] std::string strategiesSection(const Material& material);
[[nodiscard]] std::string programSection(const Material& material, std::size_t program);
/// The best cost so far over evaluations and over time, one line per strategy, under the last budget.
[[nodiscard]] std::string bestSoFarCharts(const Material& material, const std::vector<std::size_t>& programs,
                                          const std::string& what);

}  // namespace mitos::search::report
