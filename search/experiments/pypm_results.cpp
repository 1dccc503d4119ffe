// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_results.h.
#include "search/experiments/pypm_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mitos::search::experiments {

namespace {

/// The rank of each number from 1 on; equal numbers have the mean of theirs.
std::vector<double> ranksOf(std::span<const double> numbers) {
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t place) { return numbers[place]; });
    std::vector<double> ranks(numbers.size(), 0.0);
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
        for (std::size_t i = begin; i < end; ++i)
            ranks[order[i]] = (static_cast<double>(begin) + static_cast<double>(end) + 1.0) / 2.0;
        begin = end;
    }
    return ranks;
}

}  // namespace

PypmResults::PypmResults(const PypmPlan& plan, NamedNumbers paper, std::vector<Entry> entries)
    : m_plan(plan),
      m_paper(std::move(paper)),
      m_entries(std::move(entries)) {}

std::vector<std::string> PypmResults::suites() const {
    std::vector<std::string> suites;
    for (const auto& [model, record] : m_entries) {
        if (std::ranges::find(suites, model->suite) == suites.end()) suites.push_back(model->suite);
    }
    return suites;
}

std::vector<PypmMeasure> PypmResults::measures() const {
    std::vector<PypmMeasure> measures;
    bool hasCosts = false;
    for (const auto& [model, record] : m_entries) {
        for (const PypmTimes& times : record.times) {
            const PypmMeasure measure{.name = "runtime-" + times.level,
                                      .title = fmt::format("ONNX Runtime, level {}", times.level),
                                      .level = times.level};
            if (std::ranges::find(measures, measure.name, &PypmMeasure::name) == measures.end())
                measures.push_back(measure);
        }
        const PypmPass& neither = pass(record, PypmCompilation::Neither);
        hasCosts = hasCosts || (neither.cost && *neither.cost > 0.0);
    }
    if (hasCosts)
        measures.push_back(
            {.name = "cost", .title = fmt::format("cost model {}", m_plan.cost->info().name), .level = {}});
    return measures;
}

std::optional<PypmSpeedup> PypmResults::speedup(const PypmRecord& record, const PypmMeasure& measure,
                                                PypmCompilation compilation) {
    if (measure.isMeasured()) {
        const PypmTimes* const times = record.find(measure.level);
        if (times == nullptr) return std::nullopt;
        const PypmTime& time = times->compilations[indexOf(compilation)];
        return PypmSpeedup{
            .value = time.speedup(), .isFaster = time.ratio.isFaster(), .isSlower = time.ratio.isSlower()};
    }
    const std::optional<double>& before = pass(record, PypmCompilation::Neither).cost;
    const std::optional<double>& after = pass(record, compilation).cost;
    if (!before || !after || *before <= 0.0 || *after <= 0.0) return std::nullopt;
    const double value = *before / *after;
    return PypmSpeedup{
        .value = value, .isFaster = value > 1.0 + timing::Noise, .isSlower = 1.0 / value > 1.0 + timing::Noise};
}

std::vector<PypmSpeedup> PypmResults::speedups(const PypmMeasure& measure, PypmCompilation compilation,
                                               std::string_view suite) const {
    std::vector<PypmSpeedup> found;
    for (const auto& [model, record] : m_entries) {
        if (!suite.empty() && model->suite != suite) continue;
        if (const auto one = speedup(record, measure, compilation)) found.push_back(*one);
    }
    return found;
}

bool PypmResults::isRight() const {
    return std::ranges::none_of(
        m_entries, [](const Entry& entry) { return std::ranges::any_of(entry.second.passes, &PypmPass::isRefuted); });
}

PypmSpeedupSummary summaryOf(std::span<const PypmSpeedup> speedups) {
    PypmSpeedupSummary summary{
        .models = speedups.size(), .least = speedups.front().value, .most = speedups.front().value};
    double logarithms = 0.0;
    for (const PypmSpeedup& one : speedups) {
        logarithms += std::log(one.value);
        summary.least = std::min(summary.least, one.value);
        summary.most = std::max(summary.most, one.value);
        if (one.isFaster) ++summary.faster;
        if (one.isSlower) ++summary.slower;
    }
    summary.mean = std::exp(logarithms / static_cast<double>(speedups.size()));
    return summary;
}

std::optional<double> rankCorrelation(std::span<const double> one, std::span<const double> other) {
    if (one.size() < 2) return std::nullopt;
    const std::vector<double> first = ranksOf(one);
    const std::vector<double> second = ranksOf(other);
    const double middle = (static_cast<double>(one.size()) + 1.0) / 2.0;
    double together = 0.0;
    double firstSquares = 0.0;
    double secondSquares = 0.0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        together += (first[i] - middle) * (second[i] - middle);
        firstSquares += (first[i] - middle) * (first[i] - middle);
        secondSquares += (second[i] - middle) * (second[i] - middle);
    }
    if (firstSquares == 0.0 || secondSquares == 0.0) return std::nullopt;
    return together / std::sqrt(firstSquares * secondSquares);
}

}  // namespace mitos::search::experiments
