// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the report.
#pragma once

#include "search/compare/summary.h"

#include <string>
#include <vector>

namespace mitos::search::report {

/// The comparison with what is worked out from it once.
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
[[nodiscard]] std::string summarySection(const Material& material);  ///< a row a program, strategy and budget
[[nodiscard]] std::string strategiesSection(const Material& material);
[[nodiscard]] std::string programSection(const Material& material, std::size_t program);
/// Best so far over evaluations and over time, a line a strategy, under the last budget.
[[nodiscard]] std::string bestSoFarCharts(const Material& material, const std::vector<std::size_t>& programs,
                                          const std::string& what);

}  // namespace mitos::search::report
