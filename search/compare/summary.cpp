// SPDX-License-Identifier: GPL-3.0-or-later
// See summary.h.
#include "search/compare/summary.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace mitos::search {

namespace {

constexpr double LeastSeconds = 1e-4;  // shorter times are not measured reliably

double valueOn(Axis axis, const Improvement& improvement) {
    switch (axis) {
        case Axis::Evaluations: return std::max(static_cast<double>(improvement.evaluations), 1.0);
        case Axis::Seconds: return std::max(improvement.seconds, LeastSeconds);
        case Axis::Iterations: return static_cast<double>(improvement.iterations);
    }
    return 0.0;
}

/// A run's curve, read at growing values of x.
struct CurveReader {
    std::vector<Improvement> curve;
    std::size_t at = 0;

    /// The best cost when `x` is reached; later calls have a larger x.
    double bestAt(Axis axis, double x) {
        while (at + 1 < curve.size() && valueOn(axis, curve[at + 1]) <= x) ++at;
        return curve[at].best;
    }
};

/// Thins out x values evenly on a logarithmic axis; keeps the first and the last.
std::vector<double> thinned(std::vector<double> places, std::size_t points) {
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.size() <= points || points < 2) return places;
    const double least = std::max(places.front(), LeastSeconds);  // iterations begin at 0
    const double first = std::log(least);
    const double last = std::log(places.back());
    std::vector<double> kept;
    std::size_t bucket = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double share = (std::log(std::max(places[i], least)) - first) / (last - first);
        const auto at = static_cast<std::size_t>(share * static_cast<double>(points - 1));
        if (i > 0 && i + 1 < places.size() && at == bucket) continue;
        bucket = at;
        kept.push_back(places[i]);
    }
    return kept;
}

Spread spreadOver(const std::vector<const ComparedRun*>& runs, double (*number)(const Run&)) {
    std::vector<double> numbers;
    for (const ComparedRun* each : runs) numbers.push_back(number(each->run));
    return spreadOf(std::move(numbers));
}

void summarize(Cell& cell) {
    if (cell.runs.empty()) return;
    const auto order = [](const ComparedRun* a, const ComparedRun* b) {
        return std::make_tuple(a->run.bestCost, a->steps.size()) < std::make_tuple(b->run.bestCost, b->steps.size());
    };
    cell.bestRun = *std::ranges::min_element(cell.runs, order);
    const auto median = [&](double (*number)(const Run&)) { return spreadOver(cell.runs, number).median; };
    cell.cost = spreadOver(cell.runs, [](const Run& run) { return run.bestCost; });
    cell.evaluationsToBest =
        median([](const Run& run) { return static_cast<double>(curveOf(run).back().evaluations); });
    cell.secondsToBest = median([](const Run& run) { return curveOf(run).back().seconds; });
    cell.seconds = median([](const Run& run) { return run.statistics.seconds; });
    cell.allChecked =
        std::ranges::all_of(cell.runs, [](const auto* each) { return each->run.verdict->isThreadChecked; });
    const auto any = [&](rewrite::Values values) {
        return std::ranges::any_of(cell.runs, [&](const auto* each) { return each->run.verdict->values == values; });
    };
    cell.values = any(rewrite::Values::Different)     ? rewrite::Values::Different
                  : any(rewrite::Values::NotCompared) ? rewrite::Values::NotCompared
                                                      : rewrite::Values::Same;
}

}  // namespace

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
                    const ComparedRun& run = comparison.run(p, s, b, k);
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
        const bool done = std::ranges::all_of(comparison.runs,
                                              [p](const ComparedRun& run) { return run.program != p || run.done(); });
        if (done) complete.push_back(p);
    }
    return complete;
}

std::vector<std::vector<const Run*>> groupsOf(const Comparison& comparison, const std::vector<std::size_t>& programs,
                                              std::size_t strategy, std::size_t budget) {
    std::vector<std::vector<const Run*>> groups;
    for (std::size_t k = 0; k < comparison.seeds.size(); ++k) {
        std::vector<const Run*> group;
        for (const std::size_t p : programs) {
            const ComparedRun& compared = comparison.run(p, strategy, budget, k);
            if (compared.done()) group.push_back(&compared.run);
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
                for (const Run* run : group) {
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
                total.initial += cell.bestRun->run.initialCost;
                total.best += cell.bestRun->run.bestCost;
            }
        }
    }
    return totals;
}

std::vector<BandPoint> bandOf(const std::vector<std::vector<const Run*>>& groups, Axis axis, std::size_t points) {
    std::vector<double> places;
    std::vector<std::vector<CurveReader>> curves;
    for (const auto& group : groups) {
        curves.emplace_back();
        for (const Run* run : group) {
            const std::vector<Improvement>& curve = curves.back().emplace_back(CurveReader{curveOf(*run)}).curve;
            for (const Improvement& improvement : curve) places.push_back(valueOn(axis, improvement));
            const SearchStatistics& end = run->statistics;
            places.push_back(valueOn(axis, {end.evaluations, end.seconds, run->bestCost, iterationsOf(*run)}));
        }
    }
    std::vector<BandPoint> band;
    for (const double x : thinned(std::move(places), points)) {
        std::vector<double> sums;
        for (auto& group : curves) {
            double& sum = sums.emplace_back(0.0);
            for (CurveReader& curve : group) sum += curve.bestAt(axis, x);
        }
        band.push_back({x, spreadOf(std::move(sums))});
    }
    return band;
}

}  // namespace mitos::search
