// SPDX-License-Identifier: GPL-3.0-or-later
// See summary.h.
#include "search/compare/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

namespace mitos::search {

namespace {

constexpr double LeastSeconds = 1e-4;  // shorter times are not measured reliably

double valueOn(Axis axis, const Improvement& improvement) {
    return axis == Axis::Evaluations ? static_cast<double>(improvement.evaluations)
                                     : std::max(improvement.seconds, LeastSeconds);
}

double endOn(Axis axis, const RunRecord& run) {
    return axis == Axis::Evaluations ? static_cast<double>(run.statistics.evaluations)
                                     : std::max(run.statistics.seconds, LeastSeconds);
}

/// The best cost of the run when `x` is reached.
double bestAt(const RunRecord& run, Axis axis, double x) {
    double best = run.initialCost;
    for (const Improvement& improvement : run.curve) {
        if (valueOn(axis, improvement) > x) break;
        best = improvement.best;
    }
    return best;
}

/// Thins out x values evenly on a logarithmic axis; keeps the first and the last.
std::vector<double> thinned(std::vector<double> places, std::size_t points) {
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.size() <= points || points < 2) return places;
    const double first = std::log(places.front());
    const double last = std::log(places.back());
    std::vector<double> kept;
    std::size_t bucket = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double share = (std::log(places[i]) - first) / (last - first);
        const auto at = static_cast<std::size_t>(share * static_cast<double>(points - 1));
        if (i > 0 && i + 1 < places.size() && at == bucket) continue;
        bucket = at;
        kept.push_back(places[i]);
    }
    return kept;
}

double medianOf(const std::vector<const RunRecord*>& runs, double (*number)(const RunRecord&)) {
    std::vector<double> numbers;
    for (const RunRecord* run : runs) numbers.push_back(number(*run));
    return spreadOf(std::move(numbers)).median;
}

void summarize(Cell& cell) {
    if (cell.runs.empty()) return;
    const auto order = [](const RunRecord* a, const RunRecord* b) {
        return std::make_tuple(a->bestCost, a->steps.size()) < std::make_tuple(b->bestCost, b->steps.size());
    };
    cell.bestRun = *std::ranges::min_element(cell.runs, order);
    std::vector<double> costs;
    for (const RunRecord* run : cell.runs) costs.push_back(run->bestCost);
    cell.cost = spreadOf(std::move(costs));
    cell.evaluationsToBest =
        medianOf(cell.runs, [](const RunRecord& run) { return static_cast<double>(run.curve.back().evaluations); });
    cell.secondsToBest = medianOf(cell.runs, [](const RunRecord& run) { return run.curve.back().seconds; });
    cell.seconds = medianOf(cell.runs, [](const RunRecord& run) { return run.statistics.seconds; });
    cell.allChecked = std::ranges::all_of(cell.runs, [](const RunRecord* run) { return run->verdict.isThreadChecked; });
    const auto any = [&](rewrite::Values values) {
        return std::ranges::any_of(cell.runs, [&](const RunRecord* run) { return run->verdict.values == values; });
    };
    cell.values = any(rewrite::Values::Different)     ? rewrite::Values::Different
                  : any(rewrite::Values::NotCompared) ? rewrite::Values::NotCompared
                                                      : rewrite::Values::Same;
}

}  // namespace

Spread spreadOf(std::vector<double> values) {
    assert(!values.empty());
    std::ranges::sort(values);
    const auto at = [&values](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
    };
    return {values.front(), at(0.25), at(0.5), at(0.75), values.back()};
}

std::vector<Cell> cellsOf(const Comparison& comparison) {
    std::vector<Cell> cells;
    for (std::size_t p = 0; p < comparison.programs.size(); ++p) {
        for (std::size_t s = 0; s < comparison.strategies.size(); ++s) {
            for (std::size_t b = 0; b < comparison.budgets.size(); ++b) {
                Cell& cell = cells.emplace_back();
                cell.program = p;
                cell.strategy = s;
                cell.budget = b;
                for (std::size_t k = 0; k < comparison.seeds.size(); ++k) {
                    const RunRecord& run = comparison.run(p, s, b, k);
                    if (run.done()) cell.runs.push_back(&run);
                }
                summarize(cell);
            }
        }
    }
    return cells;
}

std::vector<std::size_t> completePrograms(const Comparison& comparison) {
    std::vector<std::size_t> complete;
    for (std::size_t p = 0; p < comparison.programs.size(); ++p) {
        const bool done =
            std::ranges::all_of(comparison.runs, [p](const RunRecord& run) { return run.program != p || run.done(); });
        if (done) complete.push_back(p);
    }
    return complete;
}

std::vector<std::vector<const RunRecord*>> groupsOf(const Comparison& comparison,
                                                    const std::vector<std::size_t>& programs, std::size_t strategy,
                                                    std::size_t budget) {
    std::vector<std::vector<const RunRecord*>> groups;
    for (std::size_t k = 0; k < comparison.seeds.size(); ++k) {
        std::vector<const RunRecord*> group;
        for (const std::size_t p : programs) {
            const RunRecord& run = comparison.run(p, strategy, budget, k);
            if (run.done()) group.push_back(&run);
        }
        if (group.size() == programs.size() && !group.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<Total> totalsOf(const Comparison& comparison) {
    const std::vector<std::size_t> programs = completePrograms(comparison);
    std::vector<Total> totals;
    if (programs.empty()) return totals;
    const std::vector<Cell> cells = cellsOf(comparison);
    for (std::size_t s = 0; s < comparison.strategies.size(); ++s) {
        for (std::size_t b = 0; b < comparison.budgets.size(); ++b) {
            Total& total = totals.emplace_back();
            total.strategy = s;
            total.budget = b;
            total.programs = programs.size();
            std::vector<double> sums;
            for (const auto& group : groupsOf(comparison, programs, s, b)) {
                double& sum = sums.emplace_back(0.0);
                for (const RunRecord* run : group) {
                    sum += run->bestCost;
                    total.seconds += run->statistics.seconds;
                    total.evaluations += run->statistics.evaluations;
                }
            }
            total.cost = spreadOf(std::move(sums));
            for (const Cell& cell : cells) {
                const bool counted = cell.strategy == s && cell.budget == b &&
                                     std::ranges::find(programs, cell.program) != programs.end();
                if (!counted) continue;
                total.initial += cell.bestRun->initialCost;
                total.best += cell.bestRun->bestCost;
            }
        }
    }
    return totals;
}

std::vector<BandPoint> bandOf(const std::vector<std::vector<const RunRecord*>>& groups, Axis axis, std::size_t points) {
    std::vector<double> places;
    for (const auto& group : groups) {
        for (const RunRecord* run : group) {
            for (const Improvement& improvement : run->curve) places.push_back(valueOn(axis, improvement));
            places.push_back(endOn(axis, *run));
        }
    }
    std::vector<BandPoint> band;
    for (const double x : thinned(std::move(places), points)) {
        std::vector<double> sums;
        for (const auto& group : groups) {
            double& sum = sums.emplace_back(0.0);
            for (const RunRecord* run : group) sum += bestAt(*run, axis, x);
        }
        band.push_back({x, spreadOf(std::move(sums))});
    }
    return band;
}

}  // namespace mitos::search
